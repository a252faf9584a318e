//! What is kept of a run, entry by entry. The JSON of these types is a format on disk: see [`ENTRY_FORMAT`].

use mortise_contract::{CheckMode, RawJson};
use mortise_script::{CallValue, GuestStart, HostError, HostEvent, Limits, Wanted};
use serde::{Deserialize, Serialize};

/// The version of the entries' JSON. A journal of another version is not read.
pub const ENTRY_FORMAT: u32 = 1;

/// How a run begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunBegun {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    pub origin: RunOrigin,
    /// What the client calls itself, for rules about callers.
    pub client: String,
    /// On whose behalf it runs; empty for the user of this machine.
    pub caller: String,
    /// What the program is called: a file, or `<program>`.
    pub name: String,
    /// The Python source.
    pub source: String,
    /// What follows the program's name in `sys.argv`.
    pub arguments: Vec<String>,
    /// Files that it may read.
    pub files: Vec<KeptFile>,
    pub limits: Limits,
    /// How strictly it was checked.
    pub check: CheckMode,
    /// The tools that the program names, as they were declared.
    pub contracts: Vec<ContractUse>,
}

/// What asked for a run.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunOrigin {
    /// `mortise run`.
    #[default]
    Shell,
    /// `execute_program` of `mortise serve`.
    Client,
}

/// A file that a program may read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptFile {
    /// The path inside the program.
    pub path: String,
    /// Its bytes as Base64; `None` for a file that is too large to keep.
    pub content: Option<String>,
}

/// A tool that a program names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractUse {
    /// The callable name.
    pub tool: String,
    pub server: String,
    /// SHA-256 of the declaration as the server sent it.
    pub digest: String,
}

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEntry {
    /// The guest has its program.
    Started(GuestStart),
    /// A call is about to leave.
    Call(CallEntry),
    /// A call has its answer.
    Answer(AnswerEntry),
    /// The host did something that the guest can notice.
    Event(HostEvent),
    /// What was printed since the last such entry.
    Printed(String),
    /// A question was put to a person, as JSON.
    Asked(RawJson),
    /// A person, or a rule, decided, as JSON.
    Decided(RawJson),
    /// The run goes on in another process.
    Resumed {
        /// Milliseconds since 1970.
        at_ms: u64,
    },
    /// Its process stopped running it before its end. It can be resumed.
    Stopped {
        /// Milliseconds since 1970.
        at_ms: u64,
    },
    /// The run waits for a person, and no process runs it.
    Waiting {
        /// Milliseconds since 1970.
        at_ms: u64,
    },
    Ended(RunEnd),
}

/// A call that is about to leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallEntry {
    /// Number of the call in its program, from 1.
    pub id: u64,
    /// The callable name.
    pub tool: String,
    /// The arguments, a JSON object, without secrets.
    pub arguments: RawJson,
    /// Whether a secret was hidden in the arguments.
    pub is_hidden: bool,
    pub wanted: Wanted,
    /// Whether it may be made again if its outcome is not known.
    pub repeatable: Repeatability,
    /// Milliseconds since the run began, in this process.
    pub at_ms: u64,
}

/// Whether a call may be made again if its outcome is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeatability {
    /// The tool says that it only reads.
    ReadOnly,
    /// The tool says that a second call changes nothing more.
    Idempotent,
    /// A second call may do the same thing twice.
    Unsafe,
}

/// The answer of a call, as the program gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerEntry {
    pub id: u64,
    /// The callable name. A call that was refused before it left has no entry of its own.
    pub tool: String,
    /// Whether a secret was hidden in the answer.
    pub is_hidden: bool,
    pub answer: Result<CallValue, HostError>,
    /// `taken`, `unknown` or `none`.
    pub effect: crate::ledger::CallEffect,
    /// `valid`, `invalid`, `missing` …
    pub verdict: Option<String>,
    /// What the verdict remarks, and the first violations.
    pub notes: Vec<String>,
    pub elapsed_ms: u64,
    /// Bytes of the result.
    pub bytes: usize,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEnd {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    pub state: RunState,
    /// Everything it printed, as much as is kept.
    pub output: String,
    pub truncated: bool,
    /// What it emitted; `null` is a value like others.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub emitted: Option<RawJson>,
    /// Images and sounds, as MCP content blocks.
    pub media: Vec<RawJson>,
    /// The traceback or error.
    pub error: Option<String>,
    /// Whether a secret was hidden in what it printed or emitted.
    pub is_hidden: bool,
    /// Whether its host ended it: its time or memory was up, or its caller cancelled it.
    pub is_ended_by_host: bool,
    /// What it computed, in units of fuel.
    pub fuel: u64,
    pub wall_ms: u64,
    pub calls: usize,
    pub failed_calls: usize,
}

/// How far a run is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunState {
    /// A process runs it.
    Running,
    /// The process that ran it is gone. It can be resumed.
    Interrupted,
    /// It waits for a person. It can be resumed once there is an answer.
    Waiting,
    /// It ran to its end.
    Succeeded,
    /// It failed, or its time was up.
    Failed,
    /// The check refused it.
    Refused,
    /// Its caller cancelled it.
    Cancelled,
}

impl RunState {
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether nothing more can happen to it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Refused | Self::Cancelled)
    }
}

/// A member that is there has a value, also if that is `null`.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}
