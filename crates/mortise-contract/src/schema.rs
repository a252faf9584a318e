//! JSON Schemas compiled under bounds, and the cache of compiled ones.

use std::sync::Arc;

use serde_json::Value;

use crate::verdict::Violation;

/// A JSON Schema dialect that we validate by its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    Draft202012,
}

/// The bounds a schema and an instance must keep. Defaults are those of [`crate::limits`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Bytes of the schema's compact text.
    pub schema_bytes: usize,
    /// Nesting of the schema.
    pub schema_depth: usize,
    /// Subschemas in the schema.
    pub subschemas: usize,
    /// Length of a chain of references.
    pub ref_depth: usize,
    /// Paths through the schema with references expanded.
    pub expanded_paths: u64,
    /// Expanded paths times instance nodes.
    pub total_work: u64,
    /// Values in one `enum`.
    pub enum_values: usize,
    /// Bytes of one `pattern`.
    pub pattern_bytes: usize,
    /// Nesting of the instance.
    pub instance_depth: usize,
    /// Violations kept.
    pub violations: usize,
}

/// How a schema is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct SchemaOptions {
    /// Whether `format` is checked; by default it is an annotation.
    pub assert_formats: bool,
    /// The bounds.
    pub bounds: Bounds,
}

impl Default for Bounds {
    fn default() -> Self {
        todo!()
    }
}

/// Why a schema can't be used. A property of that one tool, never of its server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// The schema is not an object (`true`, `null`, an array …).
    #[error("the schema is {found}, not an object")]
    NotAnObject {
        /// What it is.
        found: String,
    },
    /// `$schema` names a dialect that we don't know.
    #[error("unsupported dialect `{uri}`")]
    UnsupportedDialect {
        /// The value of `$schema`.
        uri: String,
    },
    /// A reference leads outside the document.
    #[error("external reference `{reference}` at {pointer} is not fetched")]
    ExternalReference {
        /// The reference.
        reference: String,
        /// Where.
        pointer: String,
    },
    /// The schema is not valid in its dialect, or a reference leads nowhere.
    #[error("invalid schema at {pointer}: {message}")]
    Invalid {
        /// Where.
        pointer: String,
        /// Why.
        message: String,
    },
    /// The schema passes a bound.
    #[error("the schema passes the limit on {limit}: {found} of at most {allowed}")]
    Limit {
        /// Which, e.g. `expanded paths`.
        limit: &'static str,
        /// What was found (a lower bound where counting stopped).
        found: u64,
        /// What is allowed.
        allowed: u64,
    },
}

/// A schema ready to validate with. Cheap to share.
#[derive(Debug)]
pub struct CompiledSchema {}

/// What validating one instance found.
#[derive(Clone, Debug, PartialEq)]
pub enum Validation {
    /// The instance conforms.
    Valid,
    /// It does not; the first violations up to the bound, and how many there are in all.
    Invalid {
        /// The violations kept.
        violations: Vec<Violation>,
        /// All of them.
        total: usize,
    },
    /// It can't be told within the bounds.
    Unchecked {
        /// Why, for a person.
        reason: String,
    },
}

impl CompiledSchema {
    /// Checks every bound, then compiles.
    pub fn compile(_schema: &Value, _options: &SchemaOptions) -> Result<Self, SchemaError> {
        todo!()
    }

    /// The dialect it was compiled under.
    pub fn dialect(&self) -> Dialect {
        todo!()
    }

    /// SHA-256 of the canonical schema, in hex.
    pub fn hash(&self) -> &str {
        todo!()
    }

    /// Checks one instance.
    pub fn validate(&self, _instance: &Value) -> Validation {
        todo!()
    }
}

/// Compiled schemas by hash and options, bounded; the least recently used goes first.
///
/// A schema that can't be compiled is remembered with its error, so that it costs once.
#[derive(Debug)]
pub struct SchemaCache {}

impl SchemaCache {
    /// A cache for `capacity` schemas.
    pub fn new(_capacity: usize) -> Self {
        todo!()
    }

    /// The compiled form of `schema`, compiled now if it is not here.
    pub fn get(&self, _schema: &Value, _options: &SchemaOptions) -> Result<Arc<CompiledSchema>, SchemaError> {
        todo!()
    }
}
