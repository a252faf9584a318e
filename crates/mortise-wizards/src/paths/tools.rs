//! The wizards that propose rules from paths.

mod extractor;
mod pending;
mod primitives;
mod recognize;
mod rule;
mod similar;

use mortise_formats::format::{EXTRACTION_RULES_V1, ErrorBody};

use super::extractor::stratified;
use super::path::RulePath;
use super::semantic::{Expression, Lattice, RecognitionStatus, equivalence_class, of_lattice};
use crate::store::KnownSource;
use crate::tool::Wizard;
use crate::wizards::Wizards;

pub use self::extractor::{CoverageOutput, ExtractorOutput, FieldMetricsOutput, Holdout, PathPreview};
pub use crate::paths::engine::ExtractionStatus;

/// The wizards of this module, in the order of the chain.
pub fn wizards() -> Vec<Wizard> {
    vec![
        extractor::wizard(),
        recognize::wizard(),
        rule::wizard(),
        primitives::wizard(),
        similar::wizard(),
        pending::wizard(),
    ]
}

const SCHEMA_VERSION: &str = EXTRACTION_RULES_V1;

/// The known sources whose paths are built like an expression.
fn similar_sources(wizards: &Wizards, expression: &Expression) -> Result<Vec<KnownSource>, ErrorBody> {
    let class = equivalence_class(expression);
    let mut sources = wizards.drafts.sources()?;
    sources.extend(scopes(wizards)?);
    sources.retain(|source| {
        Expression::parse(&source.expression).is_ok_and(|known| equivalence_class(&known) == class)
    });
    sources.sort_by(|one, two| one.source_id.cmp(&two.source_id));
    Ok(sources)
}

/// Applied scopes whose paths have a structure.
fn scopes(wizards: &Wizards) -> Result<Vec<KnownSource>, ErrorBody> {
    let scopes = wizards.contracts().scopes()?;
    let words = wizards.options.known_words();
    let known = scopes.into_iter().filter_map(|scope| {
        let paths: Vec<RulePath> = scope.files.iter().filter_map(|path| RulePath::parse(path)).collect();
        let recognition = of_lattice(&Lattice::knowing(&stratified(&paths), &words));
        (recognition.status != RecognitionStatus::Low).then(|| KnownSource {
            source_id: scope.scope_id,
            expression: recognition.expression.to_string(),
            file_count: u64::try_from(scope.files.len()).unwrap_or(u64::MAX),
        })
    });
    Ok(known.collect())
}

/// The paths as given that belong to some numbers.
fn numbered(given: &[String], numbers: impl IntoIterator<Item = usize>, limit: usize) -> Vec<String> {
    numbers.into_iter().filter_map(|number| given.get(number).cloned()).take(limit).collect()
}

#[cfg(test)]
mod tests;
