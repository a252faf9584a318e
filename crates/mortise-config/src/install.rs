//! Writing mortise into the file of another program, and taking it out again.
//!
//! JSON with comments is edited through a syntax tree that keeps every byte, TOML through `toml_edit`. As for our own
//! file, an edit is verified: both texts are read, and all but our entry must say the same.

mod json;
mod toml_text;

use std::io;
use std::path::PathBuf;

use mortise_client::environment::Environment;
use mortise_client::private_file;
use mortise_client::{ContentHash, bounded_file};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::limits;
use crate::programs::{EntryForm, FileScope, Program, ProgramFile};
use crate::saved_file::SavedFile;

/// What mortise is called in other programs' files.
pub const ENTRY_NAME: &str = "mortise";

/// How long Codex waits for mortise to start, and for one program of an agent.
const CODEX_START_SECONDS: i64 = 30;
const CODEX_CALL_SECONDS: i64 = 130;

/// How mortise is started by the other program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program: a name on the `PATH`, or an absolute path.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// Why a file of another program is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// mortise does not write into this program's files.
    #[error("mortise does not write into the files of {program}")]
    ReadOnly {
        /// The program.
        program: &'static str,
    },
    /// The program has no file in projects, or no home directory is known.
    #[error("it is not known where {program} has its file")]
    NoFile {
        /// The program.
        program: &'static str,
    },
    /// The file can't be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The file is not what the program could read either.
    #[error("`{}` is not {language}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// `JSON` or `TOML`.
        language: &'static str,
        /// The parser's words.
        message: String,
    },
    /// The edit would change something else.
    #[error("`{}` is laid out in a way that mortise does not edit", path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// The entry to paste.
        entry: String,
    },
}

/// A change of another program's file.
#[derive(Clone)]
pub struct InstallEdit {
    /// The file before and after.
    pub file: SavedFile,
    /// Our entry alone, as that file would have it.
    pub entry: String,
}

/// Why a text is not edited.
pub(crate) enum TextError {
    /// It can't be read.
    Syntax(String),
    /// The result would differ in more than our entry.
    Layout,
}

/// The edit that adds our entry, or brings it up to date.
pub fn install(
    environment: &Environment,
    program: &'static Program,
    scope: FileScope,
    launch: &Launch,
) -> Result<InstallEdit, InstallError> {
    let target = Target::find(environment, program, scope)?;
    let before = target.read()?;
    let text = before.as_deref().unwrap_or_default();
    let entry = entry(target.form, launch);
    let (shown, added) = match target.form {
        EntryForm::Codex => {
            (toml_text::shown(target.file.keys, &entry), toml_text::add(text, target.file.keys, &entry))
        }
        _ => (json::shown(target.file.keys, &entry), json::add(text, target.file.keys, &entry)),
    };
    let after = added.map_err(|error| target.failed(error, shown.clone()))?;
    Ok(InstallEdit { file: SavedFile { path: target.path, before, after }, entry: shown })
}

/// The edit that takes our entry out; `None` where there is none. A file that was not touched since [`install`] gets
/// back its old text.
pub fn undo(
    environment: &Environment,
    program: &'static Program,
    scope: FileScope,
) -> Result<Option<InstallEdit>, InstallError> {
    let target = Target::find(environment, program, scope)?;
    let Some(now) = target.read()? else { return Ok(None) };
    let removed = match target.form {
        EntryForm::Codex => toml_text::remove(&now, target.file.keys),
        _ => json::remove(&now, target.file.keys),
    };
    let Some((shown, mut after)) = removed.map_err(|error| target.failed(error, String::new()))? else {
        return Ok(None);
    };
    if let Some(backup) = Backup::read(environment, &target.path).filter(|backup| backup.is_of(&now)) {
        after = backup.before.unwrap_or_default();
    }
    let file = SavedFile { path: target.path, before: Some(now), after };
    Ok(Some(InstallEdit { file, entry: shown }))
}

impl InstallEdit {
    /// Whether the file says already what it would say.
    pub fn is_nothing(&self) -> bool {
        self.file.before.as_deref() == Some(self.file.after.as_str())
    }

    /// Keeps the old text for [`undo`], in the state directory. Only the user can read it.
    pub fn keep_backup(
        &self,
        environment: &Environment,
    ) -> Result<Option<PathBuf>, private_file::PrivateFileError> {
        let Some(path) = backup_path(environment, &self.file.path) else { return Ok(None) };
        let after = ContentHash::of(self.file.after.as_bytes());
        let backup = Backup { path: self.file.path.clone(), after, before: self.file.before.clone() };
        let Ok(text) = serde_json::to_string(&backup) else { return Ok(None) };
        private_file::write(&path, &text)?;
        Ok(Some(path))
    }
}

/// A program's file that is edited.
struct Target {
    file: &'static ProgramFile,
    form: EntryForm,
    path: PathBuf,
}

impl Target {
    fn find(
        environment: &Environment,
        program: &'static Program,
        scope: FileScope,
    ) -> Result<Self, InstallError> {
        let form = program.entry.ok_or(InstallError::ReadOnly { program: program.name })?;
        let file = program.install_file(scope);
        let found = file.and_then(|file| Some((file, file.path(environment)?)));
        let (file, path) = found.ok_or(InstallError::NoFile { program: program.name })?;
        Ok(Self { file, form, path })
    }

    fn read(&self) -> Result<Option<String>, InstallError> {
        match bounded_file::read(&self.path, limits::IMPORT_BYTES as u64) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(InstallError::Read { path: self.path.clone(), source }),
        }
    }

    fn failed(&self, error: TextError, entry: String) -> InstallError {
        let path = self.path.clone();
        match error {
            TextError::Layout => InstallError::Layout { path, entry },
            TextError::Syntax(message) => {
                let language = if self.form == EntryForm::Codex { "TOML" } else { "JSON" };
                InstallError::Syntax { path, language, message }
            }
        }
    }
}

/// Our entry.
fn entry(form: EntryForm, launch: &Launch) -> Map<String, Value> {
    let Launch { command, args } = launch;
    let value = match form {
        EntryForm::Plain => json!({ "command": command, "args": args }),
        EntryForm::Typed => json!({ "type": "stdio", "command": command, "args": args }),
        EntryForm::Zed => json!({ "source": "custom", "command": command, "args": args }),
        EntryForm::Copilot => json!({ "type": "local", "command": command, "args": args, "tools": ["*"] }),
        EntryForm::Codex => json!({
            "command": command, "args": args,
            "startup_timeout_sec": CODEX_START_SECONDS, "tool_timeout_sec": CODEX_CALL_SECONDS,
        }),
    };
    match value {
        Value::Object(entry) => entry,
        _ => Map::new(),
    }
}

/// The text of a file before mortise was written into it.
#[derive(Serialize, Deserialize)]
struct Backup {
    path: PathBuf,
    /// The hash of the text that was written.
    after: ContentHash,
    before: Option<String>,
}

impl Backup {
    fn read(environment: &Environment, path: &std::path::Path) -> Option<Self> {
        let text = private_file::read_secret(&backup_path(environment, path)?).ok()??;
        serde_json::from_str(&text).ok()
    }

    fn is_of(&self, now: &str) -> bool {
        self.after == ContentHash::of(now.as_bytes())
    }
}

fn backup_path(environment: &Environment, path: &std::path::Path) -> Option<PathBuf> {
    let name = ContentHash::of(path.as_os_str().as_encoded_bytes());
    Some(environment.state_directory.as_ref()?.join("backups").join(format!("{name}.json")))
}

#[cfg(test)]
mod tests;
