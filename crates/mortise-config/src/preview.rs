//! What a configuration would do, shown before it is trusted.

use std::fmt;
use std::path::Path;

use crate::file::{ConfigFile, EnvironmentKind, ServerKeys};
use crate::import::ImportedServer;
use crate::located::{ConfigPlace, Located};

/// What one entry would start or contact, with no variable expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerPreview {
    /// Its name as written.
    pub name: String,
    /// Where it stands.
    pub place: ConfigPlace,
    /// What it would do.
    pub action: PreviewAction,
    /// What else decides what runs or is sent, e.g. `sets LD_PRELOAD`. Values are left out: they may be secrets.
    pub settings: Vec<String>,
}

impl ServerPreview {
    /// What the entry would do, on one line.
    pub fn summary(&self) -> String {
        std::iter::once(self.action.to_string())
            .chain(self.settings.iter().cloned())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// What an entry would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreviewAction {
    /// Start a program: the exact argument vector.
    Start(Vec<String>),
    /// Connect to an address.
    Connect(String),
}

impl fmt::Display for PreviewAction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(arguments) => {
                formatter.write_str("starts")?;
                arguments.iter().try_for_each(|argument| write!(formatter, " {}", quoted(argument)))
            }
            Self::Connect(url) => write!(formatter, "connects to {url}"),
        }
    }
}

/// Quotes an argument where the border of it would else not be seen.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%${}".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("{argument:?}")
    }
}

/// What the entries of our own file would do.
pub(super) fn of_file(file: &ConfigFile, path: &Path) -> Vec<ServerPreview> {
    let entries = file.servers.iter().flat_map(|servers| &servers.0);
    entries
        .filter(|entry| entry.mistake.is_none())
        .filter_map(|entry| {
            let server = &entry.server.value;
            let name = entry.written_name()?;
            of_server(
                &name.value,
                server,
                ConfigPlace { path: path.to_path_buf(), position: entry.server.position },
            )
        })
        .collect()
}

/// What the entries of another program's file would do.
pub(super) fn of_imported(servers: &[ImportedServer], path: &Path) -> Vec<ServerPreview> {
    let is_used = |imported: &&ImportedServer| imported.unusable.is_none() && imported.earlier.is_none();
    let usable = servers.iter().filter(is_used);
    usable
        .filter_map(|imported| {
            let place = ConfigPlace { path: path.to_path_buf(), position: imported.position };
            of_server(&imported.name, &imported.server, place)
        })
        .collect()
}

fn of_server(name: &str, server: &ServerKeys, place: ConfigPlace) -> Option<ServerPreview> {
    if server.disabled == Some(true) {
        return None;
    }
    let action = match (&server.command, &server.url) {
        (Some(command), _) => {
            let args = server.args.iter().flatten().map(|argument| argument.value.clone());
            PreviewAction::Start(std::iter::once(command.value.clone()).chain(args).collect())
        }
        (None, Some(url)) => PreviewAction::Connect(url.value.clone()),
        (None, None) => return None,
    };
    Some(ServerPreview { name: name.to_owned(), place, action, settings: settings(server) })
}

fn settings(server: &ServerKeys) -> Vec<String> {
    let mut settings = Vec::new();
    let mut add = |what: &str, names: Vec<String>| {
        if !names.is_empty() {
            settings.push(format!("{what} {}", names.join(", ")));
        }
    };
    let written = |text: &Option<Located<String>>| text.iter().map(|text| quoted(&text.value)).collect();
    add("in", written(&server.cwd));
    if let Some(env) = &server.env {
        add("sets", env.variables.keys().map(|name| quoted(name)).collect());
    }
    let policy = server.environment.as_ref().map(|kind| kind.value);
    let policy = policy.or(server.env.as_ref().and_then(|env| env.policy));
    if matches!(policy, Some(EnvironmentKind::Inherit)) {
        add("with", vec!["your whole environment".to_owned()]);
    }
    add("sends the token in", written(&server.bearer_file));
    if let Some(headers) = &server.headers {
        add("sends the headers", headers.keys().map(|name| quoted(name)).collect());
    }
    if let Some(oauth) = &server.oauth {
        add("reads", written(&oauth.value.client_secret_file));
    }
    settings
}
