//! Everything a server said about one tool, verbatim.

mod check;
mod hash;

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::json::{JsonError, JsonKind, escape_token};
use crate::limits;
use crate::schema::{CompiledSchema, SchemaCache, SchemaError, SchemaHash, SchemaOptions, hex_digest};
use crate::text::cut_bytes;
use crate::{RawJson, ToolName};

pub use check::hidden_kind;

/// One tool as its server declared it, with nothing dropped.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The tool's own name.
    pub name: ToolName,
    /// The whole tool object as the server wrote it, unknown fields included.
    pub raw: RawJson,
    /// The members of `raw`, parsed, in the server's order.
    pub fields: Map<String, Value>,
    /// What is wrong with the declaration; the tool stays listed.
    pub issues: Vec<ContractIssue>,
    output_hash: OnceLock<Option<SchemaHash>>,
    input_hash: OnceLock<Option<SchemaHash>>,
    digest: OnceLock<String>,
}

/// Something in a tool's declaration that is not as the protocol wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractIssue {
    /// JSON pointer into the tool object.
    pub pointer: String,
    /// Which rule found it.
    pub code: IssueCode,
    /// What is wrong, for a person.
    pub message: String,
    /// Whether the tool can still be called.
    pub severity: IssueSeverity,
}

/// The rule behind a [`ContractIssue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum IssueCode {
    /// The name is not what the specification advises.
    OddName,
    /// A known field is of the wrong type.
    WrongType,
    /// A field can't be parsed (too deep, too large, a lone surrogate); it is in the raw text only.
    UnreadableField,
    /// There is no `inputSchema`.
    InputSchemaMissing,
    /// `inputSchema` is not an object, or its root is not of type `object`.
    InputSchemaShape,
    /// `outputSchema` is not an object.
    OutputSchemaShape,
    /// `outputSchema` is in the annotations, where no client looks for it.
    OutputSchemaMisplaced,
    /// A text has characters that a person does not see.
    HiddenCharacters,
    /// An `x-mcp-header` annotation that clients must refuse over HTTP.
    HeaderAnnotation,
}

/// How far a [`ContractIssue`] reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum IssueSeverity {
    /// Odd but harmless.
    Note,
    /// A part of the contract can't be used (for example its output schema); calls work.
    Degraded,
    /// The tool can't be called.
    Unusable,
}

impl IssueCode {
    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl IssueSeverity {
    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The behaviour hints of a tool with the protocol's defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`, default false.
    pub read_only: bool,
    /// `destructiveHint`, default true.
    pub destructive: bool,
    /// `idempotentHint`, default false.
    pub idempotent: bool,
    /// `openWorldHint`, default true.
    pub open_world: bool,
}

/// Why a list element is not a tool at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum ContractError {
    /// The element is not a JSON object.
    #[error("the tool is not a JSON object but {found}")]
    NotAnObject {
        /// What it is instead, with an excerpt.
        found: String,
    },
    /// The element has no usable `name`.
    #[error("the tool has no usable name: {reason}")]
    NoName { reason: String },
    /// The element's keys can't be read.
    #[error("the tool can't be read")]
    Unreadable {
        #[source]
        source: JsonError,
    },
}

