//! Adding and removing one entry of `mortise.yaml`, with every other byte of the file kept.
//!
//! An edit is computed on the text and then verified: both texts are read as YAML, and everything but the entry must
//! mean the same. Where a file is laid out in a way that we don't edit, [`EditError::Layout`] has the lines to paste.

mod splice;
pub(crate) mod write;

use std::io;
use std::path::{Path, PathBuf};

use mortise_client::environment::Environment;
use mortise_client::server_config::UnusableEntry;
use mortise_contract::ServerName;
use mortise_contract::text::nearest;
use serde_json::{Map, Value};

use crate::error::{ConfigError, Finding, Problem};
use crate::expand::is_variable_name;
use crate::located::{ConfigPlace, Position};
use crate::saved_file::SavedFile;
use crate::source::{Kinds, Source};
use crate::{import, limits, load, yaml};

/// One server to add: its name and its keys as `mortise.yaml` has them.
///
/// `Debug` shows the names of its keys and no values, which may be secrets.
#[derive(Clone, PartialEq)]
pub struct NewServer {
    /// Its name.
    pub name: ServerName,
    pub(crate) keys: Map<String, Value>,
}

impl std::fmt::Debug for NewServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("NewServer")
            .field("name", &self.name)
            .field("keys", &self.keys.keys().collect::<Vec<_>>())
            .finish()
    }
}

impl NewServer {
    /// A server that is started.
    pub fn command(name: ServerName, program: &str, args: &[String]) -> Self {
        let mut keys = Map::new();
        keys.insert("command".to_owned(), Value::String(program.to_owned()));
        if !args.is_empty() {
            keys.insert("args".to_owned(), args.iter().cloned().map(Value::String).collect());
        }
        Self { name, keys }
    }

    /// A server at an address.
    pub fn url(name: ServerName, url: &str) -> Self {
        let mut keys = Map::new();
        keys.insert("url".to_owned(), Value::String(url.to_owned()));
        Self { name, keys }
    }

    /// Adds variables for its program. `${VAR}` in a value expands.
    #[must_use]
    pub fn env(self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        self.mapping("env", variables)
    }

    /// Adds headers that are sent to it. `${VAR}` in a value expands.
    #[must_use]
    pub fn headers(self, headers: impl IntoIterator<Item = (String, String)>) -> Self {
        self.mapping("headers", headers)
    }

    fn mapping(mut self, key: &str, pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let pairs: Map<String, Value> =
            pairs.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
        if !pairs.is_empty() {
            self.keys.insert(key.to_owned(), Value::Object(pairs));
        }
        self
    }

    /// The entry as lines of a list, for a person to paste.
    pub fn yaml(&self) -> String {
        write::list_entry(self.name.as_str(), &self.keys, 2)
    }
}

/// Why a file is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file can't be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The file can't be used as it is.
    #[error(transparent)]
    Invalid(Box<ConfigError>),
    /// The name is taken.
    #[error("`{}` has a server `{name}` already", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// There is no server of that name.
    #[error("there is no server `{name}` in `{}`", path.display())]
    NoServer {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// The text is laid out in a way that we can't edit without changing something else.
    #[error("`{}` is laid out in a way that mortise does not edit", path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// What to do by hand.
        advice: String,
    },
}

impl EditError {
    /// What the reader can do now.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Read { .. } => Vec::new(),
            Self::Invalid(error) => error.hints(),
            Self::Taken { name, .. } => {
                vec![format!("`mortise remove {name}` takes it out; or choose another name")]
            }
            Self::NoServer { name, known, .. } => match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => vec![format!("did you mean `{near}`?")],
                None if known.is_empty() => Vec::new(),
                None => vec![format!("it has {}", known.join(", "))],
            },
            Self::Layout { advice, .. } => vec![advice.clone()],
        }
    }
}

/// The file with the entries added; one that is not there is begun.
pub fn add_servers(
    environment: &Environment,
    path: &Path,
    servers: &[NewServer],
) -> Result<SavedFile, EditError> {
    let before = read(environment, path)?;
    let mut text = before.clone().unwrap_or_default();
    for server in servers {
        let name = server.name.as_str();
        if splice::names(&text).iter().any(|known| known == name) {
            return Err(EditError::Taken { path: path.to_path_buf(), name: name.to_owned() });
        }
        let advice = || format!("add these lines under `servers:` yourself:\n{}", server.yaml().trim_end());
        text = add_to_text(&text, server).map_err(|refused| refused.at(path, advice))?;
    }
    Ok(SavedFile { path: environment.absolute(path), before, after: text })
}

/// What is wrong with an entry of a file that was edited, as far as variables that are not set are not the cause.
pub fn wrong_entry(environment: &Environment, file: &SavedFile, name: &str) -> Option<UnusableEntry> {
    let mut known = environment.clone();
    for variable in variables(&file.after) {
        known.variables.entry(variable.into()).or_insert_with(|| "x".into());
    }
    load::unusable_entry(&known, &file.path, &file.after, name)
}

