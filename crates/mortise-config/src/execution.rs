//! The limits of one program, how results are checked, and what a lock file decides.

use std::time::Duration;

use mortise_client::limits::FRAME_BYTES;
use mortise_contract::{CheckMode, Mode, limits};

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
    /// Bytes of what it emits as its result.
    pub max_emitted_bytes: usize,
    pub max_source_bytes: usize,
    /// Bytes of memory it may use.
    pub max_memory_bytes: usize,
    /// Bytes of memory that all programs may use together.
    pub max_total_memory_bytes: usize,
    /// Programs running at once; `None` stands for two per core.
    pub max_running: Option<usize>,
    /// Programs waiting; the next is refused.
    pub max_waiting: usize,
    /// Whether the answer ends with a table of the calls.
    pub trace: Trace,
    /// How strictly a program is checked before it runs.
    pub check: CheckMode,
}

impl Execution {
    /// The longest a program or a call may be allowed.
    pub const MAX_TIMEOUT: Duration = limits::PROGRAM_WALL_MAX;
    /// The most output that can be kept.
    pub const MAX_OUTPUT_BYTES: usize = 16 * 1024 * 1024;
    /// The most calls that can be allowed.
    pub const MAX_TOOL_CALLS: usize = 100_000;
    /// The most calls at once.
    pub const MAX_CONCURRENT_CALLS: usize = 64;
    /// The largest result: the size of one frame.
    pub const MAX_TOOL_RESULT_BYTES: usize = FRAME_BYTES;
    /// The largest emitted result.
    pub const MAX_EMITTED_BYTES: usize = FRAME_BYTES;
    /// The longest source.
    pub const MAX_SOURCE_BYTES: usize = 16 * 1024 * 1024;
    /// The most memory of one program: all that WebAssembly can address.
    pub const MAX_MEMORY_BYTES: usize = 4 * 1024 * 1024 * 1024;
    /// The most memory of all programs together.
    pub const MAX_TOTAL_MEMORY_BYTES: usize = 1024 * 1024 * 1024 * 1024;
    /// The most programs at once.
    pub const MAX_RUNNING: usize = 1_024;
    /// The most programs waiting.
    pub const MAX_WAITING: usize = 100_000;
}

impl Default for Execution {
    fn default() -> Self {
        Self {
            timeout: limits::PROGRAM_WALL,
            max_output_bytes: limits::PROGRAM_OUTPUT,
            max_tool_calls: limits::PROGRAM_CALLS,
            max_concurrent_calls: limits::PROGRAM_CALLS_IN_FLIGHT,
            tool_call_timeout: limits::CALL_TIME,
            max_tool_result_bytes: limits::PROGRAM_RESULT,
            max_emitted_bytes: limits::PROGRAM_EMITTED,
            max_source_bytes: limits::PROGRAM_SOURCE,
            max_memory_bytes: limits::PROGRAM_MEMORY,
            max_total_memory_bytes: limits::PROGRAMS_MEMORY,
            max_running: None,
            max_waiting: limits::PROGRAMS_WAITING,
            trace: Trace::Off,
            check: CheckMode::default(),
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

/// How results are checked against their output schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ValidationSettings {
    /// What happens on a mismatch, where neither server nor tool say otherwise; `None` is the caller's default.
    pub mode: Option<Mode>,
    /// A tool without output schema may return no structured content.
    pub forbid_unschematised: bool,
    /// Whether `format` is checked rather than an annotation.
    pub assert_formats: bool,
}
