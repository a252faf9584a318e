//! The tools that look at files, propose schemas and keep what was agreed.

use mortise_formats::format::{ErrorBody, ErrorCode};

use super::files::DataFiles;
use crate::tool::Wizard;
use crate::wizards::Wizards;

mod amend;
mod approve;
mod discover;
mod preview;
mod sample;
mod scan;
mod scope;

pub use self::amend::AmendOutput;
pub use self::approve::ApproveOutput;
pub use self::discover::{DiscoverOutput, FailedFile};
pub use self::preview::{DelimiterName, FileFault, FilePreview, PreviewOutput};
pub use self::sample::SampleOutput;
pub use self::scan::{ScanOutput, ScannedFile};
pub use self::scope::{ScopeOutput, SkipReason};

/// All of them, in the order in which they are used.
pub fn wizards() -> Vec<Wizard> {
    vec![
        scan::wizard(),
        preview::wizard(),
        sample::wizard(),
        scope::wizard(),
        discover::wizard(),
        approve::wizard(),
        amend::wizard(),
    ]
}

/// The files in the order of their paths, each once.
fn sorted(files: &[String]) -> Vec<String> {
    let mut sorted = files.to_vec();
    sorted.sort();
    sorted.dedup();
    sorted
}

fn range(field: &str, reason: impl Into<String>, suggestion: impl Into<String>) -> ErrorBody {
    ErrorBody::new(ErrorCode::ParamRange, reason, suggestion).at_field(field)
}

/// A time of the file system as text, in UTC to the second.
fn stamp(time: std::time::SystemTime) -> String {
    chrono::DateTime::<chrono::Utc>::from(time).to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// The path as callers see it, and the size, of a file that may be read.
fn admitted(files: &DataFiles, path: &str) -> Result<(String, u64), ErrorBody> {
    let file = files.open(path)?;
    Ok((file.shown().to_owned(), file.size()))
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn scope_must_exist(wizards: &Wizards, scope_id: Option<&String>) -> Result<(), ErrorBody> {
    match scope_id {
        Some(id) => wizards.contracts().scope(id).map(drop),
        None => Ok(()),
    }
}
