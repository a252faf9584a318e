//! A JSON object put together from the texts of its members, so that every digit survives.

use mortise_contract::RawJson;
use serde_json::Value;

use crate::result_text::one_line;

/// Members in order, each a name and a JSON text on one line. Invariant: no name occurs twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectText(Vec<(String, String)>);

impl ObjectText {
    /// The members of an object as their sender wrote them; of a repeated name the last value, which parsers keep.
    ///
    /// `None` for anything but an object.
    pub(crate) fn of(raw: &RawJson) -> Option<Self> {
        let mut object = Self::default();
        for (name, value) in raw.members().ok()? {
            object.set(&name, one_line(value.text()));
        }
        Some(object)
    }

    /// Sets a member, in its place if it is there.
    pub(crate) fn set(&mut self, name: &str, text: String) {
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = text,
            None => self.0.push((name.to_owned(), text)),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        Some(self.0.remove(at).1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn append(&mut self, other: Self) {
        for (name, text) in other.0 {
            self.set(&name, text);
        }
    }

    pub(crate) fn into_text(self) -> String {
        let members: Vec<String> =
            self.0.into_iter().map(|(name, text)| format!("{}:{text}", Value::String(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}
