//! Learns what results look like, where servers do not declare it.
//!
//! After a call of `mcp__shop__list_orders`, which declares no output schema, the [`Observer`] merges the shape of the value
//! into what it knows about that declaration. `inspect_tool` and the check before the next run show it, always as
//! *observed*. Values are never kept: a shape holds types, names of fields and counts.
//!
//! Memory answers at once. A thread writes to the [`ShapeStore`] from time to time and looks at large values.

mod files;
mod writer;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mortise_client::private_file::PrivateFileError;
use mortise_contract::observed::ObservedShape;
use mortise_contract::{Contract, ObserveMode, RawJson, ToolResult};
use parking_lot::Mutex;
use serde_json::Value;

use crate::limits::OBSERVED_WEIGHTS;
use crate::mapping::{Mapped, ScriptValue, script_value};
pub use files::ShapeFiles;
use writer::{ShapeWriter, WriterMessage};

/// Results as text up to this many bytes are looked at in the call itself, longer ones by the thread of the writer.
const AT_ONCE: usize = 16 * 1024;

/// Where shapes outlive the process. The observer calls it from its own thread, and when a shape is first asked for.
pub trait ShapeStore: Send + Sync + fmt::Debug {
    /// What was observed of the tool with this [`Contract::digest`]. It may block for as long as a small file takes to read.
    fn load(&self, digest: &str) -> Result<Option<ObservedShape>, ShapeStoreError>;

    /// Adds what was seen, and returns it with all that is stored by then. Other processes may merge at the same time, and
    /// nothing that they add may be lost.
    fn merge(&self, digest: &str, seen: &ObservedShape) -> Result<ObservedShape, ShapeStoreError>;
}

/// Why shapes can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ShapeStoreError {
    /// The file can't be used.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// The shape has no JSON form, which is a bug.
    #[error("cannot write the shape as JSON")]
    Json(#[from] serde_json::Error),
}

/// Knows the shapes of results. Cheap to clone.
#[derive(Clone)]
pub struct Observer(Arc<ObserverParts>);

struct ObserverParts {
    shapes: Arc<KnownShapes>,
    writer: ShapeWriter,
}

/// What is known in this process.
#[derive(Debug)]
pub(crate) struct KnownShapes {
    is_on: AtomicBool,
    store: Option<Arc<dyn ShapeStore>>,
    by_digest: Mutex<HashMap<String, KnownShape>>,
    /// Whether it was said that the store can't be used.
    has_warned: AtomicBool,
}

/// What is known of one tool.
#[derive(Clone, Debug, Default)]
struct KnownShape {
    whole: Arc<ObservedShape>,
    /// What the store does not have yet.
    unsaved: Option<ObservedShape>,
    is_loaded: bool,
}

impl Default for Observer {
    /// An observer that is switched off.
    fn default() -> Self {
        Self::new(ObserveMode::Off, None)
    }
}

impl Observer {
    /// An observer that keeps shapes in `store`, or as long as the process lives.
    pub fn new(mode: ObserveMode, store: Option<Arc<dyn ShapeStore>>) -> Self {
        let shapes = Arc::new(KnownShapes {
            is_on: AtomicBool::new(mode == ObserveMode::On),
            store,
            by_digest: Mutex::default(),
            has_warned: AtomicBool::new(false),
        });
        Self(Arc::new(ObserverParts { writer: ShapeWriter::new(shapes.clone()), shapes }))
    }

    /// Switches it on or off. What was learned before stays in the store.
    pub fn set_mode(&self, mode: ObserveMode) {
        self.0.shapes.is_on.store(mode == ObserveMode::On, Ordering::Relaxed);
    }

    /// Takes in the value that a program got.
    pub(crate) fn take_in(&self, contract: &Contract, value: &ScriptValue) {
        let shapes = &self.0.shapes;
        if !shapes.is_on.load(Ordering::Relaxed) {
            return;
        }
        let now = crate::wall_clock::seconds_since_1970();
        let seen = if is_declared(contract) {
            ObservedShape::counted(now)
        } else if value.is_content {
            ObservedShape::unknown(now)
        } else if value.json.text().len() <= AT_ONCE {
            ObservedShape::of(&value.json, now)
        } else {
            let digest = contract.digest().to_owned();
            return self.0.writer.send(WriterMessage::Look { digest, json: value.json.clone(), now });
        };
        if shapes.add(contract.digest(), &seen) {
            self.0.writer.send(WriterMessage::Changed);
        }
    }

