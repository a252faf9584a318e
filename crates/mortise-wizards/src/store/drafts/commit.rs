//! Committing: a draft's files in their final place, under a name and a version.

use std::fmt;
use std::path::{Path, PathBuf};

use mortise_formats::format::{ErrorBody, ErrorCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::manifest::DraftStatus;
use super::{Drafts, files};
use crate::data::bounds::shown;
use crate::data::files::FileError;
use crate::data::files::folder::{Folder, temporary_name};
use crate::parsers::plan::topic;
use crate::store::DraftKind;

/// Under what a draft is committed; what is missing is chosen.
#[derive(Clone, Debug, Default)]
pub struct Release {
    /// The name, else the draft's.
    pub name: Option<String>,
    /// The version, else the next.
    pub version: Option<String>,
}

/// What was committed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Committed {
    /// What it is
    pub kind: DraftKind,
    /// Its name
    pub name: String,
    /// Its version
    pub version: String,
    /// The folder of its files
    pub path: String,
    /// Over the names and contents of its files
    pub sha256: String,
    /// The draft it was
    pub draft_id: String,
    /// Whether its files were changed by hand after they were made
    pub edited: bool,
    /// Facts of the draft
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub facts: Value,
}

impl Committed {
    /// Where its files are below the folder of what was committed; none if its name or version lead elsewhere.
    /// The path that a manifest has is for people.
    pub(super) fn place(&self) -> Option<PathBuf> {
        check_name(&self.name).ok()?;
        Some(place(self.kind, &self.name, &DraftVersion::parse(&self.version)?))
    }

    /// The source that it is for, or its name if the caller named no source.
    pub(super) fn source_id(&self) -> &str {
        self.facts.get("source_id").and_then(Value::as_str).unwrap_or(&self.name)
    }
}

/// What is in force of all that was committed, oldest first: a later version takes the place of those before it,
/// unless it is for another source, which only happens to have the same name.
pub(super) fn current(committed: &[Committed]) -> Vec<&Committed> {
    // Versions of a name rise, so the last one is the highest.
    let same = |left: &Committed, right: &Committed| {
        (left.kind, &left.name, left.source_id()) == (right.kind, &right.name, right.source_id())
    };
    let is_last =
        |index: usize, own: &Committed| !committed[index + 1..].iter().any(|later| same(own, later));
    committed.iter().enumerate().filter(|(index, own)| is_last(*index, own)).map(|(_, own)| own).collect()
}

fn place(kind: DraftKind, name: &str, version: &DraftVersion) -> PathBuf {
    Path::new(folder_of(kind)).join(name).join(version.to_string())
}

/// A version: one to four numbers with points between, compared number by number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DraftVersion(Vec<u32>);

impl DraftVersion {
    /// Reads `1`, `1.2` or `1.2.3`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let parts: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        let plain = text.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit());
        parts.filter(|parts| plain && parts.len() <= 4).map(|mut parts| {
            // 1 and 1.0.0 are the same.
            parts.resize(parts.len().max(3), 0);
            Self(parts)
        })
    }

    /// The next one in the middle place.
    fn next(&self) -> Self {
        let mut parts = self.0.clone();
        parts.truncate(3);
        parts[1] = parts[1].saturating_add(1);
        parts[2] = 0;
        Self(parts)
    }
}

impl fmt::Display for DraftVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u32::to_string).collect();
        formatter.write_str(&parts.join("."))
    }
}

impl Drafts {
    /// Checks a draft's files again, and puts them in their final place.
    pub(super) fn release(&self, id: &str, release: &Release) -> Result<Committed, ErrorBody> {
        let mut store = self.open()?;
        self.expire(&mut store)?;
        let as_listed = store.live(id)?.clone();
        let current = files::read_draft(&store.held.folder, &as_listed)?;
        let sha256 = files::digest(&current);
        let entry = store.live(id)?;
        let edited = sha256 != entry.sha256;
        if edited {
            entry.become_(DraftStatus::Manual)?;
        }
        let edited = edited || entry.status == DraftStatus::Manual;
        let (kind, facts) = (entry.kind, entry.facts.clone());
        let name = release.name.clone().unwrap_or_else(|| entry.name.clone());
        store.save()?;
        (self.check)(kind, &current)?;
        check_name(&name)?;
        let version = next_version(&store.manifest.committed, kind, &name, release.version.as_deref())?;
        let place = self.published.join(place(kind, &name, &version));
        publish(self.publishing_base(), &place, &current)?;
        let committed = Committed {
            kind,
            name,
            version: version.to_string(),
            path: place.display().to_string(),
            sha256: sha256.clone(),
            draft_id: id.to_owned(),
            edited,
            facts,
        };
        let entry = store.live(id)?;
        entry.sha256 = sha256;
        entry.become_(DraftStatus::Approved)?;
        entry.become_(DraftStatus::Committed)?;
        store.manifest.committed.push(committed.clone());
        store.save()?;
        files::remove_draft(&store.held.folder, id);
        Ok(committed)
    }
}

fn folder_of(kind: DraftKind) -> &'static str {
    match kind {
        DraftKind::Extractor => "extractors",
        DraftKind::Parser => "parsers",
        DraftKind::Rule => "rules",
    }
}

/// A name becomes a folder, so it is plain.
fn check_name(name: &str) -> Result<(), ErrorBody> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.len() <= 128 && name.chars().all(plain) {
        return Ok(());
    }
    let reason = format!("`{}` is not a name: letters, digits, `_` and `-` make one", shown(name));
    Err(ErrorBody::new(ErrorCode::ParamRange, reason, format!("use `{}`", topic(name))).at_field("name"))
}

fn next_version(
    committed: &[Committed],
    kind: DraftKind,
    name: &str,
    wanted: Option<&str>,
) -> Result<DraftVersion, ErrorBody> {
    let same = committed.iter().filter(|other| other.kind == kind && other.name == name);
    let last = same.filter_map(|other| DraftVersion::parse(&other.version)).max();
    let Some(wanted) = wanted else {
        return Ok(last.map_or_else(|| DraftVersion(vec![1, 0, 0]), |last| last.next()));
    };
    let Some(version) = DraftVersion::parse(wanted) else {
        let reason = format!("`{}` is not a version", shown(wanted));
        return Err(ErrorBody::new(
            ErrorCode::ParamRange,
            reason,
            "use numbers with points, such as `1.2.0`",
        )
        .at_field("version"));
    };
    match last {
        Some(last) if version <= last => Err(ErrorBody::new(
            ErrorCode::VersionNotRising,
            format!("version {version} of `{name}` does not rise: {last} is committed"),
            format!("use {} or leave `version` out", last.next()),
        )
        .at_field("version")),
        _ => Ok(version),
    }
}

/// Puts the files in their final place, all or none.
fn publish(base: &Path, place: &Path, content: &[(String, String)]) -> Result<(), ErrorBody> {
    let failed = |error| FileError::io("write", place.to_string_lossy(), error);
    let name = place.file_name().unwrap_or_default();
    let folder = Folder::make(base, place.parent().unwrap_or(base))?;
    if folder.has(name) {
        let reason = format!("`{}` exists already", place.display());
        return Err(
            ErrorBody::new(ErrorCode::VersionNotRising, reason, "use a higher version").at_field("version")
        );
    }
    let temporary = temporary_name().map_err(failed)?;
    let temporary = temporary.to_string_lossy();
    let written = files::write_draft(&folder, &temporary, content)
        .and_then(|()| Ok(folder.rename(temporary.as_ref().as_ref(), name)?));
    if written.is_err() {
        files::remove_draft(&folder, &temporary);
    }
    written
}
