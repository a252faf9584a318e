//! Calls one wizard in this process, with a progress bar.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_server::{CallContext, Client};
use mortise_wizards::answer::TypedResult;
use mortise_wizards::data::files::DataFiles;
use mortise_wizards::data::scan::{ScanOptions, scan};
use mortise_wizards::{Wizards, server};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{PlaceArgs, options};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::terminal::escape;

/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(90);

/// Quick work shows nothing at all.
const DELAY: Duration = Duration::from_millis(200);

/// What several calls of one command share.
pub(super) struct WizardSession {
    wizards: Arc<Wizards>,
}

impl WizardSession {
    /// Wizards that read what the command names.
    pub(super) fn new(app: &App, place: &PlaceArgs, named: &[PathBuf]) -> Result<Self, Failure> {
        for path in named {
            std::fs::metadata(path).map_err(|error| input::unreadable(path, &error))?;
        }
        let options = options(app, place, Some(folders(named)))?;
        Ok(Self { wizards: Arc::new(Wizards::start(options)) })
    }

    /// The folder that paths are seen from which the wizards tell.
    pub(super) fn base(&self) -> Result<PathBuf, Failure> {
        Ok(self.files()?.base().to_owned())
    }

    /// Where a file lies below the folders that were named.
    pub(super) fn placed(&self, file: &Path) -> Result<PathBuf, Failure> {
        Ok(self.files()?.placed(file))
    }

    fn files(&self) -> Result<DataFiles, Failure> {
        self.wizards.files().map_err(|error| failure(&error))
    }

    /// All files below a folder, by path.
    pub(super) fn files_below(&self, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
        let files = self.files()?;
        let options = ScanOptions { max_files: 1_000_000, max_depth: 50, include_hidden: false };
        let found = scan(&files, folder, options, &CancellationToken::new())
            .map_err(|error| Failure::from_error(Exit::ToolFailed, &error))?;
        let base = files.base();
        let mut paths: Vec<PathBuf> = found.files.into_iter().map(|file| base.join(file.path)).collect();
        paths.sort();
        Ok(paths)
    }

    /// Calls one wizard.
    pub(super) fn call<T: DeserializeOwned>(
        &self,
        app: &App,
        name: &str,
        arguments: Value,
    ) -> Result<WizardCall<T>, Failure> {
        let wizard = server::all().into_iter().find(|wizard| wizard.name() == name);
        let Some(wizard) = wizard else {
            return Err(Failure::new(Exit::Bug, format!("there is no wizard `{name}`")));
        };
        let (json, feedback) = interrupt::block_on_many_threads(async |stop| {
            let context = CallContext::detached(Client::new("2025-11-25", Map::new()), Map::new());
            let work = wizard.call(&self.wizards, arguments, context.clone());
            let watched = watched(app, &context, work);
            Box::pin(stop.unless_asked(async { watched.await.map_err(|error| failure(&error)) })).await
        })?;
        let result = TypedResult::read(&json).map_err(|error| Failure::from_error(Exit::Bug, &error))?;
        Ok(WizardCall { result, json, feedback })
    }
}

/// What a wizard returned.
pub(super) struct WizardCall<T> {
    pub(super) result: TypedResult<T>,
    /// The result as an assistant would get it.
    pub(super) json: Value,
    /// The text for people.
    pub(super) feedback: String,
}

/// The folders that may be read because a command names something in them.
fn folders(named: &[PathBuf]) -> Vec<PathBuf> {
    let folder = |path: &PathBuf| match path.is_dir() {
        true => path.clone(),
        false => path.parent().map_or_else(|| path.clone(), Path::to_owned),
    };
    let mut folders: Vec<PathBuf> = named.iter().map(folder).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// Waits for `work` with a bar beside it that shows the progress of the call.
async fn watched<T>(app: &App, context: &CallContext, work: impl Future<Output = T>) -> T {
    if !app.terminal.shows_progress() {
        return work.await;
    }
    tokio::pin!(work);
    if let Ok(done) = tokio::time::timeout(DELAY, &mut work).await {
        return done;
    }
    let bar = Bar::start();
    loop {
        if let Some((progress, total, message)) = context.told_progress() {
            bar.show(progress, total, &message.unwrap_or_default());
        }
        bar.0.tick();
        if let Ok(done) = tokio::time::timeout(TICK, &mut work).await {
            return done;
        }
    }
}

/// Clears the line when it goes, also by Ctrl-C.
struct Bar(ProgressBar);

impl Bar {
    fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of files")]
    fn show(&self, progress: f64, total: Option<f64>, message: &str) {
        if let Some(total) = total.filter(|_| self.0.length().is_none()) {
            self.0.set_length(total as u64);
            if let Ok(style) = ProgressStyle::with_template("{spinner} [{bar:30}] {pos}/{len} {wide_msg}") {
                self.0.set_style(style.progress_chars("=> "));
            }
        }
        self.0.set_position(progress as u64);
        self.0.set_message(escape::line(message));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// An error of a wizard as a person reads it.
fn failure(error: &ErrorBody) -> Failure {
    let exit = match error.error_code {
        ErrorCode::Timeout | ErrorCode::SandboxTimeout => Exit::TimedOut,
        ErrorCode::Canceled => Exit::Interrupted,
        ErrorCode::Internal | ErrorCode::InternalContract => Exit::Bug,
        ErrorCode::ParamMissing | ErrorCode::ParamType | ErrorCode::ParamRange | ErrorCode::ParamUnknown => {
            Exit::Usage
        }
        _ => Exit::ToolFailed,
    };
    let mut failure = Failure::new(exit, error.to_string());
    for detail in &error.details {
        failure = failure.cause(detail.to_string());
    }
    failure.hint(hint(error))
}

/// What to do now. Some advice is for an assistant, which has other names for things.
fn hint(error: &ErrorBody) -> String {
    match error.error_code {
        ErrorCode::FileNotFound => "list the files with `mortise data scan FOLDER`",
        ErrorCode::FormatMismatch | ErrorCode::SchemaEmpty => {
            "see whether the file is complete and what its name says"
        }
        ErrorCode::DraftNotFound | ErrorCode::DraftExpired | ErrorCode::DraftState => {
            "make a new one with `mortise data parser`; a draft is kept for 24 hours, below --output"
        }
        ErrorCode::ContractNotFound => {
            "a contract is made with an assistant, by `approve_schemas`, and kept below --output"
        }
        _ => return error.suggestion.clone(),
    }
    .to_owned()
}