    /// Takes in a result that goes to a client as it is. An error is not a result.
    pub fn take_in_result(&self, contract: &Contract, result: &ToolResult) {
        if self.0.shapes.is_on.load(Ordering::Relaxed)
            && let Mapped::Value(value) = script_value(contract, result)
        {
            self.take_in(contract, &value);
        }
    }

    /// What was observed of a tool whose server does not declare what it returns; nothing while the observer is off.
    pub fn observed(&self, contract: &Contract) -> Option<Arc<ObservedShape>> {
        let shapes = &self.0.shapes;
        if !shapes.is_on.load(Ordering::Relaxed) || is_declared(contract) {
            return None;
        }
        Some(shapes.known(contract.digest())).filter(|shape| shape.has_type())
    }

    /// Writes what is not in the store yet. Blocks until that is done, at most for `limit`.
    pub fn flush(&self, limit: Duration) {
        self.0.writer.flush(limit);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.shapes.fmt(formatter)
    }
}

/// Whether a server says what the tool returns. An empty schema says nothing.
fn is_declared(contract: &Contract) -> bool {
    match contract.output_schema() {
        None | Some(Value::Null) => false,
        Some(Value::Object(members)) => !members.is_empty(),
        Some(_) => true,
    }
}

impl KnownShapes {
    /// Adds what was seen. Returns whether the writer has to know.
    fn add(&self, digest: &str, seen: &ObservedShape) -> bool {
        let mut by_digest = self.by_digest.lock();
        if !by_digest.contains_key(digest) {
            make_room(&mut by_digest);
            by_digest.insert(digest.to_owned(), KnownShape::default());
        }
        let Some(known) = by_digest.get_mut(digest) else { return false };
        Arc::make_mut(&mut known.whole).merge(seen);
        if self.store.is_none() {
            return false;
        }
        let is_first = known.unsaved.is_none();
        known.unsaved.get_or_insert_default().merge(seen);
        is_first
    }

    /// What is known of a tool, from the store too.
    fn known(&self, digest: &str) -> Arc<ObservedShape> {
        let known = self.by_digest.lock().get(digest).cloned().unwrap_or_default();
        let Some(store) = self.store.as_ref().filter(|_| !known.is_loaded) else { return known.whole };
        let stored = store.load(digest).unwrap_or_else(|error| {
            self.warn(&error);
            None
        });
        let mut by_digest = self.by_digest.lock();
        make_room(&mut by_digest);
        let known = by_digest.entry(digest.to_owned()).or_default();
        // Another caller may have been quicker.
        if !known.is_loaded {
            known.is_loaded = true;
            let whole = stored.unwrap_or_default();
            known.whole = Arc::new(with_unsaved(whole, known));
        }
        known.whole.clone()
    }

    /// Merges into the store what it does not have yet.
    fn save(&self) {
        let Some(store) = &self.store else { return };
        let unsaved: Vec<(String, ObservedShape)> = {
            let mut by_digest = self.by_digest.lock();
            let taken =
                by_digest.iter_mut().filter_map(|(digest, known)| Some((digest, known.unsaved.take()?)));
            taken.map(|(digest, unsaved)| (digest.clone(), unsaved)).collect()
        };
        for (digest, seen) in unsaved {
            let merged = store.merge(&digest, &seen);
            let mut by_digest = self.by_digest.lock();
            let known = by_digest.entry(digest).or_default();
            match merged {
                Ok(whole) => {
                    known.is_loaded = true;
                    known.whole = Arc::new(with_unsaved(whole, known));
                }
                Err(error) => {
                    // It is tried again with the next result.
                    known.unsaved.get_or_insert_default().merge(&seen);
                    self.warn(&error);
                }
            }
        }
    }

    fn look(&self, digest: &str, json: &RawJson, now: u64) {
        self.add(digest, &ObservedShape::of(json, now));
    }

    fn warn(&self, error: &ShapeStoreError) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            let error = error as &dyn std::error::Error;
            tracing::warn!(event = "mortise.observed.unsaved", error, "observed shapes are not kept");
        }
    }
}

/// A stored shape with what is not stored yet.
fn with_unsaved(mut whole: ObservedShape, known: &KnownShape) -> ObservedShape {
    known.unsaved.iter().for_each(|unsaved| whole.merge(unsaved));
    whole
}

/// Forgets shapes that the store has, where all shapes together have become too large.
fn make_room(by_digest: &mut HashMap<String, KnownShape>) {
    let weight: usize = by_digest.values().map(|known| known.whole.weight()).sum();
    if weight > OBSERVED_WEIGHTS {
        by_digest.retain(|_, known| known.unsaved.is_some());
    }
}

#[cfg(test)]
mod tests;
