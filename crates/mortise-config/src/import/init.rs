//! `mortise init`: other programs' servers written down as a `mortise.yaml`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use mortise_client::environment::Environment;
use mortise_contract::text::one_line;
use serde_json::{Map, Value};

use super::{ImportedServer, MAX_BYTES, folder, parse_foreign_file};
use crate::edit::write;
use crate::file::{ServerKeys, TransportKind};
use crate::located::{ConfigPlace, Located, Position};
use crate::source::{Kinds, Source};
use crate::{ConfigError, Finding, Note, NoteKind, Problem};

/// The text of a new `mortise.yaml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Init {
    /// The text; [`Config::load`](crate::Config::load) reads it.
    pub text: String,
    /// How many servers it has.
    pub servers: usize,
    /// What was left out or is worth knowing.
    pub notes: Vec<Note>,
}

/// What a configuration begins with when there is nothing to take over.
const STARTER: &str = "\
# Take the `#` away before a server that you want, or use `mortise add` and `mortise import`.
servers:
  # - name: files
  #   command: npx
  #   args: [\"-y\", \"@modelcontextprotocol/server-filesystem\", \"${HOME}/notes\"]
  # - name: search
  #   url: https://mcp.example.com/mcp
  #   bearer: ${SEARCH_TOKEN}
";

/// Turns the servers of `files` into a configuration of ours; with no file, a starter.
///
/// Variables stay variables. A secret that is written out in a file stays
/// written out and is noted, since we can't know where else it is kept.
pub fn init(environment: &Environment, files: &[PathBuf]) -> Result<Init, ConfigError> {
    let mut writer = InitWriter::default();
    for shown in files {
        let path = environment.absolute(shown);
        let source = Source::read(shown.clone(), path, Kinds::Any, MAX_BYTES)
            .map_err(|source| ConfigError::Read { path: shown.clone(), source })?;
        let invalid = |(position, problem)| {
            let place = ConfigPlace { path: shown.clone(), position };
            ConfigError::Invalid(vec![Finding { place, problem }])
        };
        let servers = parse_foreign_file(environment, &source)
            .and_then(|servers| servers.ok_or((Position::START, Problem::NothingToImport)))
            .map_err(invalid)?;
        let folder = folder(&source.path);
        for imported in servers {
            writer.add(&imported, &source.shown, &folder);
        }
    }
    Ok(writer.finish())
}

#[derive(Default)]
struct InitWriter {
    entries: String,
    left_out: String,
    names: BTreeMap<String, ConfigPlace>,
    notes: Vec<Note>,
}

impl InitWriter {
    fn add(&mut self, imported: &ImportedServer, shown: &Path, folder: &Path) {
        let place = ConfigPlace { path: shown.to_path_buf(), position: imported.position };
        let twice = imported.earlier.as_ref().or(self.names.get(&imported.name));
        let twice = twice.map(|first| NoteKind::AlreadyDefined { first: first.clone() });
        let is_sse = matches!(&imported.server.transport, Some(kind) if kind.value == TransportKind::Sse);
        let sse = is_sse.then(|| NoteKind::Unusable { reason: Problem::Sse.to_string() });
        let note = |kind| Note { place: place.clone(), server: imported.name.clone(), kind };
        let unusable = imported.unusable.as_ref();
        let unusable = unusable.map(|problem| NoteKind::Unusable { reason: problem.to_string() });
        if let Some(kind) = unusable.or(twice).or(sse) {
            let note = note(kind);
            let _ = writeln!(self.left_out, "# left out: {}", one_line(&note.to_string()));
            self.notes.push(note);
            return;
        }
        let _ = writeln!(self.entries, "  # from {}", one_line(&shown.display().to_string()));
        let mut kinds = imported.notes.clone();
        kinds.extend(literal_secrets(&imported.server));
        for kind in kinds {
            let _ = writeln!(self.entries, "  # note: {}", one_line(&kind.to_string()));
            self.notes.push(note(kind));
        }
        let keys = entry_keys(&imported.server, folder);
        self.entries.push_str(&write::list_entry(&imported.name, &keys, 2));
        self.names.insert(imported.name.clone(), place);
    }

