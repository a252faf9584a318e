//! Resources, resource templates and prompts as a server lists them.

use serde_json::{Map, Value};

use super::{Page, parse_page};
use crate::RawJson;
use crate::contract::{ContractIssue, read_fields};
use crate::json::{JsonError, JsonKind};

/// Which list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListKind {
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    ResourceTemplates,
    /// `prompts/list`.
    Prompts,
}

/// One resource, resource template or prompt, with nothing dropped.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What names it: `uri`, `uriTemplate`, or the `name` of a prompt. Not empty.
    pub key: String,
    /// The whole element as the server wrote it.
    pub raw: RawJson,
    /// The members of `raw`, parsed, in the server's order.
    pub fields: Map<String, Value>,
    /// What is wrong with it; it stays listed.
    pub issues: Vec<ContractIssue>,
}

/// Why an element is left out of a list.
#[derive(Debug, thiserror::Error)]
enum ListedError {
    #[error("the element is {found}, not an object")]
    NotAnObject { found: JsonKind },
    #[error(transparent)]
    Unreadable(JsonError),
    #[error("`{key}` is empty")]
    EmptyKey { key: &'static str },
    #[error("`{key}` is {found}, not a string")]
    KeyNotText { key: &'static str, found: JsonKind },
    #[error("`{key}` is missing")]
    NoKey { key: &'static str },
}

impl ListKind {
    /// The member of the result that holds the elements.
    pub fn member(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    /// The field that names an element.
    pub fn key(self) -> &'static str {
        match self {
            Self::Resources => "uri",
            Self::ResourceTemplates => "uriTemplate",
            Self::Prompts => "name",
        }
    }
}

impl Listed {
    /// A field that is a string, for example `title` or `mimeType`.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    fn parse(raw: RawJson, kind: ListKind) -> Result<Self, ListedError> {
        let key = kind.key();
        let (fields, issues) = read_fields(&raw, EXPECTED).map_err(|error| match error {
            JsonError::WrongKind { found, .. } => ListedError::NotAnObject { found },
            other => ListedError::Unreadable(other),
        })?;
        match fields.get(key) {
            Some(Value::String(name)) if !name.is_empty() => {
                Ok(Self { key: name.clone(), raw, fields, issues })
            }
            Some(Value::String(_)) => Err(ListedError::EmptyKey { key }),
            Some(other) => Err(ListedError::KeyNotText { key, found: JsonKind::of(other) }),
            None => Err(ListedError::NoKey { key }),
        }
    }
}

/// The fields whose kind the protocol fixes.
const EXPECTED: &[(&str, JsonKind)] = &[
    ("name", JsonKind::String),
    ("title", JsonKind::String),
    ("description", JsonKind::String),
    ("mimeType", JsonKind::String),
    ("size", JsonKind::Number),
    ("annotations", JsonKind::Object),
    ("arguments", JsonKind::Array),
    ("icons", JsonKind::Array),
    ("_meta", JsonKind::Object),
];

/// Reads the result of a list request other than `tools/list`; only a text that is not a JSON object is refused.
pub fn parse_list(raw: &RawJson, kind: ListKind) -> Result<Page<Listed>, JsonError> {
    parse_page(raw, kind.member(), |element| Listed::parse(element, kind))
}
