//! The four formats of what a tool returns: code, a YAML rule, a rule with code beside it, and plain data.
//!
//! A tool's result has exactly one of them, and says which in `format`:
//!
//! | format | what it holds |
//! |---|---|
//! | [`code`](ToolOutputFormat::Code) | source text that runs |
//! | [`yaml_rule`](ToolOutputFormat::YamlRule) | a declarative rule as YAML |
//! | [`hybrid`](ToolOutputFormat::Hybrid) | a YAML rule, and Python for what YAML can't say |
//! | [`metadata`](ToolOutputFormat::Metadata) | everything else: structured data with a version |
//!
//! An error has none of them: it is an [`ErrorBody`]. Whether the text inside keeps its promise (the code parses,
//! the rule fits its schema) is for [`check`](mod@crate::check) to see; this module knows fields only.

mod error_body;
mod error_code;
mod outputs;
mod read;
mod schema;
mod validation;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use error_body::{ErrorBody, MAX_DETAILS};
pub use error_code::{ErrorCode, Subcode};
pub use outputs::{
    OutputQuestion, ParserOutput, PathCoverage, PathStatus, PathfinderOutput, PreviewResult, QuestionOption,
    Warning,
};
pub use read::mixed_fields;
pub use schema::{error_schema, flat_schema, standalone_schema};
pub use validation::{
    BridgeResults, CaseStatus, Mismatch, ParserExecution, Reconciliation, RuntimeFault, TestCase, TestCases,
    ValidationResults,
};

/// The version of the rule language that our rules are written in.
pub const EXTRACTION_RULES_V1: &str = "extraction_rules.v1";

/// Which of the four formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FormatKind {
    /// Source text.
    Code,
    YamlRule,
    /// A YAML rule with Python as a fallback.
    Hybrid,
    /// Structured data.
    Metadata,
}

impl FormatKind {
    /// All, in the order in which they are documented.
    pub const ALL: [Self; 4] = [Self::Code, Self::YamlRule, Self::Hybrid, Self::Metadata];

    /// The value of `format`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The format that a `format` value names.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// How much there is to understand in something generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Complexity {
    Simple,
    /// With some reading.
    Medium,
    /// Worth a review.
    Complex,
}

impl Complexity {
    /// All, from easy to hard.
    pub const ALL: [Self; 3] = [Self::Simple, Self::Medium, Self::Complex];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The name in a text for a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Simple => "Simple",
            Self::Medium => "Medium",
            Self::Complex => "Complex",
        }
    }

    /// The complexity that a name on the wire means.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|complexity| complexity.as_str() == text)
    }
}

/// What a tool returns, in one of the four formats.
///
/// It has two forms on the wire: alone ([`to_standalone`](Self::to_standalone), short names) and as the format's
/// own fields of a larger result ([`to_flat`](Self::to_flat), names that are clear among others). Both are read by
/// [`parse`](Self::parse).
///
/// ```
/// use mortise_formats::format::{Complexity, ToolOutputFormat};
/// use serde_json::json;
///
/// let rule = ToolOutputFormat::Hybrid {
///     yaml_rule: "version: 1\nrules: []\n".to_owned(),
///     python_code: None,
///     decision_reason: "every field can be said in YAML".to_owned(),
///     complexity: Complexity::Simple,
/// };
/// assert!(rule.to_flat().get("python_code").is_none());
/// // On the way in, null is the same as absent.
/// let mut value = rule.to_standalone();
/// value["python_code"] = json!(null);
/// assert_eq!(ToolOutputFormat::parse(&value)?, rule);
/// # Ok::<(), mortise_formats::format::ErrorBody>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutputFormat {
    /// Source text that runs.
    Code {
        code: String,
        /// Its language in lower case: `python`.
        language: String,
        /// What it does, in a sentence.
        description: String,
    },
    /// A declarative rule.
    YamlRule {
        /// The rule as YAML text.
        yaml: String,
        /// What the text conforms to: `extraction_rules.v1`.
        schema_version: String,
        /// Anything said about the rule.
        metadata: Option<Value>,
    },
    /// A rule first, and code for what the rule can't say.
    Hybrid {
        /// The rule as YAML text; always there and always valid.
        yaml_rule: String,
        /// The code that does all of it, if the rule can't.
        python_code: Option<String>,
        /// Why there is code, or why YAML suffices.
        decision_reason: String,
        /// How much there is to review.
        complexity: Complexity,
    },
    /// Structured data.
    Metadata {
        data: Value,
        /// The version of its shape: `quick_scan.v1`.
        format_version: String,
    },
}

impl ToolOutputFormat {
    pub fn kind(&self) -> FormatKind {
        match self {
            Self::Code { .. } => FormatKind::Code,
            Self::YamlRule { .. } => FormatKind::YamlRule,
            Self::Hybrid { .. } => FormatKind::Hybrid,
            Self::Metadata { .. } => FormatKind::Metadata,
        }
    }

    /// The value alone, with the short names; what is absent is left out.
    pub fn to_standalone(&self) -> Value {
        let names =
            FieldNames { language: "language", description: "description", yaml: "yaml", data: "data" };
        Value::Object(self.fields(&names))
    }

    /// The format's fields of a flat tool result.
    ///
    /// Data that is an object gives its members, each a slot of its own; other data goes to `metadata`.
    pub fn to_flat(&self) -> Map<String, Value> {
        let names = FieldNames {
            language: "code_language",
            description: "code_description",
            yaml: "yaml_rule",
            data: "metadata",
        };
        let mut fields = self.fields(&names);
        if let Self::Metadata { data: Value::Object(slots), .. } = self {
            fields.remove(names.data);
            for (slot, value) in slots {
                fields.entry(slot.clone()).or_insert_with(|| value.clone());
            }
        }
        fields
    }

    /// Reads either form.
    ///
    /// Null equals absent, a missing required field is an error, and so is a mix of two formats. Without `format`
    /// the fields decide. Data of a flat result is all of it except `format` and `format_version`.
    pub fn parse(value: &Value) -> Result<Self, ErrorBody> {
        read::parse(value)
    }

    fn fields(&self, names: &FieldNames) -> Map<String, Value> {
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        put("format", json!(self.kind()));
        match self {
            Self::Code { code, language, description } => {
                put("code", json!(code));
                put(names.language, json!(language));
                put(names.description, json!(description));
            }
            Self::YamlRule { yaml, schema_version, metadata } => {
                put(names.yaml, json!(yaml));
                put("schema_version", json!(schema_version));
                if let Some(metadata) = metadata {
                    put("metadata", metadata.clone());
                }
            }
            Self::Hybrid { yaml_rule, python_code, decision_reason, complexity } => {
                put("yaml_rule", json!(yaml_rule));
                if let Some(python_code) = python_code {
                    put("python_code", json!(python_code));
                }
                put("decision_reason", json!(decision_reason));
                put("complexity", json!(complexity));
            }
            Self::Metadata { data, format_version } => {
                put("format_version", json!(format_version));
                put(names.data, data.clone());
            }
        }
        fields
    }
}

/// The names that differ between the two forms.
struct FieldNames {
    language: &'static str,
    description: &'static str,
    yaml: &'static str,
    data: &'static str,
}

#[cfg(test)]
mod tests;
