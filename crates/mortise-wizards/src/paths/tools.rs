//! The wizards that propose rules from paths.

mod extractor;
mod pending;
mod primitives;
mod recognize;
mod rule;
mod similar;

use mortise_contract::format::{EXTRACTION_RULES_V1, ErrorBody};
use mortise_formats::rules::RuleDocument;

use super::path::RulePath;
use super::semantic::Expression;
use super::semantic::{abstract_structure, equivalence_class};
use crate::store::KnownSource;
use crate::tool::Wizard;
use crate::wizards::Wizards;

/// All of them.
pub fn tools() -> Vec<Wizard> {
    vec![
        extractor::wizard(),
        recognize::wizard(),
        rule::wizard(),
        primitives::wizard(),
        similar::wizard(),
        pending::wizard(),
    ]
}

/// What rules conform to.
const SCHEMA_VERSION: &str = EXTRACTION_RULES_V1;

/// The known sources whose paths are built like an expression.
fn similar_sources(wizards: &Wizards, expression: &Expression) -> Result<Vec<KnownSource>, ErrorBody> {
    let class = equivalence_class(expression);
    let mut sources = wizards.drafts.sources()?;
    sources.retain(|source| {
        Expression::parse(&source.expression).is_ok_and(|known| equivalence_class(&known) == class)
    });
    sources.sort_by(|one, two| one.source_id.cmp(&two.source_id));
    Ok(sources)
}

/// The one rule of a document as YAML.
fn yaml(document: &RuleDocument) -> Result<String, ErrorBody> {
    document.to_yaml()
}

/// The paths as given that belong to some numbers.
fn numbered(given: &[String], numbers: impl IntoIterator<Item = usize>, limit: usize) -> Vec<String> {
    numbers.into_iter().filter_map(|number| given.get(number).cloned()).take(limit).collect()
}

/// Structure for a text that people read.
fn structure(expression: &Expression) -> String {
    abstract_structure(expression)
}

fn as_paths(given: &[String]) -> Result<Vec<RulePath>, ErrorBody> {
    super::path::parse_all(given)
}

#[cfg(test)]
mod tests;