impl Contract {
    /// Reads one element of a `tools/list` answer.
    ///
    /// Only an element without a name is refused; whatever else is odd about it
    /// is in [`Contract::issues`].
    ///
    /// ```
    /// use mortise_contract::{Contract, RawJson};
    ///
    /// let raw = r#"{"name": "add", "inputSchema": {"type": "object"}, "outputSchema": true, "x-team": "sums"}"#;
    /// let contract = Contract::parse(RawJson::parse(raw)?)?;
    /// assert!(contract.is_callable());
    /// assert_eq!(contract.fields["x-team"], "sums");
    /// assert_eq!(contract.issues[0].pointer, "/outputSchema");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(raw: RawJson) -> Result<Self, ContractError> {
        let (fields, mut issues) = read_fields(&raw, check::EXPECTED).map_err(|error| match error {
            JsonError::WrongKind { found, .. } => ContractError::NotAnObject {
                found: format!("{found}: {}", cut_bytes(raw.text(), EXCERPT_BYTES)),
            },
            other => ContractError::Unreadable { source: other },
        })?;
        let name = tool_name(&fields)?;
        check::check(&name, &raw, &fields, &mut issues);
        let (output_hash, input_hash, digest) = Default::default();
        Ok(Self { name, raw, fields, issues, output_hash, input_hash, digest })
    }

    /// Whether the tool can be called, however odd its declaration is.
    pub fn is_callable(&self) -> bool {
        self.issues.iter().all(|issue| issue.severity < IssueSeverity::Unusable)
    }

    /// Whether the tool is called as a task only: `execution.taskSupport` of protocol version 2025-11-25.
    pub fn requires_task(&self) -> bool {
        check::requires_task(&self.fields)
    }

    /// `description`, when it is a string.
    pub fn description(&self) -> Option<&str> {
        self.fields.get("description").and_then(Value::as_str)
    }

    /// `title`, or the title in the annotations.
    pub fn title(&self) -> Option<&str> {
        let own = self.fields.get("title").and_then(Value::as_str);
        own.or_else(|| self.annotation("title").and_then(Value::as_str))
    }

    /// `inputSchema` as sent, whatever it is.
    pub fn input_schema(&self) -> Option<&Value> {
        self.fields.get("inputSchema")
    }

    /// `outputSchema` as sent: of the tool, or, if only there, of its annotations.
    pub fn output_schema(&self) -> Option<&Value> {
        self.fields.get("outputSchema").or_else(|| self.annotation("outputSchema"))
    }

    /// Whether the server declares an output schema, also one that can't be read.
    pub fn declares_output(&self) -> bool {
        self.output_schema().is_some() || self.unreadable_output().is_some()
    }

    /// Why there is no [`Contract::output_schema`] although the server declares one: it can't be read.
    pub fn unreadable_output(&self) -> Option<&str> {
        let places = ["/outputSchema", check::MISPLACED_OUTPUT];
        self.unreadable(&places).filter(|_| self.output_schema().is_none())
    }

    /// Why there is no [`Contract::input_schema`] although the server declares one: it can't be read.
    pub fn unreadable_input(&self) -> Option<&str> {
        self.unreadable(&["/inputSchema"]).filter(|_| self.input_schema().is_none())
    }

    fn unreadable(&self, places: &[&str]) -> Option<&str> {
        let is_there = |issue: &&ContractIssue| {
            issue.code == IssueCode::UnreadableField && places.contains(&issue.pointer.as_str())
        };
        self.issues.iter().find(is_there).map(|issue| issue.message.as_str())
    }

    /// The behaviour hints.
    pub fn hints(&self) -> Hints {
        let hint =
            |name: &str, default: bool| self.annotation(name).and_then(Value::as_bool).unwrap_or(default);
        Hints {
            read_only: hint("readOnlyHint", false),
            destructive: hint("destructiveHint", true),
            idempotent: hint("idempotentHint", false),
            open_world: hint("openWorldHint", true),
        }
    }

    /// [`Contract::hints`] of a tool that gives at least one of them; `None` for a tool that gives none.
    pub fn given_hints(&self) -> Option<Hints> {
        const NAMES: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        let is_given = |name: &str| self.annotation(name).is_some_and(Value::is_boolean);
        NAMES.into_iter().any(is_given).then(|| self.hints())
    }

    /// SHA-256 over the canonical form (sorted keys, no white space) of exactly what a diff shows: every field.
    pub fn hash(&self) -> String {
        hash::hash(&self.fields, &self.raw, &self.issues)
    }

    /// SHA-256 of [`Contract::raw`] byte for byte; computed once.
    pub fn digest(&self) -> &str {
        self.digest.get_or_init(|| hex_digest(self.raw.text()))
    }

    /// Whether [`Contract::fields`] hold all that the server wrote: no number beyond a double, nothing too deep.
    pub fn is_exact(&self) -> bool {
        self.issues.iter().all(|issue| issue.code != IssueCode::UnreadableField)
            && self.raw.odd_numbers().is_empty()
    }

    /// The hash of [`Contract::output_schema`]; computed once.
    pub fn output_schema_hash(&self) -> Option<&SchemaHash> {
        self.output_hash.get_or_init(|| self.output_schema().map(SchemaHash::of)).as_ref()
    }

    /// The hash of [`Contract::input_schema`]; computed once.
    pub fn input_schema_hash(&self) -> Option<&SchemaHash> {
        self.input_hash.get_or_init(|| self.input_schema().map(SchemaHash::of)).as_ref()
    }

    /// The output schema compiled, from the cache if it is there; `None` when the tool declares none.
    /// A schema that is declared and can't be read is an error, never `None`.
    ///
    /// A strict client asks this before it sends a call.
    pub fn compiled_output(
        &self,
        options: &SchemaOptions,
        cache: &SchemaCache,
    ) -> Option<Result<Arc<CompiledSchema>, SchemaError>> {
        if let Some(reason) = self.unreadable_output() {
            return Some(Err(SchemaError::Unreadable { reason: reason.to_owned() }));
        }
        let (schema, hash) = (self.output_schema()?, self.output_schema_hash()?);
        Some(cache.get_hashed(hash, schema, options))
    }

    /// The output schema as the cache has it compiled, without compiling it; `None` when it is not there.
    pub fn known_output(
        &self,
        options: &SchemaOptions,
        cache: &SchemaCache,
    ) -> Option<Result<Arc<CompiledSchema>, SchemaError>> {
        match self.unreadable_output() {
            Some(reason) => Some(Err(SchemaError::Unreadable { reason: reason.to_owned() })),
            None => cache.known(self.output_schema_hash()?, options),
        }
    }

    /// The input schema compiled, from the cache if it is there; `None` when the tool declares none.
    pub fn compiled_input(
        &self,
        options: &SchemaOptions,
        cache: &SchemaCache,
    ) -> Option<Result<Arc<CompiledSchema>, SchemaError>> {
        if let Some(reason) = self.unreadable_input() {
            return Some(Err(SchemaError::Unreadable { reason: reason.to_owned() }));
        }
        let (schema, hash) = (self.input_schema()?, self.input_schema_hash()?);
        Some(cache.get_hashed(hash, schema, options))
    }

    fn annotation(&self, name: &str) -> Option<&Value> {
        self.fields.get("annotations")?.get(name)
    }
}

