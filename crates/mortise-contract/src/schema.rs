//! JSON Schemas compiled under bounds, and the cache of compiled ones.

mod cache;
mod dialect;
mod graph;
mod hash;
pub mod keyword;
mod pattern;
mod reference;
mod shortcut;
mod survey;
mod violation;
mod work;

use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError};
use serde_json::Value;

use crate::json::{JsonKind, measure};
use crate::verdict::Violation;
use crate::{RawJson, limits};

use shortcut::Shortcut;
use survey::Survey;
use work::{Size, ValidationWork};

pub use cache::SchemaCache;
pub use dialect::Dialect;
pub use hash::SchemaHash;
pub(crate) use hash::hex_digest;
pub use keyword::Keyword;
pub use reference::{SchemaDocument, SchemaPlace, SchemaScope, referred};

/// The bounds a schema and an instance must keep. Defaults are those of [`mod@crate::limits`].
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
    /// How many violations are kept.
    pub violations: usize,
}

/// How a schema is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct SchemaOptions {
    /// The dialect of a schema without `$schema`.
    pub default_dialect: Dialect,
    /// Whether `format` is checked; by default it is an annotation.
    pub assert_formats: bool,
    /// What the schema and its instances may take.
    pub bounds: Bounds,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            schema_bytes: limits::SCHEMA_BYTES,
            schema_depth: limits::SCHEMA_DEPTH,
            subschemas: limits::SCHEMA_SUBSCHEMAS,
            ref_depth: limits::SCHEMA_REFS,
            expanded_paths: limits::SCHEMA_PATHS,
            total_work: limits::SCHEMA_WORK,
            enum_values: limits::SCHEMA_ENUM,
            pattern_bytes: limits::SCHEMA_PATTERN,
            instance_depth: limits::JSON_DEPTH,
            violations: limits::VIOLATIONS_SHOWN,
        }
    }
}

/// Why a schema can't be used. A property of that one tool, never of its server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum SchemaError {
    /// The schema is not an object (`true`, `null`, an array …).
    #[error("the schema is {found}, not an object")]
    NotAnObject { found: String },
    /// `$schema` names a dialect that we don't know.
    #[error("unsupported dialect `{uri}`")]
    UnsupportedDialect {
        /// The value of `$schema`.
        uri: String,
    },
    /// A reference leads outside the document.
    #[error("external reference `{reference}` at `{pointer}` is not fetched")]
    ExternalReference {
        /// As written.
        reference: String,
        /// JSON pointer of the keyword.
        pointer: String,
    },
    /// The schema is not valid in its dialect, or a reference leads nowhere.
    #[error("invalid schema at `{pointer}`: {message}")]
    Invalid {
        /// JSON pointer into the schema.
        pointer: String,
        /// What the dialect asks for.
        message: String,
    },
    /// The text of the schema is too large or too deep, or can't be parsed.
    #[error("the schema can't be read: {reason}")]
    Unreadable {
        /// What stopped the parser.
        reason: String,
    },
    /// A reference leads back to where it stands in more than one way, without going into the value.
    #[error("the schema at `{pointer}` refers to itself in more than one way without going into the value")]
    EndlessReference {
        /// JSON pointer of the subschema.
        pointer: String,
    },
    /// The schema passes a bound.
    #[error("the schema passes the limit on {limit}: {found} of at most {allowed}")]
    Limit {
        /// Which, e.g. `expanded paths`.
        limit: &'static str,
        /// What was found (a lower bound where counting stopped).
        found: u64,
        allowed: u64,
    },
}

impl SchemaError {
    /// The kind of error in a word, with nothing of the schema in it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::NotAnObject { .. } => "not_an_object",
            Self::UnsupportedDialect { .. } => "unsupported_dialect",
            Self::ExternalReference { .. } => "external_reference",
            Self::Invalid { .. } => "invalid",
            Self::Unreadable { .. } => "unreadable",
            Self::EndlessReference { .. } => "endless_reference",
            Self::Limit { .. } => "limit",
        }
    }

    /// Where in the schema, if it is about one place.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::ExternalReference { pointer, .. }
            | Self::Invalid { pointer, .. }
            | Self::EndlessReference { pointer } => Some(pointer),
            Self::NotAnObject { .. }
            | Self::UnsupportedDialect { .. }
            | Self::Unreadable { .. }
            | Self::Limit { .. } => None,
        }
    }
}

/// A schema ready to validate with. Cheap to share.
#[derive(Debug)]
pub struct CompiledSchema {
    validator: jsonschema::Validator,
    shortcut: Option<Shortcut>,
    survey: Survey,
    dialect: Dialect,
    hash: SchemaHash,
    bounds: Bounds,
}

