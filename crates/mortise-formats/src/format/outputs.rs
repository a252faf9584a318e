//! What a client of the two main wizards reads from the first content block.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Complexity, ErrorBody, ErrorCode, ValidationResults, mixed_fields};

/// The result of `generate_extractor`: a YAML rule, and Python where YAML can't say it.
///
/// Use `yaml_rule` first. `python_code` is for people to look at; run it only when they enable it.
///
/// ```
/// use mortise_formats::format::PathfinderOutput;
///
/// let text = r#"{"format": "hybrid", "draft_id": "0a1b2c3d", "yaml_rule": "version: 1", "python_code": null,
///     "decision_reason": "every field can be said in YAML", "complexity": "simple", "preview_results": []}"#;
/// let output: PathfinderOutput = serde_json::from_str(text)?;
/// assert_eq!(output.python_code, None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PathfinderOutput {
    /// Names the draft for `commit_draft`.
    pub draft_id: String,
    /// The rule; always there.
    pub yaml_rule: String,
    /// What the rule conforms to.
    #[serde(default)]
    pub schema_version: Option<String>,
    /// The code that says what the rule can't.
    #[serde(default)]
    pub python_code: Option<String>,
    /// Why there is code, or why YAML suffices.
    pub decision_reason: String,
    /// How much there is to review.
    pub complexity: Complexity,
    /// What the rule makes of the first paths.
    #[serde(default)]
    pub preview_results: Vec<PreviewResult>,
    /// How many of the paths the rule matches.
    #[serde(default)]
    pub coverage: Option<PathCoverage>,
    /// What a reader should know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// What only a person can decide.
    #[serde(default)]
    pub questions: Vec<OutputQuestion>,
}

/// The result of `generate_parser`: a Python parser, checked and run.
///
/// ```
/// use mortise_formats::format::ParserOutput;
///
/// let text = r#"{"format": "code", "draft_id": "0a1b2c3d", "code": "TOPIC = \"orders\"", "code_language": "python",
///     "code_description": "Reads orders.", "estimated_complexity": "simple",
///     "validation_results": {"is_valid": true, "execution": "skipped", "skip_reason": "no file", "bridge": {"valid": true}}}"#;
/// let output: ParserOutput = serde_json::from_str(text)?;
/// assert!(output.validation_results.bridge.valid);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ParserOutput {
    /// Names the draft for `commit_draft`.
    pub draft_id: String,
    /// The parser's source.
    pub code: String,
    /// Its language, `python`.
    pub code_language: String,
    /// What it reads, in a sentence.
    pub code_description: String,
    /// What checking and running it found.
    pub validation_results: ValidationResults,
    /// How much there is to review.
    pub estimated_complexity: Complexity,
    #[serde(default)]
    pub parser_name: Option<String>,
    /// The value of its `TOPIC`.
    #[serde(default)]
    pub topic: Option<String>,
    /// What a reader should know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// What only a person can decide.
    #[serde(default)]
    pub questions: Vec<OutputQuestion>,
}

/// What a rule makes of one path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreviewResult {
    /// The path as given.
    pub path: String,
    /// How much of it was read.
    pub status: PathStatus,
    /// The fields that the rule gives.
    #[serde(default)]
    pub fields: Map<String, Value>,
    /// The fields that the code gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python_fields: Option<Map<String, Value>>,
}

/// How much of a path a rule reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum PathStatus {
    /// Every field has a value; a rule that only tags counts.
    Complete,
    /// Some fields failed and have no default.
    Partial,
    /// No declared field has a value.
    Failed,
    /// No rule matches the path.
    Unmatched,
}

/// How many paths a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathCoverage {
    /// Matched paths.
    pub matched: usize,
    /// All paths.
    pub total: usize,
}

/// Something that a reader of a result should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A stable word to match on.
    pub code: String,
    /// What it is about.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// Something that only a person can decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputQuestion {
    /// Names it in an answer.
    pub id: String,
    pub question: String,
    /// The answers to choose from.
    #[serde(default)]
    pub options: Vec<QuestionOption>,
    /// Whether nothing goes on without an answer.
    #[serde(default)]
    pub blocking: bool,
    /// The id of the answer that holds without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_option: Option<String>,
    /// What helps to decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
}

/// One answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionOption {
    pub id: String,
    /// A few words.
    pub label: String,
    #[serde(default)]
    pub description: String,
}

impl PathfinderOutput {
    /// Reads the first content block; fields of another format beside these are an error.
    pub fn parse(text: &str) -> Result<Self, ErrorBody> {
        read(text, "generate_extractor")
    }
}

impl ParserOutput {
    /// Reads the first content block; fields of another format beside these are an error.
    pub fn parse(text: &str) -> Result<Self, ErrorBody> {
        read(text, "generate_parser")
    }
}

fn read<T: DeserializeOwned>(text: &str, tool: &str) -> Result<T, ErrorBody> {
    let refuse = |error: serde_json::Error| {
        ErrorBody::new(
            ErrorCode::FormatMismatch,
            format!("the text is not a result of `{tool}`: {error}"),
            "pass the text of the first content block of a result that is no error",
        )
    };
    let mut members: Map<String, Value> = serde_json::from_str(text).map_err(refuse)?;
    if let Some(mixed) = mixed_fields(&members) {
        return Err(mixed);
    }
    // Null equals absent, and lists have no other way to be absent.
    members.retain(|_, value| !value.is_null());
    serde_json::from_value(Value::Object(members)).map_err(refuse)
}
