//! When the files of a configuration are read again, and whether that is news.
//!
//! A change is read once two looks in a row have seen the same: before that somebody may still be writing, and half
//! of a file can be a valid configuration. What can't be used is not tried again until a file changes, or the list
//! of trusted files does, and is told once.

use std::path::PathBuf;

use mortise_config::trust::TrustStore;
use mortise_config::{Config, ConfigOrigin};

use crate::app::App;
use crate::failure::Failure;
use crate::servers::{self, ChosenServers, IfUntrusted, ServerSource};
use crate::snapshots;
use crate::watching::{Stamp, stamp};

/// The files that a configuration came from, as they were seen.
///
/// Where it was found at first is where it is read again: that a file is missing for a moment must not put another
/// in its place.
#[derive(Debug)]
pub(crate) struct Watch {
    origin: ConfigOrigin,
    /// The files of that origin.
    given: Vec<PathBuf>,
    /// What happens while a project's file is not trusted: as it was when the servers started.
    if_untrusted: IfUntrusted,
    /// All that is watched: those files, what they import, and the user's own file where that is used in their place.
    files: Vec<PathBuf>,
    /// The look before they were read.
    read: WatchedFiles,
    /// The last look.
    seen: WatchedFiles,
    /// Looks in a row that each saw something else than the one before.
    unsettled: u32,
    /// What they said when they were used last.
    used: Option<ChosenServers>,
    /// Why they were not used since, if they were not.
    refused: Option<Failure>,
}

/// What one look at the files has brought.
#[derive(Debug)]
pub(crate) enum News<'a> {
    /// All is as it was, or not settled yet, or known.
    Nothing,
    /// The files say something else now.
    Changed(Box<ChosenServers>),
    /// The files can't be used.
    Refused(&'a Failure),
}

/// Looks after which files are read that something writes all the time, as programs do with their own. What is half
/// written is thrown away all the same.
const PATIENCE: u32 = 10;

/// All that is watched, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WatchedFiles {
    files: Vec<Stamp>,
    /// The list of trusted files.
    trust: Stamp,
    /// The lock file beside the configuration.
    lock: Stamp,
}

impl Watch {
    /// Looks at the files before they are read for the first time.
    pub(crate) fn new(app: &App) -> Self {
        let origin = Config::origin(&app.environment, &app.connect.config);
        let given = Config::given(&app.environment, origin, &app.connect.config);
        let if_untrusted = IfUntrusted::Refuse;
        let files = watched(app, &given, if_untrusted);
        let read = WatchedFiles::at(app, &files);
        Self {
            origin,
            given,
            if_untrusted,
            files,
            seen: read.clone(),
            unsettled: 0,
            read,
            used: None,
            refused: None,
        }
    }

    /// Goes on if these servers came from the files, and if those can be read more than once, as a pipe can't.
    pub(crate) fn over(mut self, app: &App, servers: &ChosenServers) -> Option<Self> {
        if servers.waits_for_trust() {
            self.if_untrusted = IfUntrusted::UseOwn;
            self.files = watched(app, &self.given, self.if_untrusted);
            self.read = WatchedFiles::at(app, &self.files);
            self.seen = self.read.clone();
        }
        let is_pipe = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|found| !found.is_file());
        if !matches!(servers.source, ServerSource::Files(_)) || self.files.iter().any(is_pipe) {
            return None;
        }
        self.used = Some(servers.clone());
        Some(self)
    }

    /// Looks again, and reads the files if that is due.
    pub(crate) fn tick(&mut self, app: &App) -> News<'_> {
        match self.is_due(WatchedFiles::at(app, &self.files)) {
            true => self.read(app, servers::choose_again),
            false => News::Nothing,
        }
    }

    /// Whether something has changed that matters, and has stayed the same since the last look.
    fn is_due(&mut self, now: WatchedFiles) -> bool {
        self.unsettled = if now == self.seen { 0 } else { self.unsettled + 1 };
        let settled = self.unsettled == 0 || self.unsettled >= PATIENCE;
        self.seen = now;
        let waits = self.refused.is_some() || self.if_untrusted == IfUntrusted::UseOwn;
        let trusted_anew = waits && self.seen.trust != self.read.trust;
        let is_changed = self.seen.files != self.read.files || self.seen.lock != self.read.lock;
        settled && (trusted_anew || is_changed)
    }

    fn read(
        &mut self,
        app: &App,
        choose: impl FnOnce(&App, ConfigOrigin, &[PathBuf], IfUntrusted) -> Result<ChosenServers, Failure>,
    ) -> News<'_> {
        let files = watched(app, &self.given, self.if_untrusted);
        let before = WatchedFiles::at(app, &files);
        let chosen = choose(app, self.origin, &self.given, self.if_untrusted);
        // Whatever was written meanwhile may have been read by half. It is due again at one of the next looks.
        if WatchedFiles::at(app, &files) != before || WatchedFiles::at(app, &self.files) != self.seen {
            return News::Nothing;
        }
        let is_locked_anew = before.lock != self.read.lock;
        self.files = files;
        self.read = before.clone();
        self.seen = before;
        match chosen {
            Ok(servers) => {
                if self.if_untrusted == IfUntrusted::UseOwn && !servers.waits_for_trust() {
                    // From now on it is the project's file, and another one must not take its place.
                    self.if_untrusted = IfUntrusted::Refuse;
                    self.files = watched(app, &self.given, self.if_untrusted);
                    self.read = WatchedFiles::at(app, &self.files);
                    self.seen = self.read.clone();
                }
                self.take(servers, is_locked_anew)
            }
            Err(failure) if self.refused.as_ref() == Some(&failure) => News::Nothing,
            Err(failure) => News::Refused(self.refused.insert(failure)),
        }
    }

    /// Programs write into their own files all the time without touching the servers in them.
    fn take(&mut self, servers: ChosenServers, is_locked_anew: bool) -> News<'_> {
        let was_refused = self.refused.take().is_some();
        if !was_refused && !is_locked_anew && self.used.as_ref().is_some_and(|used| used.same_as(&servers)) {
            return News::Nothing;
        }
        self.used = Some(servers.clone());
        News::Changed(Box::new(servers))
    }
}

/// The files to watch, those first whose lock file counts.
fn watched(app: &App, given: &[PathBuf], if_untrusted: IfUntrusted) -> Vec<PathBuf> {
    let own = match if_untrusted {
        IfUntrusted::UseOwn => Config::given(&app.environment, ConfigOrigin::User, &[]),
        IfUntrusted::Refuse => Vec::new(),
    };
    let paths = |given: &[PathBuf]| Config::paths(&app.environment, given);
    [paths(&own), paths(given)].concat()
}

impl WatchedFiles {
    fn at(app: &App, files: &[PathBuf]) -> Self {
        let trust = TrustStore::open(&app.environment).ok().and_then(|store| stamp(store.path()));
        let source = ServerSource::Files(files.to_vec());
        let lock = stamp(&snapshots::lock_path(app, None, Some(&source)));
        Self { files: files.iter().map(|file| stamp(file)).collect(), trust, lock }
    }
}

#[cfg(test)]
mod tests;
