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

    /// A file of `--file` that is kept with a run, so that the run can be repeated.
    KEPT_FILE: usize = 16 * MIB, "journal", "one file kept with a run", "16 MiB", None;

    /// How long the first list of `mortise serve` waits for servers that start and whose tools are not known yet.
    FIRST_LIST: Duration = Duration::from_secs(5), "upstream", "first list of tools, waiting for servers that start", "5 s", None, after "start";
}
