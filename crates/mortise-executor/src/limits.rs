//! The limits of checks before a run, and of the first list.

pub use mortise_typecheck::limits::LIMITS as CHECKER_LIMITS;
use std::time::Duration;

use mortise_contract::limits::MIB;

mortise_contract::limits! {
    /// The check of one program. Then its process is killed, and the program counts as not checked.
    CHECK_TIME: Duration = Duration::from_secs(2), "program", "check before the run", "2 s", None;
    /// The time in which a check must begin; then the program counts as not checked.
    CHECK_TURN: Duration = Duration::from_secs(2), "program", "waiting for the check to begin", "2 s", None;
    /// Programs waiting to be checked; the session with the most of them gives up its newest.
    CHECKS_WAITING: usize = 256, "program", "waiting to be checked", "256", None;
    /// Checker's processes: one that stays, others while checks take long.
    CHECKERS: usize = 3, "program", "type checker processes", "3", None;
    /// Address space of a checker's process; a check that needs more ends it.
    CHECKER_MEMORY: usize = 512 * MIB, "program", "address space of a type checker process", "512 MiB", None;
    /// Resident memory after a check at which a checker's process is replaced.
    CHECKER_RESIDENT: usize = 192 * MIB, "program", "memory at which a type checker process is replaced", "192 MiB", None;

    /// Questions for approval that a process keeps where runs are not recorded.
    QUESTIONS_KEPT: usize = 1_000, "program", "questions for approval kept in memory", "1,000", None;

    /// Programs that run while their caller has an answer already.
    BACKGROUND_RUNS: usize = 256, "program", "running in the background", "256", None;
    /// Programs of the background that have ended and whose answer is kept.
    BACKGROUND_ENDED: usize = 256, "program", "answers of programs in the background kept", "256", None;
    /// How long `wait_program` waits.
    PROGRAM_WAIT: Duration = Duration::from_secs(30), "program", "wait_program, unless asked otherwise", "30 s", None;

    /// A file of `--file` that is kept with a run, so that the run can be repeated.
    KEPT_FILE: usize = 16 * MIB, "journal", "one file kept with a run", "16 MiB", None;
    /// Files of observed shapes; the oldest are dropped.
    OBSERVED_FILES: usize = 1_000, "observed", "shapes kept", "1,000", None;
    /// All files of observed shapes together.
    OBSERVED_BYTES: usize = 32 * MIB, "observed", "shapes kept, bytes", "32 MiB", None;
    /// Nodes of all observed shapes in memory; beyond, those that are stored are forgotten.
    OBSERVED_WEIGHTS: usize = 1_000_000, "observed", "nodes of all shapes in memory", "1,000,000", None;
    /// Writing observed shapes at the end of a process.
    OBSERVED_WRITE: Duration = Duration::from_secs(3), "observed", "writing shapes at the end", "3 s", None;
    /// The check by what is declared; one that takes longer leaves out what was observed.
    OBSERVED_CHECK: Duration = Duration::from_secs(1), "observed", "check before observed shapes are left out", "1 s", None;
    /// Results after which the check before a run warns about fields that were never seen.
    OBSERVED_ENOUGH: usize = 3, "observed", "results before the check warns", "3", None;

    /// Values that programs of one caller keep.
    KEPT_VALUES: usize = 1_000, "program", "kept values of one caller", "1,000", None;
    /// Their bytes. A value that does not fit is refused.
    KEPT_BYTES: usize = 256 * MIB, "program", "kept values of one caller, together", "256 MiB", None;
    /// Outputs of one caller that were too long to show, and are kept. The oldest make room for new ones.
    KEPT_OUTPUTS: usize = 20, "program", "kept outputs of one caller", "20", None;
    /// One of them. What is printed beyond is gone.
    KEPT_OUTPUT: usize = 8 * MIB, "program", "one kept output", "8 MiB", None;
    /// The bytes of all of one caller.
    KEPT_OUTPUTS_BYTES: usize = 64 * MIB, "program", "kept outputs of one caller, together", "64 MiB", None;
    /// Bytes of all kept values and outputs.
    KEPT_TOTAL: usize = 1024 * MIB, "program", "kept values of all callers", "1 GiB", None;
    /// Bytes of all kept values and outputs where runs are not recorded.
    KEPT_IN_MEMORY: usize = 64 * MIB, "program", "kept values of all callers, in memory", "64 MiB", None;
    /// A kept value, or the output of a run, that a client reads as a resource. A program can load larger ones.
    KEPT_READ: usize = 4 * MIB, "program", "kept value read as a resource", "4 MiB", None;
    /// Age since its last use at which a kept value is removed.
    KEPT_DAYS: u64 = 7, "program", "age of a kept value since its last use, in days", "7", None;

    /// How long the first list of `mortise serve` waits for servers that start and whose tools are not known yet.
    FIRST_LIST: Duration = Duration::from_secs(5), "upstream", "first list of tools, waiting for servers that start", "5 s", None, after "start";
}
