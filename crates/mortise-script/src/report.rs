//! What came of a program.

use std::fmt;
use std::time::Duration;

use mortise_contract::RawJson;

use crate::host::HostErrorKind;

/// What came of a program. Whatever happened, what it printed and emitted before is here.
#[derive(Clone)]
pub struct RunReport {
    /// What it printed to stdout and stderr, in order, as much as is kept.
    pub output: String,
    /// Whether more was printed than is kept.
    pub truncated: bool,
    /// The value of the last `emit`.
    pub emitted: Option<RawJson>,
    /// The images and sounds of `emit_image` and `emit_audio`, as MCP content blocks.
    pub media: Vec<RawJson>,
    /// Why it failed; `None` means it ran to its end.
    pub error: Option<ProgramError>,
    /// Every tool call that was made, in order, then the first hundred that were refused for lack of budget.
    pub calls: Vec<ProgramCall>,
    /// What it used.
    pub stats: RunStats,
}

impl fmt::Debug for RunReport {
    /// Leaves out what the program printed and emitted.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failure = self.error.as_ref().map(|error| (error.kind, &error.exception, error.line));
        formatter
            .debug_struct("RunReport")
            .field("failure", &failure)
            .field("calls", &self.calls.len())
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

impl RunReport {
    /// Whether the program ran to its end.
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }
}

/// Why a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    /// The class of failure.
    pub kind: FailureKind,
    /// The exception's class as Python spells it, such as `ZeroDivisionError`.
    pub exception: String,
    /// The exception's text.
    pub message: String,
    /// The text to show: a traceback with the program's own lines, or `Type: message`.
    pub traceback: String,
    /// The program's line that failed, from 1.
    pub line: Option<u32>,
}

/// The class of a program's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// An exception that the program did not catch.
    Exception,
    /// The source is not Python.
    Syntax,
    /// It was checked and refused.
    Check,
    /// A call needs the agreement of a person, and no one has answered.
    Approval,
    /// `sys.exit` with a status other than 0.
    Exit,
    /// The wall time was up.
    Time,
    /// The memory was used up.
    Memory,
    /// It printed more than a program may.
    Output,
    /// The source is too long.
    Source,
    /// The interpreter itself stopped, for instance for lack of stack.
    Crash,
    /// The caller cancelled it.
    Cancelled,
    /// A repeated run is not the recorded one.
    Diverged,
}

/// One tool call that a program made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCall {
    /// Number of this call in its program, from 1; 0 for one that was refused.
    pub id: u64,
    /// The name under which it was called.
    pub name: String,
    /// Bytes of arguments.
    pub sent: usize,
    /// Bytes of the value, or 0.
    pub received: usize,
    /// How long it waited for a place among the calls in flight.
    pub waited: Duration,
    /// How long it took from then on.
    pub elapsed: Duration,
    pub outcome: CallOutcome,
}

impl ProgramCall {
    /// A call of which nothing is known yet but its size.
    pub(crate) fn unanswered(id: u64, name: String, sent: usize) -> Self {
        let (waited, elapsed) = (Duration::ZERO, Duration::ZERO);
        Self { id, name, sent, received: 0, waited, elapsed, outcome: CallOutcome::Abandoned }
    }
}

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// The program got a value.
    Ok,
    /// It failed, with the sentence that the program got.
    Failed {
        /// The class of failure.
        kind: HostErrorKind,
        /// What the program got as its text.
        message: String,
    },
    /// The program ended or stopped waiting before the answer came.
    Abandoned,
    /// The program ended before the call had a place in flight: nothing was sent.
    NotMade,
}

/// What a program used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Real time from start to end.
    pub wall: Duration,
    /// Time waiting for a place before the start.
    pub queued: Duration,
    /// Time computing.
    pub computed: Duration,
    /// The most memory at any moment, the interpreter's own 40 MiB included.
    pub memory: u64,
    /// Bytes printed, kept or not.
    pub output: u64,
    /// How often a value was emitted; the last one is kept.
    pub emits: u64,
    /// Tool calls refused because the budget was used up.
    pub refused_calls: u64,
    /// What it computed, in units of fuel: the same for the same course.
    pub fuel: u64,
}