/// What validating one instance found.
#[derive(Clone, Debug, PartialEq)]
pub enum Validation {
    /// The instance conforms.
    Valid,
    /// It does not; the first violations up to the bound, and how many there are in all.
    Invalid {
        /// The first violations, up to a limit.
        violations: Vec<Violation>,
        /// How many there are; a lower bound if `is_complete` is false.
        total: usize,
        /// Whether all were looked for. A value too large for that gets its first violation only.
        is_complete: bool,
    },
    /// Checking it would pass the bounds.
    Unchecked {
        /// Why, for a person.
        reason: String,
    },
}

impl CompiledSchema {
    /// Checks every bound, then compiles.
    pub fn compile(schema: &Value, options: &SchemaOptions) -> Result<Self, SchemaError> {
        Self::compile_hashed(schema, options, SchemaHash::of(schema))
    }

    fn compile_hashed(
        schema: &Value,
        options: &SchemaOptions,
        hash: SchemaHash,
    ) -> Result<Self, SchemaError> {
        if !schema.is_object() {
            return Err(SchemaError::NotAnObject { found: JsonKind::of(schema).to_string() });
        }
        let dialect = Dialect::of(schema, options.default_dialect)?;
        let survey = Survey::new(schema, dialect, &options.bounds)?;
        let validator = build(schema, dialect, options, &survey)?;
        // Where less work is allowed than a shortcut may take, all of it is counted.
        let shortcut =
            (options.bounds.total_work >= shortcut::STEPS).then(|| Shortcut::read(schema, dialect, options));
        Ok(Self { validator, shortcut, survey, dialect, hash, bounds: options.bounds.clone() })
    }

    /// The dialect it was compiled under.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// SHA-256 of the canonical schema, in hex.
    pub fn hash(&self) -> &str {
        self.hash.as_str()
    }

    /// Checks one instance.
    ///
    /// ```
    /// use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"bmi": {"type": "number"}}, "required": ["bmi"]});
    /// let compiled = CompiledSchema::compile(&schema, &SchemaOptions::default())?;
    /// assert_eq!(compiled.validate(&json!({"bmi": 22.5})), Validation::Valid);
    /// let Validation::Invalid { violations, .. } = compiled.validate(&json!({"bmi": "22.5"})) else { panic!() };
    /// assert_eq!(violations[0].instance_path, "/bmi");
    /// assert_eq!(violations[0].schema_path, "/properties/bmi/type");
    /// # Ok::<(), mortise_contract::schema::SchemaError>(())
    /// ```
    pub fn validate(&self, instance: &Value) -> Validation {
        let limit = self.bounds.instance_depth;
        let measured = measure(instance, limit);
        if measured.levels > limit {
            return Validation::Unchecked { reason: format!("the value nests deeper than {limit} levels") };
        }
        let size = Size { nodes: measured.nodes, bytes: measured.bytes };
        if let Err(error) = self.check_work(instance, size) {
            return Validation::Unchecked { reason: error.to_string() };
        }
        // A panic in the validator is a bug there; it must not end the caller.
        let found = catch_unwind(AssertUnwindSafe(|| {
            if self.validator.is_valid(instance) { Validation::Valid } else { self.explain(instance) }
        }));
        found.unwrap_or_else(|_| Validation::Unchecked { reason: "the validator failed".to_owned() })
    }

    /// Whether a JSON text surely conforms, and parsing it would lose nothing: no number too long for a double, no
    /// half of a character. False says nothing; [`CompiledSchema::validate`] decides then.
    pub fn accepts_text(&self, raw: &RawJson) -> bool {
        self.accepts_text_within(raw.text(), shortcut::STEPS)
    }

    fn accepts_text_within(&self, text: &str, steps: u64) -> bool {
        let limit = self.bounds.instance_depth.min(limits::JSON_DEPTH);
        text.len() <= limits::INSTANCE_BYTES
            && self.shortcut.as_ref().is_some_and(|shortcut| shortcut.accepts_text(text, limit, steps))
    }

    /// Whether reading a JSON text and checking its value is surely done in a millisecond or so. Where it is not, it
    /// may still be; a caller that others wait behind checks it on another thread.
    pub fn is_quick(&self, raw: &RawJson) -> bool {
        let text = raw.text();
        text.len() <= LITTLE_TEXT
            && (self.is_little_work(std::iter::once(text)) || self.accepts_text_within(text, LITTLE_WORK))
    }