/// Bytes of a refused element that are shown.
const EXCERPT_BYTES: usize = 80;

/// The fields of a listed element, and what is odd about them. `expected` are those whose kind the protocol fixes.
pub(crate) fn read_fields(
    raw: &RawJson,
    expected: &[(&str, JsonKind)],
) -> Result<(Map<String, Value>, Vec<ContractIssue>), JsonError> {
    let mut fields = Map::new();
    let mut issues = Vec::new();
    for (key, member) in raw.members()? {
        match member.read_within(limits::FIELD_BYTES) {
            Ok(reading) => drop(fields.insert(key, reading.value)),
            Err(error) => {
                // Of a field that stands there twice, parsers keep the last.
                fields.shift_remove(&key);
                issues.push(ContractIssue {
                    pointer: format!("/{}", escape_token(&key)),
                    code: IssueCode::UnreadableField,
                    message: error.to_string(),
                    severity: IssueSeverity::Degraded,
                });
            }
        }
    }
    check::check_fields(raw, &fields, expected, &mut issues);
    Ok((fields, issues))
}

fn tool_name(fields: &Map<String, Value>) -> Result<ToolName, ContractError> {
    let no_name = |reason: String| ContractError::NoName { reason };
    match fields.get("name") {
        None => Err(no_name("`name` is missing".to_owned())),
        Some(Value::String(name)) => ToolName::parse(name).map_err(|error| no_name(error.to_string())),
        Some(other) => Err(no_name(format!("`name` is {}", JsonKind::of(other)))),
    }
}

#[cfg(test)]
mod tests;
