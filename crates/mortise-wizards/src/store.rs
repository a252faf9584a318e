//! What outlives a call: drafts, scopes, contracts and the sources that are known by their paths.

pub(crate) mod assigned;
pub(crate) mod database;
pub(crate) mod drafts;
pub(crate) mod query;
pub(crate) mod table;

use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::python;
use mortise_formats::rules::RuleDocument;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::parsers::validate::Static;

pub use drafts::{Committed, DraftEntry, DraftStatus, Drafts, Release};

/// Keeps what the path wizards propose. Implemented by the draft store.
pub trait DraftStore: Send + Sync + 'static {
    /// Keeps a draft that has passed its checks, and gives it an id.
    fn put(&self, draft: NewDraft) -> Result<IssuedDraft, ErrorBody>;

    /// Approves and commits a draft that was put a moment ago.
    fn commit(&self, id: &str) -> Result<(), ErrorBody> {
        self.commit_as(id, &Release::default()).map(|_| ())
    }

    /// Commits a draft under a name and a version: checks its files again, and puts them in their final place.
    fn commit_as(&self, id: &str, _release: &Release) -> Result<Committed, ErrorBody> {
        Err(no_draft(id))
    }

    /// All drafts that are remembered, oldest first.
    fn list(&self) -> Result<Vec<DraftEntry>, ErrorBody> {
        Ok(Vec::new())
    }

    /// A live draft and its files as they are on disk: names and texts.
    fn get(&self, id: &str) -> Result<(DraftEntry, Vec<(String, String)>), ErrorBody> {
        Err(no_draft(id))
    }

    /// The sources whose path structure is known from committed rules, by id.
    fn sources(&self) -> Result<Vec<KnownSource>, ErrorBody>;

    /// What there is to review: the committed rules, and files besides those of applied scopes.
    fn review(&self) -> Result<ReviewMaterial, ErrorBody> {
        Ok(ReviewMaterial::default())
    }
}

/// Files and the rules that they are held against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewMaterial {
    /// Files that belong to no scope.
    pub files: Vec<String>,
    /// The committed rules, each a YAML document.
    pub rules: Vec<String>,
}

/// What a draft is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DraftKind {
    /// A rule with or without Python beside it.
    Extractor,
    /// A parser.
    Parser,
    /// A rule.
    Rule,
}

/// A draft before it has an id.
#[derive(Clone, Debug)]
pub struct NewDraft {
    /// Decides how its files are checked and where they are committed.
    pub kind: DraftKind,
    /// The name of the rule or the parser.
    pub name: String,
    /// File names without directories, and their texts.
    pub files: Vec<(String, String)>,
    /// The paths or files it was made from, as the caller gave them.
    pub sample_paths: Vec<String>,
    /// The hint that the caller gave.
    pub user_hints: Option<String>,
    /// Facts about what it was made from, e.g. the semantic expression under `expression`, the number of sample
    /// paths under `file_count`, and the id of the source under `source_id` if the caller gave one.
    pub facts: Value,
}

/// The id of a draft that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedDraft {
    /// 32 lower-case hex digits.
    pub id: String,
    /// What happened to other drafts to make room.
    pub warnings: Vec<String>,
}

/// A source whose path structure is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSource {
    /// The id that a caller gave it, the scope's id or the rule's name.
    pub source_id: String,
    /// Its semantic expression.
    pub expression: String,
    /// Files that it was recognised from.
    pub file_count: u64,
}

/// Checks the files of a draft without running anything: rules by their schema, code by its protocol.
pub fn check_draft(kind: DraftKind, files: &[(String, String)]) -> Result<(), ErrorBody> {
    for (name, text) in files {
        let is = |ending: &str| name.ends_with(ending);
        match kind {
            DraftKind::Parser if is(".py") => {
                if let Some(error) = Static::check(text, &[]).protocol_error() {
                    return Err(error);
                }
            }
            DraftKind::Extractor if is(".py") => {
                python::check_extractor(text)?;
            }
            DraftKind::Extractor | DraftKind::Rule if is(".yaml") || is(".yml") => {
                RuleDocument::parse(text)?;
            }
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn no_draft(id: &str) -> ErrorBody {
    let reason = format!("there is no draft `{}`", crate::data::bounds::shown(id));
    ErrorBody::new(ErrorCode::DraftNotFound, reason, "call list_drafts for the ids of all drafts")
        .at_field("draft_id")
}