    /// Whether checking what these texts hold is surely little work, by what can be counted on the texts themselves.
    /// False says nothing: where a schema is recursive, for one, the work depends on the shape of the value.
    pub(crate) fn is_little_work<'t>(&self, texts: impl Iterator<Item = &'t str>) -> bool {
        let size = texts.fold(Size::default(), |size, text| size.and(Size::at_most(text)));
        self.survey.bound(size).is_some_and(|units| units <= LITTLE_WORK / self.reruns())
    }

    /// How often the validator runs at most: a match that is given up makes it run again, under either outcome.
    fn reruns(&self) -> u64 {
        if self.survey.cost().backtracking > 0 { BACKTRACKING_RERUNS } else { 1 }
    }

    /// Whether validating stays within the bounds.
    fn check_work(&self, instance: &Value, size: Size) -> Result<(), TooMuchWork> {
        let allowed = self.bounds.total_work / self.reruns();
        if self.survey.bound(size).is_some_and(|units| units <= allowed) {
            return Ok(());
        }
        let enough = ValidationWork { units: allowed, depth: limits::VALIDATION_DEPTH, copies: u64::MAX };
        let work = self.survey.count(instance, enough);
        if work.depth > enough.depth {
            return Err(TooMuchWork::Depth { allowed: enough.depth });
        }
        if work.units > allowed { Err(TooMuchWork::Steps { allowed }) } else { Ok(()) }
    }

    /// The violations of a value that does not conform.
    fn explain(&self, instance: &Value) -> Validation {
        let enough = ValidationWork {
            units: limits::VIOLATIONS_WORK,
            depth: usize::MAX,
            copies: limits::VIOLATIONS_COPIES,
        };
        let work = self.survey.count(instance, enough);
        if work.copies > enough.copies {
            return violation::unexplained(instance);
        }
        if work.units > enough.units {
            return match self.validator.validate(instance) {
                Ok(()) => Validation::Valid,
                Err(error) => violation::first(&error),
            };
        }
        violation::all(self.validator.iter_errors(instance), self.bounds.violations)
    }
}

/// Why a value is not validated.
#[derive(Debug, thiserror::Error)]
enum TooMuchWork {
    #[error("the schema nests deeper than {allowed} subschemas on this value")]
    Depth { allowed: usize },
    #[error("validating takes more than {allowed} steps (expanded paths x values of the instance)")]
    Steps { allowed: u64 },
}

/// Steps of the validator or of the shortcut that delay other work by about a millisecond.
const LITTLE_WORK: u64 = 20_000;

/// Bytes of JSON that are read in no time.
pub(crate) const LITTLE_TEXT: usize = 256 * 1024;

/// By how much the work must stay below its bound when a pattern can be given up.
const BACKTRACKING_RERUNS: u64 = 8;

fn build(
    schema: &Value,
    dialect: Dialect,
    options: &SchemaOptions,
    survey: &Survey,
) -> Result<jsonschema::Validator, SchemaError> {
    let base = jsonschema::options()
        .with_draft(dialect.draft())
        .offline()
        .should_validate_formats(options.assert_formats)
        .should_ignore_unknown_formats(true);
    let linear =
        PatternOptions::regex().size_limit(limits::SCHEMA_REGEX).dfa_size_limit(limits::SCHEMA_REGEX);
    let backtracking = PatternOptions::fancy_regex()
        .backtrack_limit(limits::SCHEMA_BACKTRACKS)
        .size_limit(limits::SCHEMA_REGEX)
        .dfa_size_limit(limits::SCHEMA_REGEX);
    let built = catch_unwind(AssertUnwindSafe(|| match survey.uses_backtracking() {
        false => base.with_pattern_options(linear).build(schema),
        true => base.with_pattern_options(backtracking).build(schema),
    }));
    match built {
        Ok(Ok(validator)) => Ok(validator),
        Ok(Err(error)) => Err(build_error(&error, survey)),
        Err(_) => Err(SchemaError::Invalid {
            pointer: String::new(),
            message: "the schema compiler failed".to_owned(),
        }),
    }
}

fn build_error(error: &ValidationError<'_>, survey: &Survey) -> SchemaError {
    if let (ValidationErrorKind::Referencing(_), Some(dangling)) =
        (error.kind(), survey.graph.dangling.first())
    {
        return SchemaError::Invalid {
            pointer: dangling.pointer.clone(),
            message: format!("the reference `{}` leads nowhere", dangling.reference),
        };
    }
    SchemaError::Invalid { pointer: error.instance_path().to_string(), message: violation::message(error) }
}

/// Whether a schema says nothing about a value.
pub(crate) fn is_vacuous(schema: &Value) -> bool {
    let Some(members) = schema.as_object() else { return false };
    let is_silent = |key: &String| Keyword::find(key).is_some_and(|keyword| !keyword.can_refuse());
    members.keys().all(is_silent)
        || (members.len() == 1 && members.get("$ref").is_some_and(|reference| reference == "#"))
}

#[cfg(test)]
mod tests;
