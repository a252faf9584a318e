//! What one program may use.

use std::time::Duration;

use mortise_contract::limits::{
    CALL_TIME, JSON_DEPTH, MIB, PROGRAM_CALLS, PROGRAM_CALLS_IN_FLIGHT, PROGRAM_EMITTED, PROGRAM_MEMORY,
    PROGRAM_OUTPUT, PROGRAM_RESULT, PROGRAM_SOURCE, PROGRAM_WALL,
};
use serde::{Deserialize, Serialize};

mortise_contract::limits! {
    /// Printed output after which a program is stopped.
    PROGRAM_FLOOD: usize = 16 * MIB, "program", "output before it is stopped", "16 MiB", None, after "output kept";
    /// The arguments of one tool call.
    PROGRAM_ARGUMENTS: usize = 16 * MIB, "program", "arguments of one call", "16 MiB", None, after "one result into a program";
    /// A value that a program keeps for later programs.
    PROGRAM_KEPT: usize = 16 * MIB, "program", "one kept value", "16 MiB", None;
    /// Images and sounds that a program emits, all together, as Base64.
    PROGRAM_MEDIA: usize = 8 * MIB, "program", "emitted images and sounds, together", "8 MiB", None, after "emitted result";
    /// Images and sounds that a program emits.
    PROGRAM_MEDIA_BLOCKS: usize = 20, "program", "emitted images and sounds", "20", None, after "emitted images and sounds, together";
    /// Programs running at once, per core.
    PROGRAMS_PER_CORE: usize = 2, "program", "running at once", "2 per core", Some("execution.max_running"), after "nesting of a JSON value";
}

/// What one program may use. [`Limits::default`] is the documented set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Real time from the first instruction to the last, waiting included.
    pub wall: Duration,
    /// Bytes of memory, the interpreter's own 40 MiB included.
    pub memory: u64,
    /// Bytes of source text.
    pub source: usize,
    /// Bytes of output that are kept. What is written beyond is counted and dropped.
    pub output: usize,
    /// Bytes of output after which the program is stopped.
    pub output_flood: u64,
    /// Tool calls in all.
    pub calls: usize,
    /// Tool calls at the same time; further ones wait.
    pub calls_in_flight: usize,
    /// Time for one tool call, from the moment it is made.
    pub call: Duration,
    /// Bytes of JSON that one tool call may bring into the program.
    pub result: usize,
    /// Bytes of JSON that one tool call may take as arguments.
    pub arguments: usize,
    /// Bytes of JSON of the emitted result.
    pub emitted: usize,
    /// Bytes of all images and sounds that are emitted, as Base64.
    pub media: usize,
    /// Images and sounds that are emitted.
    pub media_blocks: usize,
    /// Levels of arguments and results: nested containers plus one. The emitted result may have three less, since it
    /// goes on inside of a message.
    pub nesting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: PROGRAM_WALL,
            memory: PROGRAM_MEMORY as u64,
            source: PROGRAM_SOURCE,
            output: PROGRAM_OUTPUT,
            output_flood: PROGRAM_FLOOD as u64,
            calls: PROGRAM_CALLS,
            calls_in_flight: PROGRAM_CALLS_IN_FLIGHT,
            call: CALL_TIME,
            result: PROGRAM_RESULT,
            arguments: PROGRAM_ARGUMENTS,
            emitted: PROGRAM_EMITTED,
            media: PROGRAM_MEDIA,
            media_blocks: PROGRAM_MEDIA_BLOCKS,
            nesting: JSON_DEPTH,
        }
    }
}

/// A duration as limits are spelled: `120s`, `0.5s`.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{}s", duration.as_secs_f64())
}

/// A size as people read it: `16 MiB`, `1.5 KiB`, `10 bytes`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    for (unit, one) in UNITS {
        if bytes >= one {
            let whole = bytes / one;
            let tenths = (bytes % one) * 10 / one;
            return if tenths == 0 { format!("{whole} {unit}") } else { format!("{whole}.{tenths} {unit}") };
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests;
