//! Values that programs keep for later programs of the same caller.
//!
//! One program says `await keep(orders, "orders")`, a later one `await load("orders")`. [`KeptValues`] is the store;
//! `mortise-journal` has it in SQLite, [`MemoryKeptValues`] in this process. `room` decides what fits.

mod bridge;
mod describe;
mod memory;
mod name;
mod output;
pub(crate) mod resources;
mod room;

use std::fmt;
use std::net::IpAddr;

use futures::future::BoxFuture;
use mortise_contract::RawJson;
use mortise_contract::text::nearest;
use mortise_script::{HostError, HostErrorKind};
use mortise_server::{CallContext, Client, ResourceReader};

use crate::approvals::caller_name;

pub use self::memory::MemoryKeptValues;
pub use self::name::{KEPT_URI, KeptName};
pub use self::output::KeptOutput;
pub(crate) use self::output::keep_output;
pub use self::room::KeptBounds;

/// Keeps values. Owned by the executor, implemented by its user.
///
/// A value belongs to one caller and one name. Keeping the same again changes nothing but the time of its last use, so
/// a run that goes on may keep a value twice.
pub trait KeptValues: fmt::Debug + Send + Sync + 'static {
    /// Keeps a value, in place of what the caller kept under this name before.
    fn keep(&self, value: NewKeptValue) -> KeptFuture<KeptEntry>;

    /// The value that a caller kept under a name. It counts as used now.
    fn load(&self, caller: &str, name: &KeptName) -> KeptFuture<RawJson>;

    /// What is kept, the last used first.
    fn list(&self, whose: KeptOwner) -> KeptFuture<Vec<KeptEntry>>;

    /// Removes a value; says whether there was one.
    fn remove(&self, caller: &str, name: &KeptName) -> KeptFuture<bool>;
}

/// What a store gives in its own time.
pub type KeptFuture<T> = BoxFuture<'static, Result<T, KeptError>>;

/// Whose values are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptOwner {
    /// Those of one caller, as [`lasting_caller`] names it.
    Caller(String),
    Everyone,
}

impl KeptOwner {
    pub fn includes(&self, caller: &str) -> bool {
        match self {
            Self::Caller(name) => name == caller,
            Self::Everyone => true,
        }
    }
}

/// Why a value is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum KeptReason {
    /// A program asked for it.
    Asked,
    /// It is the output of a program that was too long to show. The oldest of these make room for new ones.
    CutOutput,
}

/// A value that is to be kept.
#[derive(Clone, PartialEq)]
pub struct NewKeptValue {
    /// As [`lasting_caller`] names it.
    pub caller: String,
    pub name: KeptName,
    pub value: RawJson,
    pub reason: KeptReason,
}

impl fmt::Debug for NewKeptValue {
    /// Leaves the value out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("NewKeptValue").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What is known about a kept value without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptEntry {
    /// As [`lasting_caller`] names it.
    pub caller: String,
    pub name: KeptName,
    pub reason: KeptReason,
    /// Bytes of its JSON.
    pub bytes: u64,
    /// `list of 500 dict (id, total)`
    pub shape: String,
    /// How its JSON begins.
    pub preview: String,
    /// Milliseconds since 1970.
    pub kept_ms: u64,
    /// Milliseconds since 1970.
    pub used_ms: u64,
}

impl KeptEntry {
    /// What there is to know about a value that is kept now.
    pub fn of(new: &NewKeptValue, now_ms: u64) -> Self {
        Self {
            caller: new.caller.clone(),
            name: new.name.clone(),
            reason: new.reason,
            bytes: new.value.text().len() as u64,
            shape: describe::shape(&new.value),
            preview: describe::preview(&new.value),
            kept_ms: now_ms,
            used_ms: now_ms,
        }
    }
}

/// Why a value is not kept or not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeptError {
    /// A text that is not a name.
    #[error(
        "`{text}` can't be the name of a kept value: use 1 to {} letters, digits, `_`, `-` and `.`",
        KeptName::LONGEST
    )]
    Name { text: String },
    /// The caller keeps nothing under this name.
    #[error("nothing is kept as `{name}`{}", meant(nearest.as_ref()))]
    NoValue { name: String, nearest: Option<String> },
    /// There is no room for it.
    #[error(
        "`{name}` is not kept: {reason}; keep less, or let the operator remove values with `mortise kept remove`"
    )]
    Full { name: String, reason: String },
    /// The store can't be used.
    #[error("kept values can't be reached: {reason}")]
    Store { reason: String },
}

fn meant(nearest: Option<&String>) -> String {
    nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}

impl KeptError {
    /// Nothing of this name among those that are kept.
    pub fn no_value<'a>(name: &KeptName, known: impl IntoIterator<Item = &'a str>) -> Self {
        let nearest = nearest(name.as_str(), known).map(str::to_owned);
        Self::NoValue { name: name.to_string(), nearest }
    }
}

impl From<KeptError> for HostError {
    fn from(error: KeptError) -> Self {
        let kind = match error {
            KeptError::Name { .. } => HostErrorKind::Arguments,
            KeptError::NoValue { .. } => HostErrorKind::Unavailable,
            KeptError::Full { .. } => HostErrorKind::Size,
            KeptError::Store { .. } => HostErrorKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}

/// On whose behalf a request is made, by a name that is the same after a restart: what the client calls itself, and the
/// address of another machine; `mortise run` without a request.
pub fn lasting_caller(context: Option<&CallContext>) -> String {
    match context {
        Some(context) => lasting_name(context.client(), context.peer()),
        None => caller_name(None),
    }
}

/// [`lasting_caller`] of a client that asks for a list of resources.
pub(crate) fn lasting_reader(reader: &ResourceReader) -> String {
    lasting_name(&reader.client, reader.peer)
}

fn lasting_name(client: &Client, peer: Option<IpAddr>) -> String {
    let name = client.name().filter(|name| !name.is_empty()).unwrap_or("unnamed client");
    match peer.filter(|peer| !peer.is_loopback()) {
        Some(peer) => format!("{name} at {peer}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
