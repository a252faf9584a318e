//! What is to be checked.

use std::sync::Arc;

use mortise_contract::{Contract, ServerName};
use serde::{Deserialize, Serialize};

/// How strictly a program is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Mode {
    /// Not at all.
    Off,
    /// What surely fails refuses; the rest warns.
    #[default]
    Guard,
    /// Everything refuses.
    Strict,
}

impl Mode {
    /// The word for it in configurations and calls.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Guard => "guard",
            Self::Strict => "strict",
        }
    }

    /// The mode of this word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Off, Self::Guard, Self::Strict].into_iter().find(|mode| mode.word() == word)
    }
}

/// A program and what it can call.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// Python source.
    pub source: String,
    /// How strictly.
    pub mode: Mode,
    /// The tools that it names and that are there.
    pub tools: Vec<Tool>,
    /// The tools that it names and that are not there.
    pub unknown: Vec<UnknownTool>,
    /// Modules beside the standard library that it can import.
    pub modules: Vec<String>,
}

impl CheckRequest {
    /// A program that calls nothing.
    pub fn new(source: impl Into<String>, mode: Mode) -> Self {
        Self { source: source.into(), mode, tools: Vec::new(), unknown: Vec::new(), modules: Vec::new() }
    }
}

/// A tool that a program can call.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name in programs.
    pub callable: String,
    /// The server that has it.
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
    /// Nobody compares results with the output schema: they can be anything.
    Unknown,
}

/// A tool that a program names and can't call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownTool {
    /// The name.
    pub name: String,
    /// Whether the configuration keeps it from programs.
    pub is_blocked: bool,
    /// Names that look like it.
    pub similar: Vec<String>,
}
