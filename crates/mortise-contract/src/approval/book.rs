//! Grants, and the book that holds the calls of one run to them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ArgumentFit, ArgumentSchema};
use crate::limits::APPROVAL_GRANTS;
use crate::schema::SchemaError;
use crate::{Glob, RawJson};

/// What a person has agreed to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalGrant {
    /// The tool's name in programs, or a glob over such names.
    pub tool: String,
    /// A JSON Schema that the arguments must conform to; `None` takes any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Calls that are covered; `None` covers any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// Where it holds.
    pub scope: GrantScope,
}

/// Where a grant holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// In the run that was asked about.
    Run,
    /// In all runs of one caller, until a time.
    Caller {
        /// The name that the caller gives itself.
        caller: String,
        /// Seconds since 1970.
        until: u64,
    },
}

/// The number of a grant in its book, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GrantId(pub u32);

/// What a book says to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A grant covers the call, which now counts.
    Admitted(GrantId),
    /// A person has refused calls of this tool.
    Denied {
        /// Who.
        by: String,
    },
    /// A person must be asked.
    Ask(AskReason),
}

/// Why no grant covers a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskReason {
    /// No grant is for this tool.
    NoGrant,
    /// All calls that were granted have been made.
    UsedUp {
        /// How many those are.
        granted: u64,
    },
    /// The arguments are not those that were granted.
    Arguments {
        /// JSON pointer of the first value that the schema refuses; empty if it is the whole.
        pointer: String,
    },
    /// The call left before the run stopped, and it is not known what came of it.
    UnknownOutcome {
        /// Its number in the program.
        call: u64,
    },
}

/// Why a grant can't be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// The schema of the arguments can't be used.
    #[error("the schema of the arguments can't be used")]
    Schema(#[from] SchemaError),
    /// The book is full.
    #[error("{limit} grants are held already, the limit")]
    Full {
        /// Grants that a book holds.
        limit: usize,
    },
}

/// The grants and refusals of one run, and how many calls each grant has covered.
///
/// Thread-safe: of calls that are made at the same time, no more than the granted number are admitted.
#[derive(Debug, Default)]
pub struct GrantBook(RwLock<BookEntries>);

#[derive(Debug, Default)]
struct BookEntries {
    grants: Vec<HeldGrant>,
    refusals: Vec<ToolRefusal>,
}

#[derive(Debug)]
struct HeldGrant {
    tools: Glob,
    arguments: Option<ArgumentSchema>,
    at_most: Option<u64>,
    /// Seconds since 1970 at which it ends.
    until: Option<u64>,
    /// Shared with the books of other runs where the grant outlives the run.
    used: Arc<AtomicU64>,
}

#[derive(Debug)]
struct ToolRefusal {
    tools: Glob,
    by: String,
}

impl GrantBook {
    /// Adds a grant of which `used` calls are spent already.
    pub fn add(&self, grant: &ApprovalGrant, used: u64) -> Result<GrantId, GrantError> {
        self.add_shared(grant, Arc::new(AtomicU64::new(used)))
    }

    /// Adds a grant whose calls are counted together with those of other books.
    pub fn add_shared(&self, grant: &ApprovalGrant, used: Arc<AtomicU64>) -> Result<GrantId, GrantError> {
        let arguments = grant.arguments.clone().map(ArgumentSchema::compile).transpose()?;
        let until = match grant.scope {
            GrantScope::Run => None,
            GrantScope::Caller { until, .. } => Some(until),
        };
        let (tools, at_most) = (Glob::new(&grant.tool), grant.at_most);
        let mut entries = self.0.write();
        let full = GrantError::Full { limit: APPROVAL_GRANTS };
        if entries.grants.len() >= APPROVAL_GRANTS {
            return Err(full);
        }
        entries.grants.push(HeldGrant { tools, arguments, at_most, until, used });
        u32::try_from(entries.grants.len()).map(GrantId).map_err(|_| full)
    }

