//! The manifest: what the store knows about its drafts.

use chrono::{DateTime, SecondsFormat, Utc};
use mortise_formats::format::{ErrorBody, ErrorCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commit::Committed;
use super::{LIFETIME, files};
use crate::data::bounds::shown;
use crate::data::files::folder::is_plain_name;
use crate::store::{DraftKind, NewDraft};
use crate::tool::room::fitting;

/// The version of the manifest's form.
pub(super) const VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) version: u32,
    /// Oldest first.
    pub(super) drafts: Vec<DraftEntry>,
    /// Oldest first.
    pub(super) committed: Vec<Committed>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { version: VERSION, drafts: Vec::new(), committed: Vec::new() }
    }
}

impl Manifest {
    /// What is in it that the store never writes, if anything: such a manifest is not ours.
    pub(super) fn foreign(&self) -> Option<String> {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        for draft in &self.drafts {
            // Ids had eight digits once, and what was issued then is still listed.
            if !matches!(draft.id.len(), 8 | 32) || !draft.id.bytes().all(is_hex) {
                return Some(format!("`{}` is not an id of a draft", shown(&draft.id)));
            }
            if let Some(name) = draft.files.iter().find(|name| !is_plain_name(name)) {
                return Some(format!("`{}` is not a name for a file of a draft", shown(name)));
            }
        }
        let misplaced = self.committed.iter().find(|committed| committed.place().is_none())?;
        Some(format!(
            "`{}` in version `{}` was never committed",
            shown(&misplaced.name),
            shown(&misplaced.version)
        ))
    }
}

/// One draft as the manifest has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftEntry {
    /// Eight lower-case hex digits
    pub id: String,
    /// What it is of
    pub kind: DraftKind,
    /// The name of the rule or the parser
    pub name: String,
    /// The names of its files
    pub files: Vec<String>,
    /// Over the names and contents of its files when it was last checked
    pub sha256: String,
    /// When it was made
    #[serde(with = "seconds")]
    #[schemars(with = "String")]
    pub created_at: DateTime<Utc>,
    /// When it ends
    #[serde(with = "seconds")]
    #[schemars(with = "String")]
    pub expires_at: DateTime<Utc>,
    /// What it was made from
    pub source_context: SourceContext,
    /// What made it
    pub generator: String,
    /// Where it stands
    pub status: DraftStatus,
    /// Facts that the store keeps and does not read
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub facts: Value,
}

/// Bytes of the paths that a draft was made from: the manifest is read whole, and holds many drafts.
const KEPT_BYTES: usize = 4_000;

/// What a draft was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceContext {
    /// The first of the paths or files, as the caller gave them
    pub sample_paths: Vec<String>,
    /// The caller's hint
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_hints: Option<String>,
}

/// Where a draft stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum DraftStatus {
    /// Nothing has happened yet.
    Start,
    /// It is being made.
    Generating,
    /// It is made and waits for a decision.
    Draft,
    /// It could not be made.
    Error,
    /// Making it took too long.
    Timeout,
    /// Making it was cancelled.
    Canceled,
    /// A person said yes.
    Approved,
    /// A person said no.
    Rejected,
    /// A person changed its files.
    Manual,
    /// Its time is over.
    Expired,
    /// Its files are in their final place.
    Committed,
}

impl DraftStatus {
    /// Whether something can still come of it.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Start | Self::Generating | Self::Draft | Self::Approved | Self::Manual)
    }

    /// Whether a draft may go from here to there. A changed draft that is checked again may be approved.
    pub fn may_become(self, next: Self) -> bool {
        match self {
            Self::Start => next == Self::Generating,
            Self::Generating => matches!(next, Self::Draft | Self::Error | Self::Timeout | Self::Canceled),
            Self::Draft => matches!(next, Self::Approved | Self::Rejected | Self::Manual | Self::Expired),
            Self::Manual => matches!(next, Self::Approved | Self::Rejected | Self::Expired),
            Self::Approved => matches!(next, Self::Committed | Self::Manual | Self::Expired),
            _ => false,
        }
    }

    /// The status as results name it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl DraftEntry {
    /// An entry for a draft that was made and checked.
    pub(super) fn new(id: &str, draft: NewDraft, now: DateTime<Utc>) -> Self {
        Self {
            id: id.to_owned(),
            kind: draft.kind,
            name: draft.name,
            sha256: files::digest(&draft.files),
            files: draft.files.into_iter().map(|(name, _)| name).collect(),
            created_at: now,
            expires_at: now + LIFETIME,
            source_context: SourceContext {
                sample_paths: fitting(draft.sample_paths, KEPT_BYTES).0,
                user_hints: draft.user_hints,
            },
            generator: format!("mortise-wizards/{}", env!("CARGO_PKG_VERSION")),
            status: DraftStatus::Draft,
            facts: draft.facts,
        }
    }

    /// Moves the draft on, where that is allowed.
    pub(super) fn become_(&mut self, status: DraftStatus) -> Result<(), ErrorBody> {
        if self.status == status {
            return Ok(());
        }
        if !self.status.may_become(status) {
            let reason = format!(
                "draft `{}` is {}, it can't become {}",
                self.id,
                self.status.as_str(),
                status.as_str()
            );
            return Err(ErrorBody::new(
                ErrorCode::DraftState,
                reason,
                "call list_drafts to see where drafts stand",
            )
            .at_field("draft_id"));
        }
        self.status = status;
        Ok(())
    }
}

/// Times to the second, in UTC.
mod seconds {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use super::{DateTime, SecondsFormat, Utc};

    pub(super) fn serialize<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Secs, true))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DateTime<Utc>, D::Error> {
        let text = String::deserialize(deserializer)?;
        DateTime::parse_from_rfc3339(&text).map(|time| time.to_utc()).map_err(D::Error::custom)
    }
}
