//! The draft store: a directory of files and a manifest, safe against restarts and against a second process.
//!
//! Everything a wizard proposes is kept here for a day, under an id that is issued only after the proposal has passed
//! its checks. A commit checks again, notices what was edited by hand, and puts the files in their final place.

mod commit;
mod files;
mod lock;
mod manifest;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::TimeDelta;
use mortise_formats::format::{ErrorBody, ErrorCode};

pub use self::commit::{Committed, Release};
use self::lock::LockedManifest;
pub(crate) use self::lock::{LockedFolder, PATIENCE};
pub use self::manifest::{DraftEntry, DraftStatus};
use crate::data::files::folder::Folder;
use crate::store::{DraftKind, DraftStore, IssuedDraft, KnownSource, NewDraft, ReviewMaterial};
use crate::wizards::{Clock, IdSource};

/// The most drafts that wait for a decision; the oldest makes room for one more.
pub(crate) const LIVE_DRAFTS: usize = 10;

pub(crate) const LIFETIME: TimeDelta = TimeDelta::hours(24);

/// Finished drafts that are remembered, so that their ids are not reported as unknown.
const REMEMBERED: usize = 100;

/// How often another id is tried when one is taken.
const ID_ATTEMPTS: usize = 3;

/// Checks the files of a draft as they are now.
pub(crate) type Check = fn(DraftKind, &[(String, String)]) -> Result<(), ErrorBody>;

/// The draft store below one directory.
pub struct Drafts {
    directory: PathBuf,
    /// Below it is what was committed.
    published: PathBuf,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    check: Check,
}

impl Drafts {
    /// The store below `directory`, which is made when something is put there. What is committed goes below the same.
    pub fn new(
        directory: impl Into<PathBuf>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
        check: Check,
    ) -> Self {
        let directory = directory.into();
        Self { published: directory.join("committed"), directory, clock, ids, check }
    }

    /// Puts what is committed below another directory.
    #[must_use]
    pub fn publishing_to(mut self, directory: impl Into<PathBuf>) -> Self {
        self.published = directory.into();
        self
    }

    /// The directory of drafts and manifest.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Approves a draft, or says why it can't be.
    pub fn approve(&self, id: &str) -> Result<(), ErrorBody> {
        self.decide(id, DraftStatus::Approved)
    }

    /// Rejects a draft.
    pub fn reject(&self, id: &str) -> Result<(), ErrorBody> {
        self.decide(id, DraftStatus::Rejected)
    }

    fn decide(&self, id: &str, status: DraftStatus) -> Result<(), ErrorBody> {
        let mut store = self.open()?;
        self.expire(&mut store)?;
        store.live(id)?.become_(status)?;
        store.save()
    }

    fn open(&self) -> Result<LockedManifest, ErrorBody> {
        LockedManifest::open(self.base(), &self.directory)
    }

    /// The folder that a person chose. The store's own folders below it are not links.
    fn base(&self) -> &Path {
        match self.directory.starts_with(&self.published) {
            true => &self.published,
            false => self.directory.parent().unwrap_or(&self.directory),
        }
    }

    fn publishing_base(&self) -> &Path {
        if self.published.starts_with(self.base()) { self.base() } else { &self.published }
    }

    /// Ends what is too old, and forgets what ended long ago.
    fn expire(&self, store: &mut LockedManifest) -> Result<(), ErrorBody> {
        let now = self.clock.now();
        let mut changed = false;
        for entry in &mut store.manifest.drafts {
            if entry.status.is_live() && entry.expires_at <= now {
                entry.status = DraftStatus::Expired;
                files::remove_draft(&store.held.folder, &entry.id);
                changed = true;
            }
        }
        let over = store.manifest.drafts.iter().filter(|entry| !entry.status.is_live()).count();
        let mut surplus = over.saturating_sub(REMEMBERED);
        store.manifest.drafts.retain(|entry| {
            let forgotten = surplus > 0 && !entry.status.is_live();
            surplus -= usize::from(forgotten);
            changed |= forgotten;
            !forgotten
        });
        if changed { store.save() } else { Ok(()) }
    }

