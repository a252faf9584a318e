//! What every result may carry besides its own fields: warnings, questions, the next steps.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The result of one wizard: its own fields, what is common to all, and a text for people.
#[derive(Clone, Debug)]
pub struct WizardResult<T> {
    /// The tool's own fields.
    pub result: T,
    /// Warnings, questions and the next steps, laid beside the tool's own fields.
    pub common: Common,
    /// The second content block. An empty text is left out.
    pub feedback: String,
}

impl<T> WizardResult<T> {
    /// A result with nothing besides.
    pub fn new(result: T) -> Self {
        Self { result, common: Common::default(), feedback: String::new() }
    }

    /// Adds the text for people.
    #[must_use]
    pub fn feedback(mut self, text: impl Into<String>) -> Self {
        self.feedback = text.into();
        self
    }

    /// Adds warnings, questions and the next steps.
    #[must_use]
    pub fn common(mut self, common: Common) -> Self {
        self.common = common;
        self
    }
}

/// A flat result as it is sent, read back into its types.
#[derive(Clone, Debug)]
pub struct TypedResult<T> {
    /// The tool's own fields.
    pub output: T,
    /// Warnings, questions and the next steps.
    pub common: Common,
}

impl<T: DeserializeOwned> TypedResult<T> {
    /// Splits the tool's own fields from those that all results have.
    ///
    /// # Errors
    ///
    /// The result is that of another tool.
    pub fn read(flat: &Value) -> Result<Self, serde_json::Error> {
        let (mut own, mut common) = (Map::new(), Map::new());
        for (name, value) in flat.as_object().into_iter().flatten() {
            let fields = match name.as_str() {
                "format" | "format_version" => continue,
                "warnings" | "questions" | "workflow" => &mut common,
                _ => &mut own,
            };
            fields.insert(name.clone(), value.clone());
        }
        Ok(Self {
            output: serde_json::from_value(own.into())?,
            common: serde_json::from_value(common.into())?,
        })
    }
}

/// The optional fields of every result. What is empty is left out on the wire.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// What the caller should know though the call succeeded
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<ResultWarning>,
    /// What only a person can decide
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<DecisionQuestion>,
    /// Where this result stands in the whole chain
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Workflow>,
}

impl Common {
    /// Adds a warning.
    pub fn warn(&mut self, code: &str, message: impl Into<String>) {
        self.warnings.push(ResultWarning::new(code, message));
    }

    /// Whether a question must be answered before the result can be used.
    pub fn is_blocked(&self) -> bool {
        self.questions.iter().any(|question| question.blocking)
    }
}

/// Something the caller should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultWarning {
    /// For programs: an error code, or `WARN_` and a word
    pub code: String,
    /// One sentence
    pub message: String,
    /// The argument or field it is about
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The error that was survived
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Map<String, Value>>,
}

impl ResultWarning {
    /// A warning about the whole result.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), field: None, error: None }
    }

    /// The same about one field.
    #[must_use]
    pub fn on(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

/// Something only a person can decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionQuestion {
    /// The same for the same question in every run
    pub id: String,
    /// The question
    pub question: String,
    /// What can be answered
    pub options: Vec<DecisionOption>,
    /// Whether nothing can go on before it is answered
    pub blocking: bool,
    /// The option taken without an answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_option: Option<String>,
    /// What the question is about, e.g. the values in doubt
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// One possible answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionOption {
    /// What to answer with
    pub id: String,
    /// In a few words
    pub label: String,
    /// What it would mean
    pub description: String,
}

impl DecisionOption {
    /// An option.
    pub fn new(id: impl Into<String>, label: impl Into<String>, description: impl Into<String>) -> Self {
        Self { id: id.into(), label: label.into(), description: description.into() }
    }
}

/// Where a result stands in the chain from a folder to a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workflow {
    /// The step that this result belongs to
    pub phase: Phase,
    /// Whether a person must approve before the next step
    pub needs_approval: bool,
    /// What is still to be decided, by question id
    pub pending_decisions: Vec<String>,
    /// What can be called next
    pub next_actions: Vec<NextAction>,
    /// How far the chain is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<ChainProgress>,
    /// Ways to approve several things at once
    pub bulk_approval_options: Vec<String>,
}

impl Workflow {
    /// A step after which nothing needs approval and nothing is suggested.
    pub fn new(phase: Phase) -> Self {
        Self {
            phase,
            needs_approval: false,
            pending_decisions: Vec::new(),
            next_actions: Vec::new(),
            progress: None,
            bulk_approval_options: Vec::new(),
        }
    }

    /// A person must approve before the next step.
    #[must_use]
    pub fn needing_approval(mut self) -> Self {
        self.needs_approval = true;
        self
    }

    /// Adds something that can be called next.
    #[must_use]
    pub fn then(mut self, action: NextAction) -> Self {
        self.next_actions.push(action);
        self
    }

    /// The questions of a result as decisions that are pending.
    #[must_use]
    pub fn pending(mut self, questions: &[DecisionQuestion]) -> Self {
        self.pending_decisions.extend(questions.iter().map(|question| question.id.clone()));
        self
    }
}

/// The steps of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// What files there are and how their paths are built.
    Discovery,
    /// What is in the files.
    SchemaInference,
    /// A person says yes to a schema.
    SchemaApproval,
    /// A parser or a rule is written.
    ParserGeneration,
    /// The parser is run on all files.
    Backtest,
    /// The parser is mended.
    ParserRefinement,
    /// The pipeline runs.
    Execution,
    /// The output is looked at.
    Verification,
}

/// A tool that can be called next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NextAction {
    /// Which tool
    pub tool_name: String,
    /// What for
    pub description: String,
    /// Whether a person must approve first
    pub requires_approval: bool,
    /// Arguments to begin with
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_params: Option<Map<String, Value>>,
}

impl NextAction {
    /// A call that needs no approval.
    pub fn new(tool_name: &str, description: impl Into<String>) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            description: description.into(),
            requires_approval: false,
            suggested_params: None,
        }
    }

    /// A person must approve it first.
    #[must_use]
    pub fn after_approval(mut self) -> Self {
        self.requires_approval = true;
        self
    }

    /// Adds an argument to begin with.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.suggested_params.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }
}

/// How far the chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainProgress {
    /// Steps done
    pub done: u64,
    /// Steps in all
    pub total: u64,
}

/// How sure a proposal is, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Below 0.5.
    Low,
    /// From 0.5.
    Medium,
    /// From 0.8.
    High,
}

impl Confidence {
    /// The name for a number from 0 to 1: from 0.8 high, from 0.5 medium.
    pub fn of(value: f64) -> Self {
        match value {
            value if value >= 0.8 => Self::High,
            value if value >= 0.5 => Self::Medium,
            _ => Self::Low,
        }
    }
}
