//! `list_pending_review`.

use std::collections::BTreeMap;

use mortise_formats::format::{ErrorBody, FormatKind};
use mortise_formats::rules::{ExtractionRule, RuleDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::paths::engine::{ExtractionStatus, RuleSet};
use crate::paths::path::RulePath;
use crate::store::ReviewMaterial;
use crate::tool::room::fitting;
use crate::tool::{Wizard, blocking};

const LISTED: usize = 1000;
const LISTED_BYTES: usize = 700_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PendingInput {
    /// What to list
    #[serde(rename = "type")]
    kind: ReviewKind,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReviewKind {
    /// Files of scopes that no committed rule matches
    UnmatchedFiles,
    /// Folders of such files
    UnlabeledGroups,
    /// Files that a rule matches and can't read wholly
    FailedExtractions,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PendingOutput {
    items: Vec<PendingItem>,
    /// Whether there are more than are listed
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PendingItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<String>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("list_pending_review", FormatKind::Metadata)
        .description(
            "Lists what committed rules leave open in the files of applied scopes: files that no rule matches, \
             folders of such files, or files whose fields can't all be read, with the reason.",
        )
        .read_only()
        .handler(|wizards, input: PendingInput, _context| async move {
            blocking(move |_| {
                let mut material = wizards.drafts.review()?;
                let scopes = wizards.contracts().scopes()?;
                material.files.extend(scopes.into_iter().flat_map(|scope| scope.files));
                list(&material, input.kind)
            })
            .await
        })
}

fn list(material: &ReviewMaterial, kind: ReviewKind) -> Result<WizardResult<PendingOutput>, ErrorBody> {
    let rules = rules(material)?;
    let mut files: Vec<&String> = material.files.iter().collect();
    files.sort_unstable();
    files.dedup();
    let mut items = match kind {
        ReviewKind::UnmatchedFiles => {
            unmatched(&rules, &files).map(|path| item(path, "no rule matches the path")).collect()
        }
        ReviewKind::UnlabeledGroups => groups(unmatched(&rules, &files)),
        ReviewKind::FailedExtractions => failed(&rules, &files),
    };
    let total = items.len();
    items.truncate(LISTED);
    let (items, _) = fitting(items, LISTED_BYTES);
    let mut common = Common::default();
    if total > 0 {
        let samples: Vec<serde_json::Value> =
            items.iter().filter_map(|item| item.path.clone()).take(20).map(Into::into).collect();
        let mut action = NextAction::new("generate_extractor", "Propose a rule for these paths");
        if !samples.is_empty() {
            action = action.with("sample_paths", samples);
        }
        common.workflow = Some(Workflow::new(Phase::Discovery).then(action));
    }
    let feedback = format!("{total} to review");
    let truncated = items.len() < total;
    Ok(WizardResult::new(PendingOutput { items, truncated }).common(common).feedback(feedback))
}

/// All committed rules together; a rule whose name is taken gets a number behind it.
fn rules(material: &ReviewMaterial) -> Result<Option<RuleSet>, ErrorBody> {
    let mut rules: Vec<ExtractionRule> = Vec::new();
    for text in &material.rules {
        for mut rule in RuleDocument::parse(text)?.into_rules() {
            if !rules.contains(&rule) {
                rule.name = free_name(&rules, &rule.name);
                rules.push(rule);
            }
        }
    }
    if rules.is_empty() {
        return Ok(None);
    }
    RuleSet::new(&RuleDocument::new(rules)?).map(Some)
}

/// The name, or with a number behind it one that no rule has.
fn free_name(rules: &[ExtractionRule], name: &str) -> String {
    const LONGEST: usize = 64;
    let is_free = |name: &String| rules.iter().all(|known| known.name != *name);
    let numbered = (2_u64..).map(|number| {
        let end = format!("_{number}");
        let start: String = name.chars().take(LONGEST - end.len()).collect();
        start + &end
    });
    // There are fewer rules than numbers.
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

fn unmatched<'a>(rules: &'a Option<RuleSet>, files: &'a [&'a String]) -> impl Iterator<Item = &'a str> {
    files.iter().map(|path| path.as_str()).filter(move |path| {
        rules.as_ref().is_none_or(|rules| rules.extract(path).status == ExtractionStatus::Unmatched)
    })
}

fn item(path: &str, reason: &str) -> PendingItem {
    PendingItem { path: Some(path.to_owned()), group_id: None, reason: reason.to_owned(), count: None }
}

fn groups<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<PendingItem> {
    let mut groups: BTreeMap<String, u64> = BTreeMap::new();
    for path in paths {
        let folder = RulePath::parse(path).map_or_else(String::new, |path| {
            path.as_str().rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
        });
        *groups.entry(folder).or_default() += 1;
    }
    groups
        .into_iter()
        .map(|(folder, count)| PendingItem {
            path: None,
            group_id: Some(if folder.is_empty() { ".".to_owned() } else { folder }),
            reason: "no rule gives the files of this folder a tag".to_owned(),
            count: Some(count),
        })
        .collect()
}

fn failed(rules: &Option<RuleSet>, files: &[&String]) -> Vec<PendingItem> {
    let Some(rules) = rules else { return Vec::new() };
    files
        .iter()
        .filter_map(|path| {
            let extraction = rules.extract(path);
            let first = extraction.failures.first()?;
            Some(item(path, &format!("{}: {}", first.field, first.reason)))
        })
        .collect()
}

#[cfg(test)]
mod tests;
