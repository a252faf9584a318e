//! The limits of one program and how results are checked.

use std::time::Duration;

use mortise_contract::Mode;

/// The limits of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// How long a program may run.
    pub timeout: Duration,
    /// Bytes kept of what it prints.
    pub max_output_bytes: usize,
    /// Tools it may call.
    pub max_tool_calls: usize,
    /// Calls that run at once; the rest wait.
    pub max_concurrent_calls: usize,
    /// How long one call may take.
    pub tool_call_timeout: Duration,
    /// Bytes of one result that enters a program.
    pub max_tool_result_bytes: usize,
    /// Whether the answer ends with a table of the calls.
    pub trace: Trace,
    /// How strictly a program is checked before it runs.
    pub check: Check,
}

impl Execution {
    /// The longest a program or a call may be allowed.
    pub const MAX_TIMEOUT: Duration = Duration::from_secs(600);
    /// The most output that can be kept.
    pub const MAX_OUTPUT_BYTES: usize = 16 * 1024 * 1024;
    /// The most calls that can be allowed.
    pub const MAX_TOOL_CALLS: usize = 100_000;
    /// The most calls at once.
    pub const MAX_CONCURRENT_CALLS: usize = 64;
    /// The largest result: the size of one frame.
    pub const MAX_TOOL_RESULT_BYTES: usize = 64 * 1024 * 1024;
}

impl Default for Execution {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(120),
            max_output_bytes: 64 * 1024,
            max_tool_calls: 1_000,
            max_concurrent_calls: 16,
            tool_call_timeout: Duration::from_secs(60),
            max_tool_result_bytes: 16 * 1024 * 1024,
            trace: Trace::Off,
            check: Check::Guard,
        }
    }
}

/// Whether calls are listed with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Trace {
    /// Only what the program printed.
    #[default]
    Off,
    /// A table of the calls follows.
    Summary,
}

/// How strictly a program is checked before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Check {
    /// Not at all.
    Off,
    /// What surely fails is refused, the rest are warnings.
    #[default]
    Guard,
    /// Every finding is refused.
    Strict,
}

/// How results are checked against their output schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Validation {
    /// What happens on a mismatch, where neither server nor tool say otherwise; `None` is the caller's default.
    pub mode: Option<Mode>,
    /// A tool without output schema may return no structured content.
    pub forbid_unschematised: bool,
    /// Whether `format` is checked rather than an annotation.
    pub assert_formats: bool,
}
