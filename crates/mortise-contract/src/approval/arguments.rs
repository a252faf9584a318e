//! A JSON Schema over the arguments of a call.

use std::sync::Arc;

use serde_json::Value;

use crate::RawJson;
use crate::json::duplicate_keys;
use crate::schema::{CompiledSchema, SchemaError, SchemaOptions, Validation};

/// A compiled schema that the arguments of a call are compared with. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ArgumentSchema {
    schema: Arc<Value>,
    compiled: Arc<CompiledSchema>,
}

/// Whether arguments conform to an [`ArgumentSchema`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentFit {
    /// They conform.
    Inside,
    /// They do not; the JSON pointer of the first value that is refused.
    Outside {
        /// JSON pointer into the arguments.
        pointer: String,
    },
    /// They can't be compared, for example since a server could read a number otherwise than we do.
    Unknown {
        /// What stops the comparison, for a person. It holds nothing of the arguments.
        reason: String,
    },
}

impl ArgumentSchema {
    /// Compiles a schema. Formats are asserted: a rule that says `format: email` means it.
    pub fn compile(schema: Value) -> Result<Self, SchemaError> {
        let options = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
        let compiled = CompiledSchema::compile(&schema, &options)?;
        Ok(Self { schema: Arc::new(schema), compiled: Arc::new(compiled) })
    }

    /// The schema as written.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Compares the arguments of a call.
    pub fn fit(&self, arguments: &RawJson) -> ArgumentFit {
        let unknown = |reason: &str| ArgumentFit::Unknown { reason: reason.to_owned() };
        // Servers disagree about which of two equal keys counts, and about digits beyond a double.
        if !duplicate_keys(arguments.text()).is_empty() {
            return unknown("a key stands twice in the arguments");
        }
        if !arguments.odd_numbers().is_empty() {
            return unknown("a number in the arguments has more digits than a double holds");
        }
        let Ok(value) = arguments.value() else { return unknown("the arguments can't be read") };
        match self.compiled.validate(&value) {
            Validation::Valid => ArgumentFit::Inside,
            Validation::Unchecked { reason } => ArgumentFit::Unknown { reason },
            Validation::Invalid { violations, .. } => {
                let first = violations.into_iter().next();
                ArgumentFit::Outside { pointer: first.map(|first| first.instance_path).unwrap_or_default() }
            }
        }
    }
}

impl PartialEq for ArgumentSchema {
    fn eq(&self, other: &Self) -> bool {
        self.schema == other.schema
    }
}
