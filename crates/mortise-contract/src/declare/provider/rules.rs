//! What each provider takes: one description per provider.

use serde_json::{Map, Value};

use super::Provider;
use crate::declare::loss::{Action, Losses, Severity};

/// The rules of one provider.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) envelope: Envelope,
    /// The field for the output schema.
    pub(super) output_field: Option<&'static str>,
    /// Keywords that make the provider refuse the whole request when they stand at the root.
    pub(super) root_refuses: &'static [&'static str],
    pub(super) subset: Subset,
    /// Whether arrays must say what is in them.
    pub(super) wants_items: bool,
    /// The names that parameters may have.
    pub(super) keys: Option<Keys>,
    /// Whether `strict` must be said even when it is false, because it is true otherwise.
    pub(super) always_says_strict: bool,
    pub(super) strict: Option<Strict>,
    /// Whether a tool must have a description.
    pub(super) wants_description: bool,
}

/// How the parts of a tool are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Envelope {
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

/// How much of JSON Schema survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subset {
    /// All of it.
    Whole,
    /// Per property `type`, `items`, `description` and `enum`; nothing else.
    Small,
}

/// The names of parameters that a provider takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    /// Characters of a name.
    most: usize,
    /// What may stand in it beside letters and digits, and the words for that.
    others: (&'static str, &'static str),
}

/// What a strict mode asks of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strict {
    /// Whether every key must be required; optional ones become nullable.
    pub(super) all_required: bool,
    /// Whether a type may be part of itself.
    pub(super) recursion: bool,
    /// Whether nothing may stand beside a reference.
    pub(super) bare_references: bool,
    /// Keywords with which strict is not possible.
    pub(super) forbidden: &'static [&'static str],
    /// Keywords that are left out, since the values they allow are not the model's first concern.
    pub(super) dropped: &'static [&'static str],
    /// Levels of nesting.
    pub(super) depth: usize,
    /// Properties altogether.
    pub(super) properties: usize,
    /// Characters of names and enum values altogether.
    pub(super) characters: usize,
    /// Enum values altogether.
    pub(super) enum_values: usize,
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

const OPENAI_STRICT: Strict = Strict {
    all_required: true,
    recursion: true,
    bare_references: true,
    forbidden: NO_TYPE,
    dropped: &[
        "$schema",
        "$id",
        "$comment",
        "default",
        "examples",
        "uniqueItems",
        "minProperties",
        "maxProperties",
    ],
    depth: 10,
    properties: 5_000,
    characters: 120_000,
    enum_values: 1_000,
};

const ANTHROPIC_STRICT: Strict = Strict {
    all_required: false,
    recursion: false,
    bare_references: false,
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
    depth: 64,
    properties: usize::MAX,
    characters: usize::MAX,
    enum_values: usize::MAX,
};

const OPENAI: Rules = Rules {
    envelope: Envelope::Flat,
    output_field: Some("output_schema"),
    root_refuses: &["anyOf", "oneOf", "allOf", "enum", "not"],
    subset: Subset::Whole,
    wants_items: true,
    keys: None,
    always_says_strict: true,
    strict: Some(OPENAI_STRICT),
    wants_description: false,
};

const OPENAI_CHAT: Rules =
    Rules { envelope: Envelope::Nested, output_field: None, always_says_strict: false, ..OPENAI };

const ANTHROPIC: Rules = Rules {
    envelope: Envelope::Anthropic,
    output_field: None,
    root_refuses: COMBINATORS,
    subset: Subset::Whole,
    wants_items: false,
    keys: Some(Keys { most: 64, others: ("_.-", ", digits, _, . and -") }),
    always_says_strict: false,
    strict: Some(ANTHROPIC_STRICT),
    wants_description: false,
};

const GEMINI: Rules = Rules {
    envelope: Envelope::Gemini,
    output_field: Some("responseJsonSchema"),
    root_refuses: &[],
    subset: Subset::Whole,
    wants_items: false,
    keys: Some(Keys { most: 64, others: ("_", ", digits and _") }),
    always_says_strict: false,
    strict: None,
    wants_description: true,
};

const BEDROCK: Rules = Rules { envelope: Envelope::Bedrock, ..ANTHROPIC };

const MISTRAL: Rules = OPENAI_CHAT;

const OLLAMA: Rules = Rules { subset: Subset::Small, strict: None, wants_items: false, ..OPENAI_CHAT };

/// The rules of a provider.
pub(super) fn of(provider: Provider) -> &'static Rules {
    match provider {
        Provider::OpenAi => &OPENAI,
        Provider::OpenAiChat => &OPENAI_CHAT,
        Provider::Anthropic => &ANTHROPIC,
        Provider::Gemini => &GEMINI,
        Provider::Bedrock => &BEDROCK,
        Provider::Mistral => &MISTRAL,
        Provider::Ollama => &OLLAMA,
    }
}

impl Rules {
    /// Reports parameters whose names the provider does not take. They are never renamed: the tool knows no other.
    pub(super) fn check_keys(&self, properties: &Map<String, Value>, losses: &mut Losses) {
        let Some(Keys { most, others: (others, words) }) = self.keys else { return };
        for key in properties.keys() {
            let is_plain = |character: char| character.is_ascii_alphanumeric() || others.contains(character);
            if key.is_empty() || key.len() > most || !key.chars().all(is_plain) {
                let pointer = format!("/properties/{}", crate::json::escape_token(key));
                let reason = format!("the provider takes names of at most {most} letters{words}");
                losses
                    .add(&pointer, "properties", (Action::Kept, Severity::Error), reason)
                    .before(&Value::from(key.as_str()))
                    .fix("give the parameter a plain name");
            }
        }
    }
}