/// The variables without a default that an entry needs and that are not set.
pub fn unset_variables(environment: &Environment, server: &NewServer) -> Vec<String> {
    let is_unset = |name: &String| environment.variable(name).is_none();
    variables(&server.yaml()).into_iter().filter(is_unset).collect()
}

/// The names in `${NAME}`; those with a default are left out.
fn variables(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (start, _) in text.match_indices("${").filter(|(start, _)| !text[..*start].ends_with('$')) {
        let Some(name) = text[start + 2..].split_once('}').map(|(name, _)| name) else { continue };
        if is_variable_name(name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The file without the entry.
pub fn remove_server(environment: &Environment, path: &Path, name: &str) -> Result<SavedFile, EditError> {
    let before = read(environment, path)?;
    let text = before.as_deref().unwrap_or_default();
    let known = splice::names(text);
    if !known.iter().any(|known| known == name) {
        return Err(EditError::NoServer { path: path.to_path_buf(), name: name.to_owned(), known });
    }
    let removed = remove_from_text(text, name)
        .map_err(|refused| refused.at(path, || format!("remove the entry of `{name}` yourself")))?;
    Ok(SavedFile { path: environment.absolute(path), before, after: removed })
}

/// The names of the servers in a file of ours, as they are written; none where it can't be read.
pub fn server_names(environment: &Environment, path: &Path) -> Vec<String> {
    match read(environment, path) {
        Ok(Some(text)) => splice::names(&text),
        _ => Vec::new(),
    }
}

fn read(environment: &Environment, path: &Path) -> Result<Option<String>, EditError> {
    match Source::read(path.to_path_buf(), environment.absolute(path), Kinds::Regular, limits::CONFIG_BYTES) {
        Ok(source) => match import::parse_foreign_file(environment, &source) {
            Ok(None) => Ok(Some(source.text)),
            _ => Err(EditError::Layout {
                path: path.to_path_buf(),
                advice: "it is a file of another program: choose another with `--project` or `--user`"
                    .to_owned(),
            }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(EditError::Read { path: path.to_path_buf(), source }),
    }
}

/// Why a text is not edited.
#[derive(Debug, PartialEq, Eq)]
enum Refused {
    /// It is not YAML, or has a key twice.
    Unreadable(Position, String),
    /// The result would differ in more than the entry.
    Layout,
}

impl Refused {
    fn at(self, path: &Path, advice: impl FnOnce() -> String) -> EditError {
        match self {
            Self::Layout => EditError::Layout { path: path.to_path_buf(), advice: advice() },
            Self::Unreadable(position, message) => {
                let place = ConfigPlace { path: path.to_path_buf(), position };
                let finding = Finding { place, problem: Problem::Unusable { reason: message } };
                EditError::Invalid(Box::new(ConfigError::Invalid(vec![finding])))
            }
        }
    }
}

fn add_to_text(text: &str, server: &NewServer) -> Result<String, Refused> {
    let (name, keys) = (server.name.as_str(), &server.keys);
    let mut wanted = Parts::read(text)?;
    let added =
        splice::adding(text, name, keys).and_then(|splice| splice.apply(text)).ok_or(Refused::Layout)?;
    wanted.servers.push((name.to_owned(), Value::Object(keys.clone())));
    verified(added, &wanted)
}

fn remove_from_text(text: &str, name: &str) -> Result<String, Refused> {
    let mut wanted = Parts::read(text)?;
    let removed =
        splice::removing(text, name).and_then(|splice| splice.apply(text)).ok_or(Refused::Layout)?;
    wanted.servers.retain(|(known, _)| known != name);
    verified(removed, &wanted)
}

/// The text, if it means what is wanted.
fn verified(text: String, wanted: &Parts) -> Result<String, Refused> {
    match Parts::read(&text) {
        Ok(found) if found == *wanted => Ok(text),
        _ => Err(Refused::Layout),
    }
}

/// What a file says: the servers by name, and all else.
#[derive(Debug, PartialEq)]
struct Parts {
    servers: Vec<(String, Value)>,
    others: Map<String, Value>,
}

impl Parts {
    fn read(text: &str) -> Result<Self, Refused> {
        let root: Value = yaml::read_yaml(text)
            .map_err(|(position, problem)| Refused::Unreadable(position, problem.to_string()))?;
        let mut others = match root {
            Value::Null => Map::new(),
            Value::Object(members) => members,
            _ => return Err(Refused::Layout),
        };
        let servers = match others.shift_remove("servers") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(entries)) => entries.into_iter().map(named).collect(),
            Some(Value::Object(entries)) => entries.into_iter().collect(),
            Some(_) => return Err(Refused::Layout),
        };
        Ok(Self { servers, others })
    }
}

/// The name of an entry of a list, and the rest of it.
fn named(mut entry: Value) -> (String, Value) {
    let name = entry.as_object_mut().and_then(|keys| keys.shift_remove("name"));
    (name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default(), entry)
}

#[cfg(test)]
mod tests;