    fn free_id(&self, store: &LockedManifest) -> Result<String, ErrorBody> {
        for _ in 0..=ID_ATTEMPTS {
            let id = self.ids.next();
            let taken = store.manifest.drafts.iter().any(|entry| entry.id == id);
            if !taken && !store.held.folder.has(id.as_ref()) {
                return Ok(id);
            }
        }
        Err(ErrorBody::new(ErrorCode::Internal, "no free id was found for a draft", "call the tool again")
            .with_retryable(true))
    }
}

impl DraftStore for Drafts {
    fn put(&self, draft: NewDraft) -> Result<IssuedDraft, ErrorBody> {
        (self.check)(draft.kind, &draft.files)?;
        let mut store = self.open()?;
        self.expire(&mut store)?;
        let mut warnings = Vec::new();
        while store.manifest.drafts.iter().filter(|entry| entry.status.is_live()).count() >= LIVE_DRAFTS {
            let Some(oldest) = store.manifest.drafts.iter().position(|entry| entry.status.is_live()) else {
                break;
            };
            let dropped = store.manifest.drafts.remove(oldest);
            files::remove_draft(&store.held.folder, &dropped.id);
            warnings.push(format!(
                "draft `{}` (`{}`) was dropped: at most {LIVE_DRAFTS} drafts wait for a decision",
                dropped.id, dropped.name
            ));
        }
        let id = self.free_id(&store)?;
        files::write_draft(&store.held.folder, &id, &draft.files)?;
        store.manifest.drafts.push(DraftEntry::new(&id, draft, self.clock.now()));
        store.save()?;
        Ok(IssuedDraft { id, warnings })
    }

    fn commit_as(&self, id: &str, release: &Release) -> Result<Committed, ErrorBody> {
        self.release(id, release)
    }

    fn list(&self) -> Result<Vec<DraftEntry>, ErrorBody> {
        if !self.directory.exists() {
            return Ok(Vec::new());
        }
        let mut store = self.open()?;
        self.expire(&mut store)?;
        Ok(store.manifest.drafts.clone())
    }

    fn get(&self, id: &str) -> Result<(DraftEntry, Vec<(String, String)>), ErrorBody> {
        let mut store = self.open()?;
        self.expire(&mut store)?;
        let entry = store.live(id)?.clone();
        let files = files::read_draft(&store.held.folder, &entry)?;
        Ok((entry, files))
    }

    fn sources(&self) -> Result<Vec<KnownSource>, ErrorBody> {
        if !self.directory.exists() {
            return Ok(Vec::new());
        }
        let store = self.open()?;
        let known = |committed: &Committed| {
            Some(KnownSource {
                source_id: committed.source_id().to_owned(),
                expression: committed.facts.get("expression")?.as_str()?.to_owned(),
                file_count: committed
                    .facts
                    .get("file_count")
                    .and_then(serde_json::Value::as_u64)
                    .unwrap_or(0),
            })
        };
        // Of what was committed for one source the last is right.
        let committed = store.manifest.committed.iter().filter_map(known);
        let sources: BTreeMap<String, KnownSource> =
            committed.map(|source| (source.source_id.clone(), source)).collect();
        Ok(sources.into_values().collect())
    }

    fn review(&self) -> Result<ReviewMaterial, ErrorBody> {
        let mut rules = Vec::new();
        if self.directory.exists() {
            let committed = self.open()?.manifest.committed;
            let current = commit::current(&committed);
            for committed in current.into_iter().filter(|committed| committed.kind != DraftKind::Parser) {
                let Some(place) = committed.place() else { continue };
                // A folder that can't be read, or is a link, has no rules.
                let folder = Folder::open(self.publishing_base(), &self.published.join(place));
                rules.extend(
                    folder.ok().flatten().iter().flat_map(|it| files::texts_with_ending(it, ".yaml")),
                );
            }
        }
        Ok(ReviewMaterial { files: Vec::new(), rules })
    }
}

impl std::fmt::Debug for Drafts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Drafts").field("directory", &self.directory).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
