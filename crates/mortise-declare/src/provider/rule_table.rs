//! What providers ask of tools, each rule with the day it was read and where.
//!
//! Rendering, lint and the reference page read this table; no limit of a provider stands anywhere else.

use super::Provider;
use Provider::{Anthropic, AzureOpenAi, Bedrock, Gemini, Mistral, Ollama, OpenAi, OpenAiChat};

/// One thing that a provider asks of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderRule {
    /// Its name in reports: `openai.strict.format`.
    pub id: &'static str,
    /// Whose rule it is.
    pub providers: &'static [Provider],
    /// The rule as a sentence.
    pub what: &'static str,
    /// The number in it.
    pub limit: Option<usize>,
    /// How the rule is known.
    pub evidence: RuleEvidence,
    /// The day the source was read, as `2026-11-17`.
    pub read: &'static str,
    /// The title of the source.
    pub source: &'static str,
    /// The address of the source.
    pub url: &'static str,
}

/// How a rule of a provider is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleEvidence {
    /// The provider's documentation has it.
    Documented,
    /// The provider's source code has it.
    SourceCode,
    /// The provider's API answers so; the source quotes the answer.
    ApiAnswer,
    /// Taken over from a related API; the provider's own pages do not say.
    Assumed,
}

impl RuleEvidence {
    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::SourceCode => "source code",
            Self::ApiAnswer => "API answer",
            Self::Assumed => "assumed",
        }
    }
}

impl ProviderRule {
    /// The number in it; without one there is no bound.
    pub(super) fn most(&self) -> usize {
        self.limit.unwrap_or(usize::MAX)
    }
}

const READ: &str = "2026-11-17";
const OPENAI_GUIDE: (&str, &str) =
    ("Structured model outputs", "https://developers.openai.com/api/docs/guides/structured-outputs");
const ANTHROPIC_GUIDE: (&str, &str) =
    ("Structured outputs", "https://platform.claude.com/docs/en/build-with-claude/structured-outputs");
const GEMINI_SCHEMA: (&str, &str) = (
    "GenerationConfig, responseJsonSchema",
    "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/GenerationConfig",
);
const GEMINI_DECLARATION: (&str, &str) = (
    "FunctionDeclaration",
    "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration",
);

macro_rules! rules {
    ($($name:ident: $id:literal, [$($provider:ident),+], $limit:expr, $evidence:ident, $source:expr, $what:literal;)+) => {
        $(pub(super) static $name: ProviderRule = ProviderRule {
            id: $id,
            providers: &[$($provider),+],
            what: $what,
            limit: $limit,
            evidence: RuleEvidence::$evidence,
            read: READ,
            source: $source.0,
            url: $source.1,
        };)+
        /// Every rule, by provider.
        pub static PROVIDER_RULES: &[&ProviderRule] = &[$(&$name),+];
    };
}

