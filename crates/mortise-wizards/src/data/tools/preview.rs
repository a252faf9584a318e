//! `preview_files`: the first lines of files.

use std::sync::Arc;
use std::time::Instant;

use mortise_formats::format::{ErrorBody, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plural;
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::fault::DataError;
use crate::data::files::DataFiles;
use crate::data::preview::preview;
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

/// Bytes of lines in all files together.
const ALL_BYTES: usize = 500_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PreviewInput {
    /// The files
    #[schemars(length(min = 1, max = 200))]
    files: Vec<String>,
    /// Lines of each
    #[serde(default = "lines")]
    #[schemars(range(min = 1, max = 1000))]
    lines: u64,
    /// Lines to pass over
    #[serde(default)]
    #[schemars(range(min = 0, max = 100_000_000))]
    offset: u64,
}

fn lines() -> u64 {
    20
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewOutput {
    /// One for each file, in the order of the call
    pub previews: Vec<FilePreview>,
    /// How many files
    pub file_count: usize,
    /// How long it took
    pub duration_ms: u64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilePreview {
    /// Relative to the root
    pub path: String,
    /// Bytes
    pub size_bytes: u64,
    /// Lines in all
    pub total_lines: u64,
    /// Whether that is an estimate
    pub lines_estimated: bool,
    /// The number of the first line shown, from 1
    pub start_line: u64,
    /// The lines, cut where they are long
    pub lines: Vec<String>,
    /// Whether more lines follow
    pub has_more: bool,
    /// What separates the cells of a table
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_delimiter: Option<DelimiterName>,
    /// Cells of a row
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column_count: Option<usize>,
    /// The names of the columns
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<Vec<String>>,
    /// Why there are no lines
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<FileFault>,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DelimiterName {
    Comma,
    Tab,
    Pipe,
    Semicolon,
    Colon,
}

/// Why a file was left out.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileFault {
    /// For programs
    pub error_code: String,
    /// What was found
    pub reason: String,
}

impl From<ErrorBody> for FileFault {
    fn from(body: ErrorBody) -> Self {
        Self { error_code: body.error_code.as_str().to_owned(), reason: body.reason }
    }
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("preview_files", FormatKind::Metadata)
        .description(
            "Shows lines of text files as they stand there, with the delimiter, the number of columns and the header \
             where a file is a table. Gzip and all usual encodings are read. A file that can't be shown has `error`.",
        )
        .read_only()
        .handler(|wizards: Arc<Wizards>, input: PreviewInput, context| async move {
            blocking(move |stop| {
                let started = Instant::now();
                let files = wizards.files()?.until(stop);
                let mut room = ALL_BYTES;
                let mut previews = Vec::new();
                for (index, path) in input.files.iter().enumerate() {
                    if stop.is_cancelled() {
                        return Err(DataError::Canceled.into());
                    }
                    let mut shown = one(&files, path, &input, stop);
                    while shown.lines.iter().map(String::len).sum::<usize>() > room && !shown.lines.is_empty() {
                        shown.lines.pop();
                        shown.has_more = true;
                    }
                    room -= shown.lines.iter().map(String::len).sum::<usize>();
                    let names = shown.header.iter().flatten().map(String::len).sum::<usize>();
                    match room.checked_sub(names) {
                        Some(rest) => room = rest,
                        None => shown.header = None,
                    }
                    previews.push(shown);
                    context.progress(index as f64 + 1.0, Some(input.files.len() as f64), None);
                }
                let failed = previews.iter().filter(|preview| preview.error.is_some()).count();
                let output = PreviewOutput {
                    file_count: previews.len(),
                    previews,
                    duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                };
                let mut feedback = format!("{} shown", plural(output.file_count - failed, "file", "files"));
                if failed > 0 {
                    feedback.push_str(&format!(", {} not", plural(failed, "file", "files")));
                }
                let workflow = Workflow::new(Phase::Discovery)
                    .then(NextAction::new("discover_schemas", "infer types").with("files", input.files));
                let common = Common { workflow: Some(workflow), ..Common::default() };
                Ok(WizardResult::new(output).feedback(feedback).common(common))
            })
            .await
        })
}

fn one(
    files: &DataFiles,
    path: &str,
    input: &PreviewInput,
    stop: &tokio_util::sync::CancellationToken,
) -> FilePreview {
    let mut shown = FilePreview {
        path: path.to_owned(),
        size_bytes: 0,
        total_lines: 0,
        lines_estimated: false,
        start_line: input.offset + 1,
        lines: Vec::new(),
        has_more: false,
        detected_delimiter: None,
        column_count: None,
        header: None,
        error: None,
    };
    let file = match files.open(path) {
        Ok(file) => file,
        Err(error) => {
            shown.error = Some(ErrorBody::from(error).into());
            return shown;
        }
    };
    file.shown().clone_into(&mut shown.path);
    shown.size_bytes = file.size();
    match preview(file, input.lines, input.offset, stop) {
        Ok(found) => {
            shown.total_lines = found.total_lines;
            shown.lines_estimated = found.lines_estimated;
            shown.lines = found.lines;
            shown.has_more = found.has_more;
            shown.detected_delimiter = found.delimiter.and_then(delimiter_name);
            shown.column_count = found.column_count;
            shown.header = found.header;
        }
        Err(error) => shown.error = Some(ErrorBody::from(error).into()),
    }
    shown
}

fn delimiter_name(delimiter: char) -> Option<DelimiterName> {
    match delimiter {
        ',' => Some(DelimiterName::Comma),
        '\t' => Some(DelimiterName::Tab),
        '|' => Some(DelimiterName::Pipe),
        ';' => Some(DelimiterName::Semicolon),
        ':' => Some(DelimiterName::Colon),
        _ => None,
    }
}
