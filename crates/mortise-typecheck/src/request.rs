//! What is to be checked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::{CheckMode, Contract, ServerName};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A program and what it can call.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// Python source.
    pub source: String,
    /// How strictly it is checked.
    pub mode: CheckMode,
    /// The tools that it names and that are there.
    pub tools: Vec<CheckedTool>,
    /// The tools that it names and that are not there.
    pub unknown: Vec<UnknownTool>,
    /// Modules beside the standard library that it can import.
    pub modules: Vec<String>,
    /// What results of tools that declare nothing were observed to be, by callable name. The check only warns about it.
    pub observed: BTreeMap<String, ObservedOutput>,
    /// The time that the check by what is declared may take so that what was observed is looked at too, if there is a limit.
    pub observed_within: Option<Duration>,
}

impl CheckRequest {
    /// A program that calls nothing.
    pub fn new(source: impl Into<String>, mode: CheckMode) -> Self {
        let (tools, unknown, modules) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            source: source.into(),
            mode,
            tools,
            unknown,
            modules,
            observed: BTreeMap::new(),
            observed_within: None,
        }
    }
}

/// A tool that a program can call.
#[derive(Clone, Debug)]
pub struct CheckedTool {
    /// Its name in programs.
    pub callable: String,
    /// The server that offers it.
    pub server: ServerName,
    /// What the server says about it.
    pub contract: Arc<Contract>,
    /// Whether its output schema counts.
    pub outputs: Outputs,
}

/// Whether what a tool says about its results counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outputs {
    /// Results are as the output schema says.
    Declared,
    /// Results are not compared with the output schema: they can be anything.
    Unknown,
}

/// What the results of a tool were observed to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservedOutput {
    /// The schema of the values that programs got.
    pub schema: Value,
    /// How many results there were.
    pub results: u64,
}

/// A tool that a program names and can't call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownTool {
    /// The name that the program uses.
    pub name: String,
    /// Whether the configuration keeps it from programs.
    pub is_blocked: bool,
    /// Names that look like it.
    pub similar: Vec<String>,
}
