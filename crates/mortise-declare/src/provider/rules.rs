//! What each provider takes: one description per provider.

use serde_json::{Map, Value};

use super::Provider;
use super::rule_table::{self as rule, ProviderRule};
use crate::loss::{Action, Losses, Severity};

#[derive(Debug)]
pub(super) struct ProviderRules {
    pub(super) envelope: EnvelopeForm,
    /// The field for the output schema.
    pub(super) output: OutputField,
    /// Keywords that do not stay at the root.
    pub(super) root_refuses: RootRule,
    pub(super) subset: Subset,
    /// Whether arrays must say what is in them.
    pub(super) wants_items: Option<&'static ProviderRule>,
    /// The names that parameters may have.
    pub(super) keys: Option<KeyRule>,
    /// Whether `strict` must be said even when it is false, because it is true otherwise.
    pub(super) always_says_strict: bool,
    pub(super) strict: Option<Strict>,
    /// Whether a tool must have a description.
    pub(super) wants_description: Option<&'static ProviderRule>,
    /// Characters of a description, the output shape included.
    pub(super) description: Option<&'static ProviderRule>,
    /// Tools of one request.
    pub(super) tools: Option<&'static ProviderRule>,
}

/// How the parts of a tool are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnvelopeForm {
    /// `{type: function, name, description, parameters}`
    Flat,
    /// `{type: function, function: {name, description, parameters}}`
    Nested,
    /// `{name, description, input_schema}`
    Anthropic,
    /// `{name, description, parametersJsonSchema}`
    Gemini,
    /// `{toolSpec: {name, description, inputSchema: {json}}}`
    Bedrock,
}

/// Where the output schema goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum OutputField {
    /// Into the description: there is no field for it.
    None,
    /// Into this field, whatever results are.
    Any(&'static str),
    /// Into this field where results are objects.
    Objects(&'static str, &'static ProviderRule),
}

/// Keywords that do nothing good at the root of the input schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootRule {
    pub(super) keywords: &'static [&'static str],
    /// An error where the provider refuses the request, a warning where it reads past them.
    pub(super) severity: Severity,
    pub(super) rule: &'static ProviderRule,
}

/// How much of JSON Schema survives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subset {
    Whole,
    /// A list of keywords.
    Listed,
    /// Per property `type`, `items`, `description`, `enum`, `anyOf`, `properties` and `required`.
    Small,
}

/// The names of parameters that a provider takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyRule {
    /// Which characters a name may have besides letters and digits, and how a message lists them.
    others: (&'static str, &'static str),
    /// Whether a digit or a sign may come first.
    any_start: bool,
    rule: &'static ProviderRule,
}

/// What a strict mode asks of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strict {
    /// Whether every key must be required; optional ones become nullable.
    pub(super) all_required: bool,
    /// Why a type must not be part of itself.
    pub(super) recursion: Option<&'static ProviderRule>,
    /// Why nothing may stand beside a reference.
    pub(super) bare_references: Option<&'static ProviderRule>,
    /// Keywords with which strict is not possible.
    pub(super) forbidden: &'static [&'static str],
    /// Keywords that are left out, since the values they allow are not the model's first concern.
    pub(super) dropped: &'static [&'static str],
    /// The rule behind both lists.
    pub(super) keywords: &'static ProviderRule,
    /// The values of `format` that are taken.
    pub(super) formats: (&'static [&'static str], &'static ProviderRule),
    /// Why `enum` and `const` need a `type`.
    pub(super) typed_values: Option<&'static ProviderRule>,
    /// Levels of nesting.
    pub(super) depth: Option<&'static ProviderRule>,
    /// Properties altogether.
    pub(super) properties: Option<&'static ProviderRule>,
    /// Characters of names and enum values altogether.
    pub(super) characters: Option<&'static ProviderRule>,
    /// Enum values altogether.
    pub(super) enum_values: Option<&'static ProviderRule>,
    /// Characters of one long enum.
    pub(super) enum_length: Option<&'static ProviderRule>,
    /// What all strict tools of a request may have together.
    pub(super) request: Option<StrictRequestRules>,
}

/// What all strict tools of one request may have together.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrictRequestRules {
    pub(super) tools: &'static ProviderRule,
    pub(super) optional: &'static ProviderRule,
    pub(super) unions: &'static ProviderRule,
}

const COMBINATORS: &[&str] = &["anyOf", "oneOf", "allOf"];

const NO_TYPE: &[&str] = &[
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "prefixItems",
    "$dynamicRef",
    "$recursiveRef",
];

const OPENAI_FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

const ANTHROPIC_FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

const OPENAI_STRICT: Strict = Strict {
    all_required: true,
    recursion: None,
    bare_references: Some(&rule::OPENAI_STRICT_REFERENCES),
    forbidden: NO_TYPE,
    dropped: &[
        "$schema",
        "$id",
        "$comment",
        "default",
        "examples",
        "minLength",
        "maxLength",
        "uniqueItems",
        "minProperties",
        "maxProperties",
    ],
    keywords: &rule::OPENAI_STRICT_KEYWORDS,
    formats: (OPENAI_FORMATS, &rule::OPENAI_STRICT_FORMAT),
    typed_values: Some(&rule::OPENAI_STRICT_TYPE),
    depth: Some(&rule::OPENAI_STRICT_DEPTH),
    properties: Some(&rule::OPENAI_STRICT_PROPERTIES),
    characters: Some(&rule::OPENAI_STRICT_CHARACTERS),
    enum_values: Some(&rule::OPENAI_STRICT_ENUM_VALUES),
    enum_length: Some(&rule::OPENAI_STRICT_ENUM_LENGTH),
    request: None,
};

