//! `find_similar_sources`.

use mortise_formats::format::FormatKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::similar_sources;
use crate::answer::WizardResult;
use crate::paths::semantic::{Expression, abstract_structure, equivalence_class};
use crate::tool::Wizard;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SimilarInput {
    /// A semantic expression, e.g. `entity_folder(mission) > dated_hierarchy(iso) > files`
    #[schemars(length(min = 1, max = 1024))]
    expression: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SimilarOutput {
    /// The id of all expressions with the same structure
    equivalence_class: String,
    /// The expression without arguments
    abstract_structure: String,
    /// Known sources with that structure, by id
    sources: Vec<MatchingSource>,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MatchingSource {
    source_id: String,
    concrete_expression: String,
    file_count: u64,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("find_similar_sources", FormatKind::Metadata)
        .description(
            "Finds sources whose folders are built the same way as an expression says, whatever their names: rules \
             and parsers of one often fit the other.",
        )
        .read_only()
        .handler(|wizards, input: SimilarInput, _context| async move {
            let expression = Expression::parse(&input.expression)?;
            let sources: Vec<MatchingSource> = similar_sources(&wizards, &expression)?
                .into_iter()
                .map(|source| MatchingSource {
                    source_id: source.source_id,
                    concrete_expression: source.expression,
                    file_count: source.file_count,
                })
                .collect();
            let feedback = match sources.len() {
                1 => "1 similar source".to_owned(),
                count => format!("{count} similar sources"),
            };
            let output = SimilarOutput {
                equivalence_class: equivalence_class(&expression),
                abstract_structure: abstract_structure(&expression),
                sources,
            };
            Ok(WizardResult::new(output).feedback(feedback))
        })
}
