//! What checking and running a generated parser found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ErrorBody;

/// The `validation_results` of a generated parser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct ValidationResults {
    /// Whether nothing was found; code that did not run can be valid.
    pub is_valid: bool,
    /// Whether it ran, and how that went.
    pub execution: ParserExecution,
    /// Why it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
    /// What keeps it from being Python.
    #[serde(default)]
    pub syntax_errors: Vec<ErrorBody>,
    /// Imports that are not allowed.
    #[serde(default)]
    pub import_errors: Vec<ErrorBody>,
    #[serde(default)]
    pub runtime_errors: Vec<RuntimeFault>,
    /// What is odd but not wrong.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Whether it keeps the bridge protocol.
    pub bridge: BridgeResults,
    /// The cases it was tried on.
    #[serde(default)]
    pub test_cases: TestCases,
    /// Rows that it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_count: Option<u64>,
    /// The first rows that it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    pub test_output: Option<Value>,
    /// How that compares with an independent reading of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconciliation: Option<Reconciliation>,
}

/// Whether code ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ParserExecution {
    /// It ran to its end.
    Passed,
    /// It raised or was stopped.
    Failed,
    /// It did not run; never a pass.
    Skipped,
}

/// An exception of the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct RuntimeFault {
    /// The exception's class.
    #[serde(rename = "type")]
    pub class: String,
    /// Its text.
    pub message: String,
    /// The line of the code, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// The bridge protocol as found in the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct BridgeResults {
    /// Whether it is kept.
    pub valid: bool,
    /// The value of `TOPIC`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The value of `SINK`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sink: Option<String>,
    /// How it is broken.
    #[serde(default)]
    pub errors: Vec<ErrorBody>,
}

/// What a parser was tried on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct TestCases {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases that did not run.
    #[serde(default)]
    pub skipped: usize,
    #[serde(default)]
    pub items: Vec<TestCase>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct TestCase {
    /// Its name: `row_count`.
    pub name: String,
    pub status: CaseStatus,
    /// Why, unless it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How a case went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum CaseStatus {
    /// As expected.
    Passed,
    /// Not as expected.
    Failed,
    /// Not tried.
    Skipped,
}

/// Two readings of one file, compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Reconciliation {
    /// Whether they agree.
    pub status: CaseStatus,
    /// Rows of the independent reading.
    pub rows_expected: u64,
    /// Rows of the parser.
    pub rows_actual: u64,
    /// What was compared in each column.
    #[serde(default)]
    #[schemars(with = "Vec<Map<String, Value>>")]
    pub columns: Vec<Value>,
    /// The first cells that differ.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub mismatches: Vec<Mismatch>,
}

/// A cell that two readings see differently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Mismatch {
    /// The row, from 1.
    pub row: u64,
    /// The column's name.
    pub column: String,
    /// What the independent reading says.
    pub expected: Value,
    /// What the parser says.
    pub actual: Value,
}
