//! What a configuration would do, shown before it is trusted.

use std::fmt;

use super::file::{File, ServerEntry};
use super::located::Place;

/// What one entry would start or contact, with no variable expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerPreview {
    /// Its name as written.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// What it would do.
    pub action: PreviewAction,
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
pub(crate) fn of_file(file: &File, place: impl Fn(&ServerEntry) -> Place) -> Vec<ServerPreview> {
    let Some(servers) = &file.servers else { return Vec::new() };
    servers.0.iter().filter_map(|entry| of_entry(entry, place(entry))).collect()
}

fn of_entry(entry: &ServerEntry, place: Place) -> Option<ServerPreview> {
    let server = &entry.server.value;
    if server.disabled == Some(true) {
        return None;
    }
    let name = entry.key.as_ref().or(server.name.as_ref()).map(|name| name.value.clone()).unwrap_or_default();
    let action = match (&server.command, &server.url) {
        (Some(command), _) => {
            let args = server.args.iter().flatten().map(|argument| argument.value.clone());
            PreviewAction::Start(std::iter::once(command.value.clone()).chain(args).collect())
        }
        (None, Some(url)) => PreviewAction::Connect(url.value.clone()),
        (None, None) => return None,
    };
    Some(ServerPreview { name, place, action })
}
