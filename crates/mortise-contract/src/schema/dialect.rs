//! JSON Schema dialects and how a schema names one.

use std::fmt;

use jsonschema::Draft;
use serde_json::Value;

use super::SchemaError;

/// A JSON Schema dialect that we validate by its own rules. Older ones are less than newer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Dialect {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// 2019-09.
    Draft201909,
    /// 2020-12, the default when `$schema` is absent.
    #[default]
    Draft202012,
}

impl Dialect {
    /// The five dialects, oldest first.
    pub const ALL: [Self; 5] =
        [Self::Draft4, Self::Draft6, Self::Draft7, Self::Draft201909, Self::Draft202012];

    /// The dialect that `$schema` names; `default` when there is none.
    ///
    /// `http` and `https` and a trailing `#` make no difference.
    pub fn of(schema: &Value, default: Self) -> Result<Self, SchemaError> {
        match schema.get("$schema") {
            None => Ok(default),
            Some(Value::String(uri)) => {
                Self::from_uri(uri).ok_or_else(|| SchemaError::UnsupportedDialect { uri: uri.clone() })
            }
            Some(other) => Err(SchemaError::UnsupportedDialect { uri: other.to_string() }),
        }
    }

    /// The dialect with this meta-schema address.
    pub fn from_uri(uri: &str) -> Option<Self> {
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        let path = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.uri().split_once("://").map(|(_, known)| known) == Some(path))
    }

    /// The address of its meta-schema, without a trailing `#`.
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft4 => "http://json-schema.org/draft-04/schema",
            Self::Draft6 => "http://json-schema.org/draft-06/schema",
            Self::Draft7 => "http://json-schema.org/draft-07/schema",
            Self::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// Its short name, as verdicts show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft4 => "draft-04",
            Self::Draft6 => "draft-06",
            Self::Draft7 => "draft-07",
            Self::Draft201909 => "2019-09",
            Self::Draft202012 => "2020-12",
        }
    }

    /// Whether a reference makes its siblings void and anchors are fragments of ids: drafts 4 to 7.
    pub fn is_legacy(self) -> bool {
        matches!(self, Self::Draft4 | Self::Draft6 | Self::Draft7)
    }

    /// Whether a subschema gives itself an address, so that references inside it count from there.
    pub fn starts_resource(self, schema: &Value) -> bool {
        let address = schema.get(self.id_keyword()).and_then(Value::as_str);
        address.is_some_and(|address| !address.is_empty() && !address.starts_with('#'))
            && !self.has_only_reference(schema)
    }

    /// Whether a reference makes its siblings void, as up to draft 7.
    pub fn has_only_reference(self, schema: &Value) -> bool {
        self.is_legacy() && schema.get("$ref").is_some_and(Value::is_string)
    }

    /// The keyword that gives a schema its address.
    pub fn id_keyword(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }

    pub(super) fn draft(self) -> Draft {
        match self {
            Self::Draft4 => Draft::Draft4,
            Self::Draft6 => Draft::Draft6,
            Self::Draft7 => Draft::Draft7,
            Self::Draft201909 => Draft::Draft201909,
            Self::Draft202012 => Draft::Draft202012,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
