//! Snapshots of contracts: read from files and git, taken from servers.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use chrono::NaiveDate;
use mortise_client::bounded_file;
use mortise_config::{Config, ConfigOrigin};
use mortise_contract::lock::{LockError, LockFile, RecordedError, read_recorded, recorded_tools};
use mortise_contract::{RawJson, ServerName};
use mortise_tester::capture::{CaptureError, capture};
use tokio::io::AsyncReadExt as _;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::{Failure, upstream};
use crate::servers::ServerSource;
use crate::session::Connected;
use crate::{input, interrupt};

/// Bytes of a file with contracts.
pub(crate) const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How long git may take to print one file.
const GIT_LIMIT: Duration = Duration::from_secs(30);

/// Today, by universal time, so that a waiver ends at the same moment everywhere.
pub(crate) fn today() -> NaiveDate {
    chrono::Utc::now().date_naive()
}

/// The lock file: as asked for, else beside the configuration, else here.
pub(crate) fn lock_path(app: &App, asked: Option<&Path>, source: Option<&ServerSource>) -> PathBuf {
    if let Some(path) = asked {
        return app.environment.absolute(path);
    }
    let project = || Config::given(&app.environment, ConfigOrigin::Project, &[]).into_iter().next();
    let configured = match source {
        Some(ServerSource::Files(files)) => files.first().cloned(),
        _ => app.connect.config.first().cloned().or_else(project),
    };
    let directory = configured.and_then(|file| app.environment.absolute(&file).parent().map(Path::to_owned));
    directory.unwrap_or_else(|| app.environment.working_directory.clone()).join(LockFile::FILE_NAME)
}

/// Reads a lock file or a recorded list.
pub(crate) fn read(path: &Path) -> Result<LockFile, Failure> {
    let text = read_text(path)?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    parse(&text, &name, &format!("`{}`", path.display()))
}

/// The tools of a lock file or a recorded list by server, each verbatim; `-` is stdin.
pub(crate) fn read_tools(app: &App, path: &Path) -> Result<Vec<(String, Vec<RawJson>)>, Failure> {
    const UNNAMED: &str = "recorded";
    if path == Path::new("-") {
        let text = input::read(path)
            .map_err(|error| Failure::new(Exit::Usage, "cannot read the tools from stdin").because(&error))?;
        return recorded_tools(&text, UNNAMED).map_err(|error| unusable(&error, "what stdin holds"));
    }
    let path = app.environment.absolute(path);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = stem.filter(|stem| ServerName::parse(stem).is_ok()).unwrap_or_else(|| UNNAMED.to_owned());
    let text = read_text(&path)?;
    recorded_tools(&text, &name).map_err(|error| unusable(&error, &format!("`{}`", path.display())))
}

/// Reads a text file under a bound.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    bounded_file::read_named(path, MAX_BYTES).map_err(|error| input::unreadable(path, &error))
}

/// Reads a file as it is in a revision; `path` is relative to `directory`.
pub(crate) fn read_git(directory: &Path, revision: &str, path: &str) -> Result<LockFile, Failure> {
    let what = format!("`{path}` in revision `{revision}`");
    if revision.is_empty() || revision.starts_with('-') {
        return Err(Failure::new(Exit::Usage, format!("`{revision}` is no revision")));
    }
    let relative = if Path::new(path).is_absolute() { path.to_owned() } else { format!("./{path}") };
    let text = interrupt::block_on(async |stop| {
        stop.unless_asked(git(directory, &format!("{revision}:{relative}"), &what)).await
    })?;
    let name = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    parse(&text, &name.unwrap_or_default(), &what)
}

async fn git(directory: &Path, object: &str, what: &str) -> Result<String, Failure> {
    let failed = |error: &std::io::Error| {
        Failure::new(Exit::Configuration, "cannot run `git`").because(error).hint("install git")
    };
    let mut child = tokio::process::Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(["cat-file", "blob", object])
        // The folder may be a stranger's: git would fetch an object that is missing, by a command of the folder's choice.
        .envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none"), ("GIT_TERMINAL_PROMPT", "0")])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| failed(&error))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let read = async {
        let (mut text, mut complaint) = (Vec::new(), Vec::new());
        if let Some(stdout) = stdout {
            stdout.take(MAX_BYTES + 1).read_to_end(&mut text).await?;
        }
        if let Some(stderr) = stderr {
            stderr.take(4096).read_to_end(&mut complaint).await?;
        }
        Ok::<_, std::io::Error>((text, complaint, child.wait().await?))
    };
    let (text, complaint, status) = match tokio::time::timeout(GIT_LIMIT, read).await {
        Ok(read) => read.map_err(|error| failed(&error))?,
        Err(_) => {
            let seconds = GIT_LIMIT.as_secs();
            return Err(Failure::new(Exit::TimedOut, format!("git did not print {what} in {seconds} s")));
        }
    };
    if text.len() as u64 > MAX_BYTES {
        return Err(too_large(what));
    }
    match (status.success(), String::from_utf8(text)) {
        (true, Ok(text)) => Ok(text),
        (true, Err(_)) => Err(Failure::new(Exit::Configuration, format!("{what} is no text"))),
        (false, _) => Err(Failure::new(Exit::Usage, format!("there is no {what}"))
            .cause(String::from_utf8_lossy(&complaint).trim_end().to_owned())),
    }
}

fn parse(text: &str, name: &str, what: &str) -> Result<LockFile, Failure> {
    read_recorded(text, name).map_err(|error| unusable(&error, what))
}

/// Why a file holds no contracts, and what to do about it.
fn unusable(error: &RecordedError, what: &str) -> Failure {
    let hint = match error {
        RecordedError::Lock(LockError::Hash { .. }) => {
            "it was changed by hand or by a merge; `mortise lock` writes it anew"
        }
        RecordedError::Lock(LockError::Version { .. }) => {
            "use the version of mortise that wrote it, or `mortise lock`"
        }
        _ => "it must be a lock file, or a recorded list of tools",
    };
    Failure::new(Exit::Configuration, format!("cannot use {what}")).because(error).hint(hint)
}

fn too_large(what: &str) -> Failure {
    Failure::new(Exit::Configuration, format!("{what} is larger than {} MiB", MAX_BYTES / 1024 / 1024))
}

/// Snapshots of all servers; one that can't be used fails them all.
pub(crate) async fn of_servers(app: &App, connected: &[Connected]) -> Result<LockFile, Failure> {
    let mut lock = LockFile::default();
    for Connected { upstream, error, .. } in connected {
        if let Some(error) = error {
            return Err(error.failure(upstream.name()));
        }
        let captured = capture(upstream).await.map_err(|error| not_captured(&error))?;
        for note in captured.notes {
            app.terminal.warn(&format!("{}: {note}", upstream.name()));
        }
        lock.servers.insert(upstream.name().to_string(), captured.snapshot);
    }
    Ok(lock)
}

fn not_captured(error: &CaptureError) -> Failure {
    match error {
        CaptureError::NotListed { source, .. } => {
            Failure::new(upstream::call(source).exit, error.to_string()).because(source)
        }
        CaptureError::NotConnected { .. } => Failure::from_error(Exit::Unreachable, error),
    }
}
