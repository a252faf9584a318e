//! A tool call and what came of it.

use std::time::Duration;

use crate::{RawJson, ToolName, ToolResult, Verdict};

/// A call to one tool of one server.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The tool's own name.
    pub tool: ToolName,
    /// The arguments, a JSON object, sent verbatim.
    pub arguments: RawJson,
}

/// A call that was answered.
#[derive(Clone, Debug)]
pub struct ToolOutcome {
    /// What the server answered.
    pub result: ToolResult,
    /// Whether it keeps the contract.
    pub verdict: Verdict,
    /// From the first byte sent to the last received.
    pub elapsed: Duration,
}
