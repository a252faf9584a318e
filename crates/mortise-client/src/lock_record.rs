//! How declarations of a connected server stand in a lock file.
//!
//! A lock file is for everybody to read, so tokens and passwords are left out. It must be readable
//! again whatever a server declares, so what nests too deep stands there as its hash.

use std::borrow::Cow;

use mortise_contract::Contract;
use mortise_contract::schema::SchemaHash;
use mortise_contract::schema::keyword::{Holds, KEYWORDS, Keyword};
use serde_json::{Map, Value};

use crate::secret::{Form, Secrets};

/// Where a tool carries the hash of what its parsed form can't hold.
const EXACT: &str = "mortise/exact";
/// Levels of one member that are written. JSON parsers stop at 128 levels, and the file adds some around a member.
const LEVELS: usize = 100;

/// Members of declarations. They and the keywords of schemas stay, also where a secret is the same word.
const WORDS: [&str; 12] = [
    "annotations",
    "arguments",
    "destructiveHint",
    "execution",
    "idempotentHint",
    "inputSchema",
    "listChanged",
    "mimeType",
    "openWorldHint",
    "outputSchema",
    "readOnlyHint",
    "uriTemplate",
];

/// Writes declarations of one server as its lock entry holds them.
#[derive(Debug)]
pub struct LockRecorder<'a> {
    secrets: &'a Secrets,
    form: Form,
    has_hidden: bool,
}

impl<'a> LockRecorder<'a> {
    /// A recorder that leaves these secrets out.
    pub fn new(secrets: &'a Secrets) -> Self {
        let is_number = |row: &&Keyword| matches!(row.holds, Holds::Number | Holds::Divisor | Holds::Count);
        let words = WORDS.into_iter().chain(KEYWORDS.iter().map(|row| row.name));
        let form = Form {
            words: words.map(str::to_owned).collect(),
            numbers: KEYWORDS.iter().filter(is_number).map(|row| row.name.to_owned()).collect(),
        };
        Self { secrets, form, has_hidden: false }
    }

    /// Whether a secret was left out so far.
    pub fn has_hidden(&self) -> bool {
        self.has_hidden
    }

    /// A tool: every field that the server gave it, and a hash of what the fields can't hold.
    pub fn tool<'c>(&mut self, contract: &'c Contract) -> Cow<'c, Map<String, Value>> {
        let fields = &contract.fields;
        let is_plain = contract.is_exact()
            && !fields.contains_key(EXACT)
            && !fields.values().any(is_deep)
            && !self.secrets.has_certain();
        if is_plain {
            return Cow::Borrowed(fields);
        }
        let mut fields = fields.clone();
        // The server's own field of this name must not pass for ours.
        fields.shift_remove(EXACT);
        if !contract.is_exact() {
            fields.insert(EXACT.to_owned(), Value::from(contract.hash()));
        }
        Cow::Owned(self.object(fields))
    }

    /// Resources, templates or prompts.
    pub fn objects(&mut self, objects: Vec<Map<String, Value>>) -> Vec<Map<String, Value>> {
        objects.into_iter().map(|object| self.object(object)).collect()
    }

    /// The object as the lock file records it, without secrets.
    pub fn object(&mut self, mut object: Map<String, Value>) -> Map<String, Value> {
        for value in object.values_mut().filter(|value| is_deep(value)) {
            *value = Value::from(format!("{EXACT} sha256:{}", SchemaHash::of(value)));
        }
        if !self.secrets.has_certain() {
            return object;
        }
        match self.hidden(&Value::Object(object.clone())) {
            Some(Value::Object(hidden)) => hidden,
            _ => object,
        }
    }

    /// The string as the lock file records it, without secrets.
    pub fn text(&mut self, text: &str) -> String {
        match self.hidden(&Value::from(text)) {
            Some(Value::String(hidden)) => hidden,
            _ => text.to_owned(),
        }
    }

    fn hidden(&mut self, value: &Value) -> Option<Value> {
        let hidden = self.secrets.hide_certain(&value.to_string(), &self.form)?;
        self.has_hidden = true;
        serde_json::from_str(&hidden).ok()
    }
}

fn is_deep(value: &Value) -> bool {
    fn passes(value: &Value, left: usize) -> bool {
        let Some(left) = left.checked_sub(1) else { return true };
        match value {
            Value::Array(elements) => elements.iter().any(|element| passes(element, left)),
            Value::Object(members) => members.values().any(|member| passes(member, left)),
            _ => false,
        }
    }
    passes(value, LEVELS)
}

#[cfg(test)]
mod tests;
