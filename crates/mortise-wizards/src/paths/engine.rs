//! The rule engine: rules compiled once, then run over any number of paths.

mod condition;
mod coverage;
mod field;
mod samples;

use globset::{GlobSet, GlobSetBuilder};
use mortise_formats::format::{ErrorBody, ErrorCode, Subcode};
use mortise_formats::rules::{ExtractionRule, RuleDocument, compile_glob};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::condition::CompiledCondition;
use self::field::CompiledField;
use super::path::RulePath;
use super::semantic::{Expression, compile};

pub(crate) use coverage::{RuleCoverage, coverage};
pub(crate) use field::{FieldFailure, raw_values, typed_texts};
pub(crate) use samples::check_samples;

#[derive(Debug)]
pub(crate) struct RuleSet {
    globs: GlobSet,
    /// Enabled rules by priority, then by name; in the order of the globs.
    rules: Vec<CompiledRule>,
}

#[derive(Debug)]
struct CompiledRule {
    name: String,
    fields: Vec<(String, CompiledField)>,
    tag: String,
    conditions: Vec<CompiledCondition>,
}

/// What rules made of one path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Extraction {
    pub(crate) status: ExtractionStatus,
    pub(crate) rule: Option<String>,
    /// The values, in the order of the rule's fields. Dates are ISO text.
    pub(crate) fields: Map<String, Value>,
    /// The file's tag, when the rule matched and gave a value.
    pub(crate) tag: Option<String>,
    /// Fields whose value is their default.
    pub(crate) defaulted: Vec<String>,
    /// Fields without a value, and why.
    pub(crate) failures: Vec<FieldFailure>,
    /// Rules that match too and come later.
    pub(crate) shadowed: Vec<String>,
}

/// How well extraction went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ExtractionStatus {
    /// Every field has a value, if only its default; or there are no fields.
    Complete,
    /// Some fields have none.
    Partial,
    /// No field has one.
    Failed,
    /// No rule matches the path.
    Unmatched,
}

impl RuleSet {
    /// Compiles the enabled rules of a document; expressions become globs and fields.
    pub(crate) fn new(document: &RuleDocument) -> Result<Self, ErrorBody> {
        let mut ordered: Vec<(usize, &ExtractionRule)> = document.rules().iter().enumerate().collect();
        ordered.retain(|(_, rule)| rule.enabled);
        ordered.sort_by(|(_, one), (_, two)| {
            one.priority.cmp(&two.priority).then_with(|| one.name.as_bytes().cmp(two.name.as_bytes()))
        });
        let mut globs = GlobSetBuilder::new();
        let mut rules = Vec::with_capacity(ordered.len());
        for (number, rule) in ordered {
            let place = |error: ErrorBody, key: &str| error.at_field(format!("rules[{number}].{key}"));
            let rule = with_semantic(rule).map_err(|error| place(error, "semantic"))?;
            let glob = rule.glob.as_deref().unwrap_or_default();
            let glob = compile_glob(glob).map_err(|error| {
                let reason = format!("the glob does not compile: {}", error.kind());
                place(ErrorBody::new(ErrorCode::GlobInvalid, reason, "correct the glob"), "glob")
            })?;
            globs.add(glob);
            rules.push(CompiledRule::new(&rule, &place)?);
        }
        let globs = globs.build().map_err(|error| {
            ErrorBody::new(
                ErrorCode::GlobInvalid,
                format!("the globs of all rules together do not compile: {error}"),
                "use fewer or simpler globs",
            )
        })?;
        Ok(Self { globs, rules })
    }

    /// What the first rule that matches makes of a path.
    pub(crate) fn extract(&self, path: &str) -> Extraction {
        let Some(path) = RulePath::parse(path) else { return Extraction::unmatched() };
        self.extract_path(&path)
    }

    /// The same for a path that is normalised already.
    pub(crate) fn extract_path(&self, path: &RulePath) -> Extraction {
        let mut matched = self.globs.matches(path.as_str());
        matched.sort_unstable();
        let mut matched = matched.into_iter().map(|index| &self.rules[index]);
        let Some(rule) = matched.next() else { return Extraction::unmatched() };
        let mut extraction = rule.extract(path);
        extraction.shadowed = matched.map(|rule| rule.name.clone()).collect();
        extraction
    }
}

/// The rule with what its expression stands for.
fn with_semantic(rule: &ExtractionRule) -> Result<ExtractionRule, ErrorBody> {
    let Some(semantic) = &rule.semantic else { return Ok(rule.clone()) };
    let compiled = compile(&Expression::parse(semantic)?)?;
    if rule.glob.as_ref().is_some_and(|glob| *glob != compiled.glob) {
        return Err(ErrorBody::new(
            ErrorCode::YamlInvalid,
            format!("the expression gives the glob `{}`, and the rule has another", compiled.glob),
            "remove `glob`, or correct one of the two",
        )
        .with_subcode(Subcode::YamlSchema));
    }
    let mut rule = rule.clone();
    rule.glob = Some(compiled.glob);
    if rule.fields.is_empty() {
        rule.fields = compiled.fields;
    }
    Ok(rule)
}

impl CompiledRule {
    /// `place` says where in the document a key of the rule stands.
    fn new(rule: &ExtractionRule, place: &impl Fn(ErrorBody, &str) -> ErrorBody) -> Result<Self, ErrorBody> {
        let mut fields = Vec::with_capacity(rule.fields.len());
        for (name, field) in &rule.fields {
            let compiled = CompiledField::new(field)
                .map_err(|error| place(error, &format!("extract.{name}.pattern")))?;
            fields.push((name.clone(), compiled));
        }
        let mut conditions = Vec::with_capacity(rule.tag_conditions.len());
        for (number, condition) in rule.tag_conditions.iter().enumerate() {
            let compiled = CompiledCondition::new(condition)
                .map_err(|error| place(error, &format!("tag_conditions[{number}].if")))?;
            conditions.push(compiled);
        }
        Ok(Self { name: rule.name.clone(), fields, tag: rule.tag.clone(), conditions })
    }

    fn extract(&self, path: &RulePath) -> Extraction {
        let mut fields = Map::new();
        let mut defaulted = Vec::new();
        let mut failures = Vec::new();
        for (name, field) in &self.fields {
            match (field.value(path), field.default()) {
                (Ok(value), _) => {
                    fields.insert(name.clone(), value);
                }
                (Err(_), Some(default)) => {
                    fields.insert(name.clone(), default);
                    defaulted.push(name.clone());
                }
                (Err((step, reason)), None) => {
                    failures.push(FieldFailure { field: name.clone(), step, reason })
                }
            }
        }
        let status = match (failures.is_empty(), fields.is_empty()) {
            (true, _) => ExtractionStatus::Complete,
            (false, false) => ExtractionStatus::Partial,
            (false, true) => ExtractionStatus::Failed,
        };
        let tag = (status != ExtractionStatus::Failed).then(|| {
            let holds = |condition: &&CompiledCondition| condition.holds(&fields);
            self.conditions.iter().find(holds).map_or(&self.tag, |condition| &condition.tag).clone()
        });
        Extraction {
            status,
            rule: Some(self.name.clone()),
            fields,
            tag,
            defaulted,
            failures,
            shadowed: Vec::new(),
        }
    }
}

impl Extraction {
    fn unmatched() -> Self {
        Self {
            status: ExtractionStatus::Unmatched,
            rule: None,
            fields: Map::new(),
            tag: None,
            defaulted: Vec::new(),
            failures: Vec::new(),
            shadowed: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