rules! {
    NAME: "all.name", [OpenAi, OpenAiChat, AzureOpenAi, Anthropic, Gemini, Bedrock, Mistral, Ollama], Some(mortise_contract::limits::PROVIDER_NAME_CHARS), Documented,
        ("Chat Completions API reference, tools", "https://developers.openai.com/api/reference/resources/chat"),
        "A tool's name has at most 64 letters, digits and `_`. Some providers take more; this is what all of them take.";

    OPENAI_TOOLS: "openai.tools", [OpenAi, OpenAiChat, AzureOpenAi], Some(128), ApiAnswer,
        ("Invalid 'tools': array too long", "https://github.com/zed-industries/zed/issues/42393"),
        "A request has at most 128 tools.";
    OPENAI_ROOT: "openai.root", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], None, Documented, OPENAI_GUIDE,
        "The root of the input schema is an object without `anyOf`, `oneOf`, `allOf`, `enum` and `not`.";
    OPENAI_ITEMS: "openai.items", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], None, ApiAnswer,
        ("array schema missing items", "https://github.com/mark3labs/mcphost/issues/35"),
        "An array has `items`.";
    OPENAI_STRICT_OBJECTS: "openai.strict.objects", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], None, Documented, OPENAI_GUIDE,
        "Strict: objects are closed, and every key is required; an optional one allows null.";
    OPENAI_STRICT_KEYWORDS: "openai.strict.keywords", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], None, Documented, OPENAI_GUIDE,
        "Strict: `allOf`, `not`, `if`, `dependentRequired`, `dependentSchemas` and keywords that are not in the list of supported ones are refused.";
    OPENAI_STRICT_FORMAT: "openai.strict.format", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], None, Documented, OPENAI_GUIDE,
        "Strict: `format` is date-time, time, date, duration, email, hostname, ipv4, ipv6 or uuid; another one, such as uri, is refused.";
    OPENAI_STRICT_TYPE: "openai.strict.type", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], None, ApiAnswer,
        ("schema must have a 'type' key", "https://github.com/can1357/oh-my-pi/issues/211"),
        "Strict: every schema has a `type`, also beside `enum` and `const`; else it is `anyOf` or `$ref`.";
    OPENAI_STRICT_REFERENCES: "openai.strict.references", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], None, ApiAnswer,
        ("$ref cannot have keywords", "https://github.com/camel-ai/camel/issues/3001"),
        "Strict: nothing stands beside `$ref`.";
    OPENAI_STRICT_PROPERTIES: "openai.strict.properties", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], Some(5_000), Documented, OPENAI_GUIDE,
        "Strict: a schema has at most 5,000 properties.";
    OPENAI_STRICT_DEPTH: "openai.strict.depth", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], Some(10), Documented, OPENAI_GUIDE,
        "Strict: objects nest at most 10 levels deep.";
    OPENAI_STRICT_CHARACTERS: "openai.strict.characters", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], Some(120_000), Documented, OPENAI_GUIDE,
        "Strict: names of properties and definitions and values of `enum` and `const` have at most 120,000 characters together.";
    OPENAI_STRICT_ENUM_VALUES: "openai.strict.enum_values", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], Some(1_000), Documented, OPENAI_GUIDE,
        "Strict: a schema has at most 1,000 values of `enum`.";
    OPENAI_STRICT_ENUM_LENGTH: "openai.strict.enum_length", [OpenAi, OpenAiChat, AzureOpenAi, Mistral], Some(15_000), Documented, OPENAI_GUIDE,
        "Strict: an `enum` with more than 250 strings has at most 15,000 characters.";
    AZURE_DESCRIPTION: "azure-openai.description", [AzureOpenAi], Some(1_024), ApiAnswer,
        ("Invalid 'tools[1].function.description': string too long", "https://github.com/langchain-ai/open_deep_research/issues/80"),
        "A tool's description has at most 1,024 characters.";
    MISTRAL_FORM: "mistral.form", [Mistral], None, Assumed,
        ("Function calling", "https://docs.mistral.ai/capabilities/function_calling/"),
        "Tools have the form of OpenAI's Chat Completions API; its rules for schemas are taken over.";

    ANTHROPIC_ROOT: "anthropic.root", [Anthropic, Bedrock], None, ApiAnswer,
        ("input_schema does not support oneOf, allOf, or anyOf at the top level", "https://github.com/anthropics/claude-code/issues/5973"),
        "The root of the input schema has no `anyOf`, `oneOf` and `allOf`; one makes the whole request fail.";
    ANTHROPIC_KEYS: "anthropic.parameter_names", [Anthropic, Bedrock], Some(64), ApiAnswer,
        ("Property keys should match pattern", "https://github.com/anthropics/claude-code/issues/79418"),
        "A parameter's name has at most 64 letters, digits, `_`, `.` and `-`.";
    ANTHROPIC_STRICT_TOOLS: "anthropic.strict.tools", [Anthropic, Bedrock], Some(20), Documented, ANTHROPIC_GUIDE,
        "Strict: a request has at most 20 strict tools.";
    ANTHROPIC_STRICT_OPTIONAL: "anthropic.strict.optional", [Anthropic, Bedrock], Some(24), Documented, ANTHROPIC_GUIDE,
        "Strict: all strict tools of a request have at most 24 optional parameters together, inner ones included.";
    ANTHROPIC_STRICT_UNIONS: "anthropic.strict.unions", [Anthropic, Bedrock], Some(16), Documented, ANTHROPIC_GUIDE,
        "Strict: all strict tools of a request have at most 16 parameters with `anyOf` or several types together.";
    ANTHROPIC_STRICT_KEYWORDS: "anthropic.strict.keywords", [Anthropic, Bedrock], None, Documented, ANTHROPIC_GUIDE,
        "Strict: bounds of numbers, strings and arrays (but `minItems` 0 and 1), conditions and keywords that are not in the list of supported ones are refused.";
    ANTHROPIC_STRICT_FORMAT: "anthropic.strict.format", [Anthropic, Bedrock], None, Documented, ANTHROPIC_GUIDE,
        "Strict: `format` is date-time, time, date, duration, email, hostname, uri, ipv4, ipv6 or uuid.";
    ANTHROPIC_STRICT_RECURSION: "anthropic.strict.recursion", [Anthropic, Bedrock], None, Documented, ANTHROPIC_GUIDE,
        "Strict: no type is part of itself.";
    BEDROCK_STRICT: "bedrock.strict", [Bedrock], None, Assumed,
        ("ToolSpecification", "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html"),
        "`strict` exists; Anthropic's rules for schemas are taken over, since its models stand behind it.";

    GEMINI_TOOLS: "gemini.tools", [Gemini], Some(512), ApiAnswer,
        ("At most 512 function declarations can be specified", "https://github.com/google-gemini/gemini-cli/issues/19083"),
        "A request has at most 512 function declarations.";
    GEMINI_KEYS: "gemini.parameter_names", [Gemini], Some(64), Documented, GEMINI_DECLARATION,
        "A parameter's name begins with a letter or `_` and has at most 64 letters, digits and `_`.";
    GEMINI_DESCRIPTION: "gemini.description", [Gemini], None, Assumed, GEMINI_DECLARATION,
        "A function has a description; pages differ on whether it must.";
    GEMINI_KEYWORDS: "gemini.keywords", [Gemini], None, Documented, GEMINI_SCHEMA,
        "Of JSON Schema these are read: `$id`, `$defs`, `$ref`, `$anchor`, `type`, `format`, `title`, `description`, `enum`, `items`, `prefixItems`, `minItems`, `maxItems`, `minimum`, `maximum`, `anyOf`, `oneOf` (as `anyOf`), `properties`, `additionalProperties`, `required` and `propertyOrdering`.";
    GEMINI_ENUM: "gemini.enum", [Gemini], None, Documented, GEMINI_SCHEMA,
        "Values of `enum` are strings and numbers.";
    GEMINI_REFERENCES: "gemini.references", [Gemini], None, Documented, GEMINI_SCHEMA,
        "Beside `$ref` stand only keywords that begin with `$`.";
    GEMINI_RECURSION: "gemini.recursion", [Gemini], None, Documented, GEMINI_SCHEMA,
        "A type is part of itself only through properties that are not required.";
    GEMINI_RESULT: "gemini.result", [Gemini], None, Documented,
        ("FunctionResponse", "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/Content#FunctionResponse"),
        "A function's response is an object; what is not one is described in the description.";

    OLLAMA_KEYWORDS: "ollama.keywords", [Ollama], None, SourceCode,
        ("api/types.go, ToolProperty (21 August 2026)", "https://github.com/ollama/ollama/blob/main/api/types.go"),
        "Of a property these are passed on: `type`, `description`, `enum`, `items`, `anyOf`, `properties` and `required`; of the root `type`, `properties` and `required`.";
    OLLAMA_PYTHON: "ollama.python_client", [Ollama], None, SourceCode,
        ("ollama/_types.py, Tool.Function.Parameters.Property (22 July 2026)", "https://github.com/ollama/ollama-python/blob/main/ollama/_types.py"),
        "Ollama's Python client also drops `anyOf`, `properties` and `required` of a property; its description says them too.";
}

#[cfg(test)]
mod tests;
