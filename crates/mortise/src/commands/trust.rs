//! `mortise trust`: which projects' files may start servers.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use mortise_config::trust::{TrustError, TrustStore};
use mortise_config::{Config, ConfigError, ConfigOrigin};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::json_text::{self, JsonObject};
use crate::servers;
use crate::terminal::escape;

/// Arguments of `mortise trust`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TrustArgs {
    /// The file, or the directory it lies in [default: the mortise.yaml of the project]
    path: Option<PathBuf>,
    /// List the trusted files
    #[arg(long, conflicts_with_all = ["path", "remove"])]
    list: bool,
    /// Trust the file no more
    #[arg(long)]
    remove: bool,
}

/// Adds, lists or removes trust.
pub(crate) fn run(app: &App, args: &TrustArgs) -> Result<Exit, Failure> {
    let store = TrustStore::open(&app.environment).map_err(|error| failed(&error))?;
    if args.list {
        return list(app, &store);
    }
    let path = file(app, args.path.as_deref());
    match args.remove {
        true => remove(app, &store, &path),
        false => add(app, &store, &path),
    }
}

fn file(app: &App, asked: Option<&Path>) -> PathBuf {
    let found =
        || Config::given(&app.environment, ConfigOrigin::Project, &[]).into_iter().next().unwrap_or_default();
    let path = app.environment.absolute(&asked.map_or_else(found, Path::to_path_buf));
    match path.is_dir() {
        true => path.join(Config::FILE_NAME),
        false => path,
    }
}

fn add(app: &App, store: &TrustStore, path: &Path) -> Result<Exit, Failure> {
    let untrusted = Config::untrusted(&app.environment, path).map_err(|error| match &error {
        ConfigError::Read { path, source } => input::unreadable(path, source)
            .hint("name the configuration file, or run the command in the directory it lies in"),
        _ => servers::refused(&error),
    })?;
    for server in &untrusted.servers {
        app.terminal.note(&format!("{} {}", server.name, server.summary()));
    }
    if untrusted.files.is_empty() {
        app.terminal.note(&format!("`{}` is trusted already", path.display()));
    }
    for file in untrusted.files {
        store.trust(&file.path, file.fingerprint).map_err(|error| failed(&error))?;
        app.terminal.note(&format!("`{}` is trusted until it changes", file.path.display()));
    }
    Ok(Exit::Ok)
}

fn remove(app: &App, store: &TrustStore, path: &Path) -> Result<Exit, Failure> {
    match store.untrust(path).map_err(|error| failed(&error))? {
        true => app.terminal.note(&format!("`{}` is trusted no more", path.display())),
        false => app.terminal.note(&format!("`{}` was not trusted", path.display())),
    }
    Ok(Exit::Ok)
}

fn list(app: &App, store: &TrustStore) -> Result<Exit, Failure> {
    let trusted = store.list().map_err(|error| failed(&error))?;
    if app.global.json {
        let files: Vec<String> = trusted
            .iter()
            .map(|(path, hash)| {
                JsonObject::default()
                    .text("path", &path.to_string_lossy())
                    .text("sha256", hash.as_str())
                    .finish()
            })
            .collect();
        let files = json_text::array(files.iter().map(String::as_str));
        app.print_json(&JsonObject::default().raw("trusted", &files).finish())?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for (path, _) in &trusted {
        _ = writeln!(text, "{}", escape::line(&path.to_string_lossy()));
    }
    if trusted.is_empty() {
        app.terminal.note("no project file is trusted");
    }
    app.print(&text)?;
    Ok(Exit::Ok)
}

fn failed(error: &TrustError) -> Failure {
    Failure::from_error(Exit::Configuration, error).hints(error.hint())
}