    /// Refuses the calls of a tool, or of the tools of a glob, from now on.
    pub fn refuse(&self, tool: &str, by: &str) {
        let mut entries = self.0.write();
        let is_known = entries.refusals.iter().any(|refusal| refusal.tools.as_str() == tool);
        // Beyond the bound nothing is admitted that was not granted: the caller asks again.
        if !is_known && entries.refusals.len() < APPROVAL_GRANTS {
            entries.refusals.push(ToolRefusal { tools: Glob::new(tool), by: by.to_owned() });
        }
    }

    /// Holds a call to the grants and counts it if one covers it. `now` is in seconds since 1970.
    pub fn admit(&self, tool: &str, arguments: &RawJson, now: u64) -> Admission {
        let entries = self.0.read();
        if let Some(refusal) = entries.refusals.iter().find(|refusal| refusal.tools.matches(tool)) {
            return Admission::Denied { by: refusal.by.clone() };
        }
        let mut spent: Option<u64> = None;
        let mut outside: Option<String> = None;
        for (grant, id) in entries.grants.iter().zip(1..) {
            if !grant.tools.matches(tool) || grant.until.is_some_and(|until| now >= until) {
                continue;
            }
            if let Some(pointer) = grant.refused_argument(arguments) {
                outside.get_or_insert(pointer);
            } else if grant.take() {
                return Admission::Admitted(GrantId(id));
            } else {
                spent = Some(spent.unwrap_or(0).saturating_add(grant.at_most.unwrap_or(0)));
            }
        }
        Admission::Ask(match (spent, outside) {
            (Some(granted), _) => AskReason::UsedUp { granted },
            (None, Some(pointer)) => AskReason::Arguments { pointer },
            (None, None) => AskReason::NoGrant,
        })
    }

    /// Whether one grant is for all of this many calls of a tool; `None` is any number. Their arguments may still be
    /// others than those that were granted.
    pub fn covers(&self, tool: &str, calls: Option<u64>, now: u64) -> bool {
        self.0.read().grants.iter().any(|grant| {
            let left = grant.at_most.map(|most| most.saturating_sub(grant.used.load(Ordering::Relaxed)));
            let is_enough = left.is_none_or(|left| calls.is_some_and(|calls| calls <= left));
            grant.tools.matches(tool) && grant.until.is_none_or(|until| now < until) && is_enough
        })
    }

    /// Calls that a grant has covered so far.
    pub fn used(&self, id: GrantId) -> Option<u64> {
        let at = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.0.read().grants.get(at).map(|grant| grant.used.load(Ordering::Relaxed))
    }
}

impl HeldGrant {
    /// Where the arguments leave the granted schema.
    fn refused_argument(&self, arguments: &RawJson) -> Option<String> {
        match self.arguments.as_ref()?.fit(arguments) {
            ArgumentFit::Inside => None,
            ArgumentFit::Outside { pointer } => Some(pointer),
            ArgumentFit::Unknown { .. } => Some(String::new()),
        }
    }

    /// Counts one more call, unless all are used up.
    fn take(&self) -> bool {
        let next = |used: u64| match self.at_most {
            Some(most) if used >= most => None,
            _ => Some(used.saturating_add(1)),
        };
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

impl AskReason {
    /// Why, as the end of a sentence that begins with the tool's name.
    pub fn sentence(&self) -> String {
        match self {
            Self::NoGrant => "is not in what was allowed".to_owned(),
            Self::UsedUp { granted: 1 } => "was allowed once, and that call has been made".to_owned(),
            Self::UsedUp { granted } => {
                format!("was allowed {granted} times, and those calls have been made")
            }
            Self::Arguments { pointer } if pointer.is_empty() => {
                "has arguments that were not allowed".to_owned()
            }
            Self::UnknownOutcome { .. } => {
                "was called before the run stopped, and may have done its work: allow makes the call again"
                    .to_owned()
            }
            Self::Arguments { pointer } => format!("has an argument at `{pointer}` that was not allowed"),
        }
    }
}