const ANTHROPIC_STRICT: Strict = Strict {
    all_required: false,
    recursion: Some(&rule::ANTHROPIC_STRICT_RECURSION),
    bare_references: None,
    forbidden: NO_TYPE,
    dropped: &[
        "$schema",
        "$comment",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "examples",
    ],
    keywords: &rule::ANTHROPIC_STRICT_KEYWORDS,
    formats: (ANTHROPIC_FORMATS, &rule::ANTHROPIC_STRICT_FORMAT),
    typed_values: None,
    depth: None,
    properties: None,
    characters: None,
    enum_values: None,
    enum_length: None,
    request: Some(StrictRequestRules {
        tools: &rule::ANTHROPIC_STRICT_TOOLS,
        optional: &rule::ANTHROPIC_STRICT_OPTIONAL,
        unions: &rule::ANTHROPIC_STRICT_UNIONS,
    }),
};

const OPENAI: ProviderRules = ProviderRules {
    envelope: EnvelopeForm::Flat,
    output: OutputField::Any("output_schema"),
    root_refuses: RootRule {
        keywords: &["anyOf", "oneOf", "allOf", "enum", "not"],
        severity: Severity::Error,
        rule: &rule::OPENAI_ROOT,
    },
    subset: Subset::Whole,
    wants_items: Some(&rule::OPENAI_ITEMS),
    keys: None,
    always_says_strict: true,
    strict: Some(OPENAI_STRICT),
    wants_description: None,
    description: None,
    tools: Some(&rule::OPENAI_TOOLS),
};

const OPENAI_CHAT: ProviderRules = ProviderRules {
    envelope: EnvelopeForm::Nested,
    output: OutputField::None,
    always_says_strict: false,
    ..OPENAI
};

const AZURE_OPENAI: ProviderRules =
    ProviderRules { description: Some(&rule::AZURE_DESCRIPTION), ..OPENAI_CHAT };

const ANTHROPIC: ProviderRules = ProviderRules {
    envelope: EnvelopeForm::Anthropic,
    output: OutputField::None,
    root_refuses: RootRule { keywords: COMBINATORS, severity: Severity::Error, rule: &rule::ANTHROPIC_ROOT },
    subset: Subset::Whole,
    wants_items: None,
    keys: Some(KeyRule {
        others: ("_.-", ", digits, _, . and -"),
        any_start: true,
        rule: &rule::ANTHROPIC_KEYS,
    }),
    always_says_strict: false,
    strict: Some(ANTHROPIC_STRICT),
    wants_description: None,
    description: None,
    tools: None,
};

const GEMINI: ProviderRules = ProviderRules {
    envelope: EnvelopeForm::Gemini,
    output: OutputField::Objects("responseJsonSchema", &rule::GEMINI_RESULT),
    // Its branches are not read anywhere; at the root they can be joined.
    root_refuses: RootRule { keywords: &["allOf"], severity: Severity::Warn, rule: &rule::GEMINI_KEYWORDS },
    subset: Subset::Listed,
    wants_items: None,
    keys: Some(KeyRule { others: ("_", ", digits and _"), any_start: false, rule: &rule::GEMINI_KEYS }),
    always_says_strict: false,
    strict: None,
    wants_description: Some(&rule::GEMINI_DESCRIPTION),
    description: None,
    tools: Some(&rule::GEMINI_TOOLS),
};

const BEDROCK: ProviderRules = ProviderRules { envelope: EnvelopeForm::Bedrock, ..ANTHROPIC };

const MISTRAL: ProviderRules = ProviderRules { tools: None, ..OPENAI_CHAT };

const OLLAMA: ProviderRules = ProviderRules {
    root_refuses: RootRule { severity: Severity::Warn, rule: &rule::OLLAMA_KEYWORDS, ..OPENAI.root_refuses },
    subset: Subset::Small,
    strict: None,
    wants_items: None,
    tools: None,
    ..OPENAI_CHAT
};

pub(super) fn rules_of(provider: Provider) -> &'static ProviderRules {
    match provider {
        Provider::OpenAi => &OPENAI,
        Provider::OpenAiChat => &OPENAI_CHAT,
        Provider::AzureOpenAi => &AZURE_OPENAI,
        Provider::Anthropic => &ANTHROPIC,
        Provider::Gemini => &GEMINI,
        Provider::Bedrock => &BEDROCK,
        Provider::Mistral => &MISTRAL,
        Provider::Ollama => &OLLAMA,
    }
}

impl ProviderRules {
    /// Reports parameters whose names the provider does not take. They are never renamed: the tool knows no other.
    pub(super) fn check_keys(&self, properties: &Map<String, Value>, losses: &mut Losses) {
        let Some(KeyRule { others: (others, words), any_start, rule }) = self.keys else { return };
        let most = rule.most();
        for key in properties.keys() {
            let is_plain = |character: char| character.is_ascii_alphanumeric() || others.contains(character);
            let begins = |first: char| any_start || first.is_ascii_alphabetic() || first == '_';
            if !key.starts_with(begins) || key.len() > most || !key.chars().all(is_plain) {
                let pointer = format!("/properties/{}", mortise_contract::json::escape_token(key));
                let start = if any_start { "" } else { ", beginning with a letter or _" };
                let reason = format!("the provider takes names of at most {most} letters{words}{start}");
                losses
                    .add(&pointer, "properties", (Action::Kept, Severity::Error), reason)
                    .before(&Value::from(key.as_str()))
                    .rule(rule)
                    .fix("give the parameter a plain name");
            }
        }
    }
}
