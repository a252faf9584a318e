//! What one program may use.

use std::time::Duration;

use mortise_contract::limits;

/// What one program may use. [`Limits::default`] is the documented set.
#[derive(Clone, Debug, PartialEq)]
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
            wall: limits::PROGRAM_WALL,
            memory: limits::PROGRAM_MEMORY as u64,
            source: limits::PROGRAM_SOURCE,
            output: limits::PROGRAM_OUTPUT,
            output_flood: limits::PROGRAM_FLOOD as u64,
            calls: limits::PROGRAM_CALLS,
            calls_in_flight: limits::PROGRAM_CALLS_IN_FLIGHT,
            call: limits::CALL_TIME,
            result: limits::PROGRAM_RESULT,
            arguments: limits::PROGRAM_ARGUMENTS,
            emitted: limits::PROGRAM_EMITTED,
            media: limits::PROGRAM_MEDIA,
            media_blocks: limits::PROGRAM_MEDIA_BLOCKS,
            nesting: limits::JSON_DEPTH,
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
