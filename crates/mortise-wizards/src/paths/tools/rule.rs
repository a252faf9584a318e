//! `generate_rule_from_semantic`.

use mortise_formats::feedback::{Marks, RuleFeedback};
use mortise_formats::format::{Complexity, ErrorBody, FormatKind};
use mortise_formats::rules::RuleDocument;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::SCHEMA_VERSION;
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::paths::engine::{ExtractionStatus, RuleSet};
use crate::paths::path::parse_all;
use crate::paths::semantic::{Expression, compile};
use crate::store::{DraftKind, NewDraft};
use crate::tool::Wizard;
use crate::wizards::Wizards;

const SHOWN: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleInput {
    /// A semantic expression, e.g. `entity_folder(mission) > dated_hierarchy(iso) > files(csv)`
    #[schemars(length(min = 1, max = 1024))]
    expression: String,
    /// The source that the rule is for
    #[schemars(length(min = 1, max = 200))]
    source_id: Option<String>,
    /// The tag of the files; without it the expression gives one
    #[schemars(length(min = 1, max = 128))]
    tag: Option<String>,
    /// Commit the rule at once, if every sample path gives all fields
    #[serde(default)]
    auto_apply: bool,
    /// Paths to try the rule on
    #[serde(default)]
    sample_paths: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleOutput {
    /// Names the rule's draft
    draft_id: String,
    /// The rule as an object
    rule: RuleObject,
    /// The rule as YAML
    yaml_rule: String,
    /// What the YAML conforms to
    schema_version: String,
    /// What the rule makes of the sample paths
    preview: RulePreview,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleObject {
    name: String,
    glob: String,
    /// Field by field
    extract: Map<String, Value>,
    tag: String,
    /// The expression that the rule comes from
    semantic_source: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RulePreview {
    /// Sample paths that the rule matches
    matching_files: u64,
    sample_extractions: Vec<SampleExtraction>,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SampleExtraction {
    path: String,
    extracted: Map<String, Value>,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("generate_rule_from_semantic", FormatKind::YamlRule)
        .description(
            "Compiles a semantic path expression to an extraction rule in YAML, and tries it on sample paths if \
             there are. Returns the rule as text and as an object.",
        )
        .handler(|wizards, input: RuleInput, _context| async move { generate(&wizards, &input) })
}

fn generate(wizards: &Wizards, input: &RuleInput) -> Result<WizardResult<RuleOutput>, ErrorBody> {
    let expression = Expression::parse(&input.expression)?;
    let compiled = compile(&expression)?;
    let mut rule = compiled.rule();
    if let Some(tag) = &input.tag {
        rule.tag.clone_from(tag);
    }
    let document = RuleDocument::new(vec![rule.clone()])?;
    let yaml_rule = document.to_yaml()?;
    let paths = if input.sample_paths.is_empty() { Vec::new() } else { parse_all(&input.sample_paths)? };
    let rules = RuleSet::new(&document)?;
    let extractions: Vec<_> = paths.iter().map(|path| rules.extract_path(path)).collect();
    let matched = |status: ExtractionStatus| status != ExtractionStatus::Unmatched;
    let matching = extractions.iter().filter(|extraction| matched(extraction.status)).count();
    let are_complete =
        !paths.is_empty() && extractions.iter().all(|found| found.status == ExtractionStatus::Complete);

    let mut common = Common::default();
    if !paths.is_empty() && matching < paths.len() {
        common.warn(
            "WARN_UNMATCHED",
            format!("{} of {} sample paths do not match", paths.len() - matching, paths.len()),
        );
    }
    let mut facts = json!({ "expression": expression.to_string(), "file_count": paths.len() });
    if let (Some(facts), Some(source_id)) = (facts.as_object_mut(), &input.source_id) {
        facts.insert("source_id".to_owned(), source_id.as_str().into());
    }
    let issued = wizards.drafts.put(NewDraft {
        kind: DraftKind::Rule,
        name: rule.name.clone(),
        files: vec![("rule.yaml".to_owned(), yaml_rule.clone())],
        sample_paths: input.sample_paths.clone(),
        user_hints: None,
        facts,
    })?;
    for warning in &issued.warnings {
        common.warn("WARN_DRAFT_DROPPED", warning);
    }
    let mut workflow = Workflow::new(Phase::Discovery);
    match (input.auto_apply, are_complete) {
        (true, true) => wizards.drafts.commit(&issued.id)?,
        (true, false) => {
            common.warn(
                "WARN_NOT_APPLIED",
                "the rule was not committed: not every sample path gives all fields",
            );
            workflow = workflow.needing_approval().then(commit(&issued.id));
        }
        (false, _) => workflow = workflow.needing_approval().then(commit(&issued.id)),
    }
    common.workflow = Some(workflow);
    let feedback =
        RuleFeedback { schema_version: SCHEMA_VERSION, complexity: Complexity::Simple, open_questions: 0 };
    let marks = if wizards.options.ascii { Marks::Ascii } else { Marks::Unicode };
    let output = RuleOutput {
        draft_id: issued.id,
        rule: RuleObject {
            name: rule.name,
            glob: compiled.glob,
            extract: extract_object(&document),
            tag: rule.tag,
            semantic_source: expression.to_string(),
        },
        yaml_rule,
        schema_version: SCHEMA_VERSION.to_owned(),
        preview: RulePreview {
            matching_files: u64::try_from(matching).unwrap_or(u64::MAX),
            sample_extractions: input
                .sample_paths
                .iter()
                .zip(extractions)
                .filter(|(_, extraction)| matched(extraction.status))
                .take(SHOWN)
                .map(|(path, extraction)| SampleExtraction {
                    path: path.clone(),
                    extracted: extraction.fields,
                })
                .collect(),
        },
    };
    Ok(WizardResult::new(output).common(common).feedback(feedback.render(marks)))
}

pub(super) fn commit(draft_id: &str) -> NextAction {
    NextAction::new("commit_draft", "Keep the rule once a person has approved it")
        .after_approval()
        .with("draft_id", draft_id)
}

/// The `extract` of the first rule.
pub(super) fn extract_object(document: &RuleDocument) -> Map<String, Value> {
    let rule = document.rules().first().map(mortise_formats::rules::ExtractionRule::to_value);
    rule.and_then(|rule| rule.get("extract")?.as_object().cloned()).unwrap_or_default()
}
