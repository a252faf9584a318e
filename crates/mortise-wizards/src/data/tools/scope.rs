//! `apply_scope`: the files to work with, under a name.

use std::collections::BTreeSet;
use std::sync::Arc;

use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{admitted, plural, range};
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::contracts::FileScope;
use crate::tool::room::fitting;
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

/// Files of one scope.
const FILES: usize = 100_000;
/// Bytes of files that are listed.
const LISTED_BYTES: usize = 400_000;
/// Reasons that are listed.
const TOLD: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScopeInput {
    /// A name for the files
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// The files
    #[schemars(length(min = 1, max = FILES))]
    files: Vec<String>,
    /// What they are
    #[serde(default)]
    description: Option<String>,
    /// The glob they were chosen by; files that do not match are left out
    #[serde(default)]
    pattern: Option<String>,
    /// Words to find the scope by
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeOutput {
    /// The scope that was made
    pub scope: FileScope,
    /// Files in it
    pub file_count: usize,
    /// Bytes of all of them
    pub total_size: u64,
    /// Files that were left out
    pub files_skipped: usize,
    /// Why, for the first of them
    pub skip_reasons: Vec<SkipReason>,
    /// Whether files of the scope are left out here to keep the result small; the scope has all of them
    pub truncated: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkipReason {
    /// The file
    pub path: String,
    /// Why it was left out
    pub reason: String,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("apply_scope", FormatKind::Metadata)
        .description(
            "Gives files to work with a name and an id, which later steps take as scope_id. Files that can't be read \
             are left out, with the reason. Changes no file.",
        )
        .handler(|wizards: Arc<Wizards>, input: ScopeInput, _context| async move {
            blocking(move |_| apply(&wizards, input)).await
        })
}

fn apply(wizards: &Wizards, input: ScopeInput) -> Result<WizardResult<ScopeOutput>, ErrorBody> {
    let glob = input.pattern.as_deref().map(matcher).transpose()?;
    let access = wizards.files()?;
    let (mut files, mut skipped, mut total_size) = (BTreeSet::new(), Vec::new(), 0);
    for path in &input.files {
        let skip = |reason: String| SkipReason { path: path.clone(), reason };
        match admitted(&access, path) {
            Ok((shown, _)) if files.contains(&shown) => skipped.push(skip("it is listed twice".to_owned())),
            Ok((shown, _)) if glob.as_ref().is_some_and(|glob| !glob.is_match(&shown)) => {
                skipped.push(skip("it does not match the pattern".to_owned()));
            }
            Ok((shown, size)) => {
                total_size += size;
                files.insert(shown);
            }
            Err(error) => skipped.push(skip(error.reason)),
        }
    }
    if files.is_empty() {
        let first = skipped.first().map_or_else(String::new, |it| format!(": {}", it.reason));
        return Err(range(
            "files",
            format!("none of the {} can be used{first}", plural(input.files.len(), "file", "files")),
            "list files with `quick_scan` and take paths from there",
        ));
    }
    let scope = FileScope {
        scope_id: format!("scope_{}", wizards.ids.next()),
        name: input.name,
        description: input.description,
        files: files.into_iter().collect(),
        pattern: input.pattern,
        created_at: wizards.clock.now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
        tags: input.tags,
    };
    wizards.contracts().keep_scope(&scope)?;
    let feedback = format!("scope `{}` of {}", scope.name, plural(scope.files.len(), "file", "files"));
    let workflow = Workflow::new(Phase::Discovery).then(
        NextAction::new("discover_schemas", "infer the types of the columns")
            .with("scope_id", scope.scope_id.clone())
            .with("files", fitting(scope.files.iter().take(100).cloned(), LISTED_BYTES / 4).0),
    );
    let mut common = Common { workflow: Some(workflow), ..Common::default() };
    if !skipped.is_empty() {
        common.warn("WARN_FILES_SKIPPED", format!("{} left out", plural(skipped.len(), "file", "files")));
    }
    let (file_count, files_skipped) = (scope.files.len(), skipped.len());
    let (listed, more) = fitting(scope.files, LISTED_BYTES);
    if more > 0 {
        common.warn("WARN_TRUNCATED", format!("{} of the scope not listed", plural(more, "file", "files")));
    }
    let output = ScopeOutput {
        file_count,
        total_size,
        files_skipped,
        skip_reasons: fitting(skipped.into_iter().take(TOLD), LISTED_BYTES / 4).0,
        truncated: more > 0,
        scope: FileScope { files: listed, ..scope },
    };
    Ok(WizardResult::new(output).feedback(feedback).common(common))
}

fn matcher(pattern: &str) -> Result<globset::GlobMatcher, ErrorBody> {
    let glob = globset::GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        ErrorBody::new(ErrorCode::GlobInvalid, error.to_string(), "write a glob such as `orders/**/*.csv`")
            .at_field("pattern")
    })
}
