//! What differs from run to run, replaced.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// Stands for every time but those at which something ends.
const TIME: &str = "2026-01-01T12:00:00Z";
/// Stands for those.
const END: &str = "2026-01-02T12:00:00Z";
/// Stands for the folder.
const FOLDER: &str = "/data";
/// Digits of a random id.
const ID_LENGTH: usize = 32;

/// Replaces ids, times, durations and the folder. An id is replaced by the same text in all results, so that a reader
/// sees which call uses what another returned.
pub(super) struct Redaction {
    root: PathBuf,
    ids: Vec<String>,
}

impl Redaction {
    /// Nothing seen yet; `root` is the folder that differs.
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), ids: Vec::new() }
    }

    /// The value as the page shows it.
    pub(super) fn value(&mut self, value: &Value) -> Value {
        self.learn(value);
        self.replaced(value)
    }

    /// The text as the page shows it. It knows the ids of values that came before.
    pub(super) fn text(&self, text: &str) -> String {
        let text = text.replace(&*self.root.to_string_lossy(), FOLDER);
        self.ids.iter().enumerate().fold(text, |text, (index, id)| text.replace(id, &stand_in(index)))
    }

    fn learn(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    match value.as_str() {
                        Some(text) if name == "id" || name.ends_with("_id") => self.learn_id(text),
                        _ => self.learn(value),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            _ => (),
        }
    }

    fn learn_id(&mut self, text: &str) {
        let id = text.rsplit('_').next().unwrap_or_default();
        let is_random = id.len() == ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_random && !self.ids.iter().any(|known| known == id) {
            self.ids.push(id.to_owned());
        }
    }

    fn replaced(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let replaced = members.iter().map(|(name, value)| (name.clone(), self.member(name, value)));
                Value::Object(replaced.collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(|item| self.replaced(item)).collect(),
            Value::String(text) => Value::String(self.text(text)),
            other => other.clone(),
        }
    }

    fn member(&self, name: &str, value: &Value) -> Value {
        match value {
            Value::Number(_) if name.ends_with("_ms") => Value::from(1),
            Value::String(_) if name == "expires_at" => Value::from(END),
            Value::String(_) if name.ends_with("_at") || name == "modified" => Value::from(TIME),
            other => self.replaced(other),
        }
    }
}

/// `0…01` for the first id.
fn stand_in(index: usize) -> String {
    format!("{:0ID_LENGTH$x}", index + 1)
}
