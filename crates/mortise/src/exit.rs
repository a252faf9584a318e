//! Exit codes: one per class of failure, stable, documented in the help.

use std::process::ExitCode;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All went well.
    Ok,
    /// The command line, an argument of a tool or a program is wrong: nothing was called.
    Usage,
    /// A configuration file is wrong or not trusted.
    Configuration,
    /// A server wants a login that we don't have.
    Authentication,
    /// A server can't be reached.
    Unreachable,
    /// The tool answered with an error, or the program failed while it ran.
    ToolFailed,
    /// The result breaks the tool's contract.
    ContractViolated,
    /// A schema can't be used, and the mode is strict.
    SchemaUnusable,
    /// A time limit passed.
    TimedOut,
    /// A contract changed in a way that breaks, or is not as its lock says.
    BreakingChange,
    /// A call needs the agreement of a person, and there was no one to ask.
    NeedsApproval,
    /// A bug of ours.
    Bug,
    /// Ctrl-C, or a request to stop.
    Interrupted,
    /// What the scenario of a mock wants.
    Scripted(u8),
}

impl Exit {
    /// The number that the system sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Usage => 1,
            Self::Configuration => 2,
            Self::Authentication => 3,
            Self::Unreachable => 4,
            Self::ToolFailed => 5,
            Self::ContractViolated => 6,
            Self::SchemaUnusable => 7,
            Self::TimedOut => 8,
            Self::BreakingChange => 9,
            Self::NeedsApproval => 10,
            Self::Bug => 70,
            Self::Interrupted => 130,
            Self::Scripted(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The table at the end of `mortise --help`.
pub(crate) const HELP: &str = "\
Exit codes:
    0  all went well
    1  the command line, a tool argument or a program is wrong; nothing was called
    2  a configuration file is wrong or not trusted
    3  a server wants a login
    4  a server can't be reached
    5  a tool answered with an error, or a program failed while it ran
    6  the result breaks the tool's contract
    7  a schema can't be used (in strict mode, and in mortise check)
    8  a time limit passed
    9  a contract changed in a way that breaks, or is not as the lock file says
   10  a call needs approval, and no one could be asked
   70  a bug in mortise
  130  interrupted";
