//! The configured servers at a glance: where they are configured and how they stood the last time. Nothing is started,
//! contacted or asked, and nothing fails: what can't be read is a row.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mortise_client::oauth::{self, LoginStatus};
use mortise_client::secret::Secrets;
use mortise_client::server_config::{HttpConfig, ServerConfig, Transport};
use mortise_config::{Config, ConfigError, ConfigOrigin, LoadedConfig, NoteKind};

use crate::app::App;
use crate::server_memory::ServerMemory;
use crate::terminal::Mark;
use crate::terminal::units::counted;

/// The configured servers.
#[derive(Debug, Default)]
pub(crate) struct Overview {
    /// The files that they come from.
    pub(crate) files: Vec<PathBuf>,
    /// One row per server.
    pub(crate) servers: Vec<ServerRow>,
    /// A project's file that is not trusted, and is not used.
    pub(crate) untrusted: Option<PathBuf>,
    /// Why there is no configuration though there is a file.
    pub(crate) problem: Option<String>,
}

/// One server.
#[derive(Debug)]
pub(crate) struct ServerRow {
    pub(crate) name: String,
    pub(crate) state: ServerState,
    /// The command or the address, without secrets.
    pub(crate) action: String,
    /// The file that it is configured in.
    pub(crate) file: PathBuf,
}

/// How a server stands, as far as that is known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ServerState {
    /// It listed its tools.
    Seen { tools: usize, age: Duration },
    /// It wanted a login, and there is none.
    LoginWanted,
    /// Nothing is known yet.
    New,
    /// It is switched off.
    Disabled,
    /// It is mortise itself.
    Mortise,
    /// Its entry can't be used.
    Unusable(String),
}

impl ServerState {
    /// How it stands, in one character.
    pub(crate) fn mark(&self) -> Mark {
        match self {
            Self::Seen { .. } => Mark::Good,
            Self::LoginWanted => Mark::Warn,
            Self::New | Self::Disabled | Self::Mortise => Mark::Note,
            Self::Unusable(_) => Mark::Bad,
        }
    }

    /// How it stands, in words.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Seen { tools, age } => format!("{}, seen {}", counted(*tools, "tool"), ago(*age)),
            Self::LoginWanted => "login needed".to_owned(),
            Self::New => "not tried yet".to_owned(),
            Self::Disabled => "disabled".to_owned(),
            Self::Mortise => "left out: it is mortise itself".to_owned(),
            Self::Unusable(reason) => format!("can't be used: {reason}"),
        }
    }

    /// One word for programs.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Seen { .. } => "seen",
            Self::LoginWanted => "login_needed",
            Self::New => "new",
            Self::Disabled => "disabled",
            Self::Mortise => "mortise",
            Self::Unusable(_) => "unusable",
        }
    }
}

/// Looks at the files.
pub(crate) fn look(app: &App) -> Overview {
    let environment = &app.environment;
    let mut overview = Overview::default();
    let loaded = match Config::load(environment, &app.connect.config) {
        Ok(loaded) => Some(loaded),
        Err(ConfigError::Untrusted(untrusted)) => {
            overview.untrusted = untrusted.files.first().map(|file| file.path.clone());
            Config::load_own(environment).unwrap_or_else(|error| {
                overview.problem = Some(one_line(app, &error));
                None
            })
        }
        Err(error) => {
            overview.problem = Some(one_line(app, &error));
            None
        }
    };
    if let Some(loaded) = loaded.filter(|loaded| loaded.origin != ConfigOrigin::NoConfig) {
        overview.files = loaded.files.iter().map(|file| environment.absolute(file)).collect();
        overview.servers = rows(app, &loaded);
    }
    overview
}

fn rows(app: &App, loaded: &LoadedConfig) -> Vec<ServerRow> {
    let memory = ServerMemory::open(app);
    let file = |path: &Path| app.environment.absolute(path);
    let servers = loaded.config.servers.iter().zip(&loaded.places);
    let mut rows: Vec<ServerRow> = servers
        .map(|(config, place)| ServerRow {
            name: config.name.to_string(),
            state: state(app, memory.as_ref(), config, &place.path),
            action: action(config),
            file: file(&place.path),
        })
        .collect();
    for note in &loaded.notes {
        let state = match &note.kind {
            NoteKind::Disabled => ServerState::Disabled,
            NoteKind::OwnExecutable { .. } => ServerState::Mortise,
            _ => continue,
        };
        let (name, file) = (note.server.clone(), file(&note.place.path));
        rows.push(ServerRow { name, state, action: String::new(), file });
    }
    rows
}

fn state(app: &App, memory: Option<&ServerMemory>, config: &ServerConfig, file: &Path) -> ServerState {
    if let Transport::Unusable(entry) = &config.transport {
        // The file is shown beside it.
        let place = format!("{}:", file.display());
        return ServerState::Unusable(entry.reason.replace(&place, "line "));
    }
    let wants_login = memory.is_some_and(|memory| memory.wants_login(config));
    match (&config.transport, memory.and_then(|memory| memory.seen(config))) {
        (Transport::Http(http), _) if wants_login && !is_logged_in(app, http) => ServerState::LoginWanted,
        (_, Some(seen)) => ServerState::Seen { tools: seen.tools, age: seen.age },
        _ => ServerState::New,
    }
}

fn is_logged_in(app: &App, http: &HttpConfig) -> bool {
    matches!(oauth::status(http, &app.environment), Ok(LoginStatus::LoggedIn(_)))
}

/// What a server is, without secrets.
fn action(config: &ServerConfig) -> String {
    let text = match &config.transport {
        Transport::Stdio(stdio) => {
            std::iter::once(&stdio.command).chain(&stdio.args).cloned().collect::<Vec<_>>().join(" ")
        }
        Transport::Http(http) => http.url.split(['?', '#']).next().unwrap_or_default().to_owned(),
        Transport::InProcess(_) => "built-in sample".to_owned(),
        Transport::Unusable(_) => String::new(),
    };
    Secrets::of(config).hide(&text).into_owned()
}

/// The error with its causes.
fn one_line(app: &App, error: &ConfigError) -> String {
    let mut text = error.to_string().lines().next().unwrap_or_default().to_owned();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    match app.environment.home.as_ref().and_then(|home| home.to_str()).filter(|home| home.len() > 1) {
        Some(home) => text.replace(&format!("{home}/"), "~/"),
        None => text,
    }
}

/// `just now`, `5 min ago`, `3 h ago`, `2 days ago`.
pub(crate) fn ago(age: Duration) -> String {
    match age.as_secs() {
        0..60 => "just now".to_owned(),
        seconds @ 60..3_600 => format!("{} min ago", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h ago", seconds / 3_600),
        seconds => format!("{} ago", counted((seconds / 86_400) as usize, "day")),
    }
}

/// A path as a person writes it: `~` for the home directory, and from here where it lies below.
pub(crate) fn short_path(app: &App, path: &Path) -> String {
    let here = &app.environment.working_directory;
    if let Ok(below) = path.strip_prefix(here)
        && !below.as_os_str().is_empty()
    {
        return below.display().to_string();
    }
    match app.environment.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) if !below.as_os_str().is_empty() => format!("~/{}", below.display()),
        _ => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests;