    fn finish(self) -> Init {
        let mut text = "# Servers for mortise. `mortise doctor` says what is wrong with them.\n".to_owned();
        match self.entries.is_empty() {
            true => text.push_str(STARTER),
            false => {
                text.push_str("servers:\n");
                text.push_str(&self.entries);
            }
        }
        text.push_str(&self.left_out);
        Init { text, servers: self.names.len(), notes: self.notes }
    }
}

/// The keys of an entry as our own file has them. Relative paths start from `folder`.
pub(crate) fn entry_keys(server: &ServerKeys, folder: &Path) -> Map<String, Value> {
    let mut keys = Map::new();
    let mut add = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            keys.insert(key.to_owned(), value);
        }
    };
    let text = |text: &Option<Located<String>>| text.as_ref().map(|text| Value::String(text.value.clone()));
    let path = |path: &Option<Located<String>>, rule| {
        path.as_ref().map(|path| Value::String(path_from(folder, &path.value, rule)))
    };
    let kind = server.transport.as_ref().map(|kind| kind.value == TransportKind::Stdio);
    add("transport", kind.map(|is_stdio| Value::from(if is_stdio { "stdio" } else { "http" })));
    add("command", path(&server.command, PathRule::IfSeparated));
    let args = server.args.as_ref().filter(|args| !args.is_empty());
    add("args", args.map(|args| args.iter().map(|argument| argument.value.as_str()).collect()));
    add("cwd", path(&server.cwd, PathRule::Always));
    add("url", text(&server.url));
    add("bearer", text(&server.bearer));
    add("start_timeout_seconds", server.start_timeout_seconds.as_ref().map(seconds));
    add("call_timeout_seconds", server.call_timeout_seconds.as_ref().map(seconds));
    add("disabled", server.disabled.filter(|disabled| *disabled).map(Value::Bool));
    add("env", server.env.as_ref().and_then(|env| mapping(&env.variables)));
    add("headers", server.headers.as_ref().and_then(mapping));
    keys
}

/// A time without the `.0` of whole seconds.
fn seconds(seconds: &Located<f64>) -> Value {
    match seconds.value {
        whole if whole.fract() == 0.0 && whole.abs() < 1e9 => Value::from(whole as i64),
        other => Value::from(other),
    }
}

fn mapping(mapping: &BTreeMap<String, Located<String>>) -> Option<Value> {
    let pairs = mapping.iter().map(|(name, value)| (name.clone(), Value::String(value.value.clone())));
    (!mapping.is_empty()).then(|| Value::Object(pairs.collect()))
}

/// Which texts are paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathRule {
    Always,
    /// A bare word is a program in `PATH`.
    IfSeparated,
}

/// A relative path as seen from the file it came from, since ours lies elsewhere.
fn path_from(folder: &Path, text: &str, rule: PathRule) -> String {
    let is_word = rule == PathRule::IfSeparated && !text.contains('/');
    let is_placed = text.starts_with(['/', '~', '$']) || Path::new(text).is_absolute();
    if is_word || is_placed {
        text.to_owned()
    } else {
        folder.join(text).components().collect::<PathBuf>().to_string_lossy().into_owned()
    }
}

/// Values that look like secrets and are written out.
pub(crate) fn literal_secrets(server: &ServerKeys) -> Vec<NoteKind> {
    const WORDS: [&str; 8] =
        ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "AUTHORIZATION", "CREDENTIAL"];
    let looks_secret = |key: &str| {
        let key = key.to_uppercase().replace('-', "_");
        key.ends_with("_KEY") || WORDS.iter().any(|word| key.contains(word))
    };
    let variables = server.env.as_ref().map(|env| &env.variables);
    let pairs = [variables, server.headers.as_ref()].into_iter().flatten().flatten();
    pairs
        .filter(|(key, value)| looks_secret(key) && !value.value.is_empty() && !value.value.contains("${"))
        .map(|(key, _)| NoteKind::LiteralSecret { key: key.clone() })
        .collect()
}

#[cfg(test)]
mod tests;
