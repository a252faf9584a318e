//! Where a type stands, for names and for losses.

use mortise_contract::json::escape_token;

use crate::model::Model;
use crate::naming::pascal;

/// The place of a type.
pub(super) struct PythonPlace<'a> {
    /// What an unnamed object here is called.
    pub(super) name: String,
    /// The way to it in its schema, as if references were what they refer to.
    pub(super) pointer: String,
    pub(super) model: &'a Model,
    /// The names of the model's definitions.
    pub(super) named: &'a [String],
    pub(super) shown: bool,
}

impl PythonPlace<'_> {
    /// This place under another name.
    pub(super) fn called(&self, name: String) -> Self {
        PythonPlace { name, pointer: self.pointer.clone(), ..*self }
    }

    /// The place of a property.
    pub(super) fn field(&self, key: &str) -> Self {
        self.inside(key, &["properties", key])
    }

    /// A place inside this one: the end of its name, and the keywords that lead there.
    pub(super) fn inside(&self, part: &str, tokens: &[&str]) -> Self {
        let tokens = tokens.iter().map(|token| format!("/{}", escape_token(token)));
        let pointer = tokens.fold(self.pointer.clone(), |pointer, token| pointer + &token);
        PythonPlace { name: format!("{}{}", self.name, pascal(part)), pointer, ..*self }
    }
}
