//! A value with the place in its file where it was written.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_saphyr::{Location, Spanned};

/// A line and a column, both counted from 1; 0 where the parser could not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
}

impl Position {
    /// The start of a file.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl From<Location> for Position {
    fn from(location: Location) -> Self {
        Self { line: location.line(), column: location.column() }
    }
}

/// A position in a file, shown as `path:line:column`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigPlace {
    /// The file as the user would name it.
    pub path: PathBuf,
    /// Where in it.
    pub position: Position,
}

impl fmt::Display for ConfigPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position;
        write!(formatter, "{}", self.path.display())?;
        if line > 0 { write!(formatter, ":{line}:{column}") } else { Ok(()) }
    }
}

/// A value and where it was written. It reads, and appears in the schema, as the value alone.
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) position: Position,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self { value: spanned.value, position: spanned.referenced.into() })
    }
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
