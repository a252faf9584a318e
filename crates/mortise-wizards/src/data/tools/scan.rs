//! `quick_scan`: what files there are.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use mortise_formats::format::FormatKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{plural, stamp};
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::bounds::LISTED_FILES;
use crate::data::scan::{FoundFile, ScanOptions, UnreadablePath, scan};
use crate::tool::room::{fitting, size};
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

/// Bytes of paths and names that are listed.
const LISTED_BYTES: usize = 600_000;
/// Bytes of paths that the next steps are offered with.
const SAMPLE_BYTES: usize = 30_000;
/// The key of files without an ending.
const NO_ENDING: &str = "(none)";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScanInput {
    /// The folder to look into, relative to a root or absolute below one
    #[schemars(length(min = 1))]
    path: String,
    /// Files at most
    #[serde(default = "max_files")]
    #[schemars(range(min = 1, max = 1_000_000))]
    max_files: usize,
    /// Folders below one another, the first included
    #[serde(default = "max_depth")]
    #[schemars(range(min = 1, max = 100))]
    max_depth: usize,
    /// Whether names that begin with a dot count
    #[serde(default)]
    include_hidden: bool,
}

fn max_files() -> usize {
    1_000
}

fn max_depth() -> usize {
    5
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScanOutput {
    /// The folder, relative to the root
    pub directory: String,
    /// Files found
    pub file_count: usize,
    /// Bytes of all of them
    pub total_size: u64,
    /// The files by the ending of their names; `(none)` for those without
    pub by_extension: BTreeMap<String, Vec<ScannedFile>>,
    /// How long it took
    pub duration_ms: u64,
    /// Whether there is more than was counted or listed
    pub truncated: bool,
    /// Whether deeper folders were left out
    pub max_depth_reached: bool,
    /// What could not be read, or is not a file
    pub unreadable: Vec<UnreadablePath>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScannedFile {
    /// Relative to the root
    pub path: String,
    /// The last part of the path
    pub name: String,
    /// Bytes
    pub size: u64,
    /// When it was last written
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// The ending of its name, in lower case
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// Whether a part of the path begins with a dot
    pub is_hidden: bool,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("quick_scan", FormatKind::Metadata)
        .description(
            "Lists the files below a folder by their endings, with sizes and times, without opening any. The first \
             step with an unknown folder; then preview_files or apply_scope. Links to folders are not followed, and \
             folders that can't be read are listed in `unreadable`.",
        )
        .read_only()
        .handler(|wizards: Arc<Wizards>, input: ScanInput, _context| async move {
            blocking(move |stop| {
                let started = Instant::now();
                let files = wizards.files()?;
                let folder = files.folder(&input.path).map_err(|error| {
                    mortise_formats::format::ErrorBody::from(error).at_field("path")
                })?;
                let options = ScanOptions {
                    max_files: input.max_files,
                    max_depth: input.max_depth,
                    include_hidden: input.include_hidden,
                };
                let found = scan(&files, &folder, options, stop)?;
                let (file_count, total_size) = (found.files.len(), found.total_size);
                let (by_extension, all_listed) = listed(found.files);
                let (unreadable, more) = fitting(found.unreadable, LISTED_BYTES / 4);
                let more = more + found.more_unreadable;
                let truncated = found.truncated || !all_listed || more > 0;
                let output = ScanOutput {
                    directory: files.shown(&folder),
                    file_count,
                    total_size,
                    duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                    truncated,
                    max_depth_reached: found.max_depth_reached,
                    unreadable,
                    by_extension,
                };
                Ok(done(output, more))
            })
            .await
        })
}

fn listed(files: Vec<FoundFile>) -> (BTreeMap<String, Vec<ScannedFile>>, bool) {
    let mut by_extension: BTreeMap<String, Vec<ScannedFile>> = BTreeMap::new();
    let mut bytes = 0;
    for (index, file) in files.into_iter().enumerate() {
        let key = file.extension.clone().unwrap_or_else(|| NO_ENDING.to_owned());
        let entry = ScannedFile {
            path: file.path,
            name: file.name,
            size: file.size,
            modified: file.modified.map(stamp),
            extension: file.extension,
            is_hidden: file.is_hidden,
        };
        bytes += size(&entry) + if by_extension.contains_key(&key) { 0 } else { size(&key) + 4 };
        if index >= LISTED_FILES || bytes > LISTED_BYTES {
            return (by_extension, false);
        }
        by_extension.entry(key).or_default().push(entry);
    }
    (by_extension, true)
}

fn done(output: ScanOutput, more_unreadable: usize) -> WizardResult<ScanOutput> {
    let kinds: Vec<String> =
        output.by_extension.iter().map(|(ending, files)| format!("{} {ending}", files.len())).collect();
    let mut feedback = format!(
        "{} in `{}`, {} bytes: {}",
        plural(output.file_count, "file", "files"),
        output.directory,
        output.total_size,
        kinds.join(", ")
    );
    if output.truncated {
        feedback.push_str("; there are more");
    }
    let largest = output.by_extension.values().max_by_key(|files| files.len());
    let sample = largest.into_iter().flatten().take(100).map(|file| file.path.clone());
    let (sample, _) = fitting(sample, SAMPLE_BYTES);
    let mut workflow = Workflow::new(Phase::Discovery);
    // Nothing can be done with no files, and one path has nothing to be compared with.
    if !sample.is_empty() {
        workflow = workflow
            .then(NextAction::new("preview_files", "look into some of them").with("files", first(&sample, 3)))
            .then(
                NextAction::new("apply_scope", "choose the files to work with").with("files", sample.clone()),
            );
    }
    if sample.len() > 1 {
        workflow = workflow.then(
            NextAction::new("recognize_semantic_path", "recognise how the paths are built")
                .with("sample_paths", sample),
        );
    }
    let mut common = Common { workflow: Some(workflow), ..Common::default() };
    if !output.unreadable.is_empty() {
        let entries = plural(output.unreadable.len() + more_unreadable, "entry", "entries");
        common.warn("WARN_UNREADABLE", format!("{entries} could not be looked at or are not files"));
    }
    WizardResult::new(output).feedback(feedback).common(common)
}

fn first(paths: &[String], count: usize) -> Vec<String> {
    paths.iter().take(count).cloned().collect()
}
