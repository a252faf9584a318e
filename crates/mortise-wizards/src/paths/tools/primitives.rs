//! `list_semantic_primitives`.

use std::collections::BTreeSet;
use std::sync::Arc;

use mortise_formats::format::FormatKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::WizardResult;
use crate::paths::semantic::{Domain, Primitive, primitives};
use crate::tool::Wizard;
use crate::wizards::Wizards;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PrimitivesInput {
    /// Only primitives of this domain
    domain: Option<Domain>,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PrimitivesOutput {
    /// What a folder can be called in an expression
    primitives: Vec<ListedPrimitive>,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListedPrimitive {
    name: String,
    description: String,
    domain: Domain,
    /// Arguments that choose a variant
    variants: Vec<String>,
    /// Folders it describes
    example_patterns: Vec<String>,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("list_semantic_primitives", FormatKind::Metadata)
        .description(
            "Lists the words of semantic path expressions: what a folder can mean, with its variants and example \
             folders. Use them in generate_rule_from_semantic and find_similar_sources.",
        )
        .read_only()
        .handler(|wizards: Arc<Wizards>, input: PrimitivesInput, _context| async move {
            let known = primitives().iter().map(|entry| ListedPrimitive {
                name: entry.name.to_owned(),
                description: entry.description.to_owned(),
                domain: entry.domain,
                variants: entry.variants.iter().map(|&variant| variant.to_owned()).collect(),
                example_patterns: entry.examples.iter().map(|&example| example.to_owned()).collect(),
            });
            let configured = wizards.options.words.iter().filter_map(configured);
            let wanted = |entry: &ListedPrimitive| input.domain.is_none_or(|domain| entry.domain == domain);
            let listed: Vec<ListedPrimitive> = known.chain(configured).filter(wanted).collect();
            let feedback = match listed.len() {
                1 => "1 primitive".to_owned(),
                count => format!("{count} primitives"),
            };
            Ok(WizardResult::new(PrimitivesOutput { primitives: listed }).feedback(feedback))
        })
}

/// Folders that the operator has named, if there are any: an expression takes them sorted, and at least one.
fn configured((name, words): (&String, &BTreeSet<String>)) -> Option<ListedPrimitive> {
    let words: Vec<String> = words.iter().cloned().collect();
    let category = Primitive::Category { words: words.clone() };
    let entry = || ListedPrimitive {
        name: category.to_string(),
        description: format!("`{name}`, as the operator has configured it"),
        domain: Domain::User,
        variants: words.clone(),
        example_patterns: words.clone(),
    };
    (!words.is_empty()).then(entry)
}
