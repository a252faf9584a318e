//! What outlives a call: drafts, scopes, contracts and the sources that are known by their paths.

use mortise_contract::format::ErrorBody;
use serde_json::Value;

/// Keeps what the path wizards propose. Implemented by the draft store.
pub trait DraftStore: Send + Sync + 'static {
    /// Keeps a draft that has passed its checks, and gives it an id.
    ///
    /// # Errors
    ///
    /// When the store can't be written.
    fn put(&self, draft: NewDraft) -> Result<IssuedDraft, ErrorBody>;

    /// Approves and commits a draft that was put a moment ago.
    ///
    /// # Errors
    ///
    /// As for the `commit_draft` tool: no such draft, expired, edited, or the wrong state.
    fn commit(&self, id: &str) -> Result<(), ErrorBody>;

    /// The sources whose path structure is known from committed rules, by id.
    ///
    /// # Errors
    ///
    /// When the store can't be read.
    fn sources(&self) -> Result<Vec<KnownSource>, ErrorBody>;

    /// What there is to review: the committed rules, and files besides those of applied scopes.
    ///
    /// # Errors
    ///
    /// When the store can't be read.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// What it is of.
    pub kind: DraftKind,
    /// The name of the rule or the parser.
    pub name: String,
    /// File names without directories, and their texts.
    pub files: Vec<(String, String)>,
    /// The paths or files it was made from, as the caller gave them.
    pub sample_paths: Vec<String>,
    /// The caller's hint.
    pub user_hints: Option<String>,
    /// Facts that the store keeps and does not read, e.g. the semantic expression under `expression`
    /// and the number of sample paths under `file_count`.
    pub facts: Value,
}

/// A draft that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedDraft {
    /// Eight lower-case hex digits.
    pub id: String,
    /// What happened to other drafts to make room.
    pub warnings: Vec<String>,
}

/// A source whose path structure is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSource {
    /// The scope's id or the rule's name.
    pub source_id: String,
    /// Its semantic expression.
    pub expression: String,
    /// How many files it has.
    pub file_count: u64,
}
