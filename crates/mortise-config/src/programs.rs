//! Other programs that use MCP servers: where their files lie, and how an entry of theirs looks.
//!
//! [`PROGRAMS`] is the one table. `mortise import` reads these files, `mortise install` writes one of them, and
//! `docs/reference/programs.md` is made from it.

mod table;

use std::path::{Path, PathBuf};

use mortise_client::environment::Environment;

use crate::search;

pub use table::PROGRAMS;

/// A program with files that list MCP servers.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// What it is called on the command line.
    pub id: &'static str,
    /// What it is called in a sentence.
    pub name: &'static str,
    /// Its files; those of the user come first.
    pub files: &'static [ProgramFile],
    /// How an entry for mortise is written; `None` where mortise only reads.
    pub entry: Option<EntryForm>,
    /// Where its documentation says so.
    pub source: &'static str,
}

/// One file of a program.
#[derive(Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Whose file it is.
    pub scope: FileScope,
    /// Where it lies.
    pub location: Location,
    /// The keys that lead to the servers.
    pub keys: &'static [&'static str],
}

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileScope {
    /// The user's own.
    User,
    /// It lies in a project, and may have come with it.
    Project,
}

/// Where a file lies.
#[derive(Debug, PartialEq, Eq)]
pub enum Location {
    /// Below the home directory.
    Home(&'static str),
    /// Below the directory that a variable names, or else below the home directory.
    Variable {
        /// The variable.
        variable: &'static str,
        /// The file below the variable's directory.
        file: &'static str,
        /// The file below the home directory, where the variable is not set.
        home: &'static str,
    },
    /// Where desktop programs keep their settings: `~/.config`, `~/Library/Application Support` or `%APPDATA%`.
    Settings(&'static str),
    /// Below `$XDG_CONFIG_HOME` or `~/.config`, on macOS too.
    Config(&'static str),
    /// Below a project.
    Project(&'static str),
}

/// How an entry for mortise looks in a program's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryForm {
    /// `{"command": …, "args": […]}`.
    Plain,
    /// The same with `"type": "stdio"`.
    Typed,
    /// Zed's: with `"source": "custom"`.
    Zed,
    /// Copilot CLI's: `"type": "local"`, and all tools allowed to be offered.
    Copilot,
    /// Codex's table, with time limits that suit programs.
    Codex,
}

impl Program {
    /// The program that a word on the command line means.
    pub fn find(word: &str) -> Option<&'static Self> {
        let lower = word.to_lowercase();
        PROGRAMS.iter().find(|program| program.id == lower || program.name.to_lowercase() == lower)
    }

    /// The file that an entry for mortise goes into.
    pub fn install_file(&self, scope: FileScope) -> Option<&'static ProgramFile> {
        self.files.iter().find(|file| file.scope == scope).filter(|_| self.entry.is_some())
    }
}

impl ProgramFile {
    /// Where the file lies, or would lie; `None` where that is not known. A project's file is the nearest one from the
    /// working directory up to the root of its repository, else the one that would lie at that root.
    pub fn path(&self, environment: &Environment) -> Option<PathBuf> {
        let home = environment.home.as_deref();
        match &self.location {
            Location::Home(file) => Some(home?.join(file)),
            Location::Variable { variable, file, home: below } => match directory(environment, variable) {
                Some(directory) => Some(directory.join(file)),
                None => Some(home?.join(below)),
            },
            Location::Settings(file) => Some(settings(environment)?.join(file)),
            Location::Config(file) => {
                let config = directory(environment, "XDG_CONFIG_HOME");
                Some(config.or_else(|| Some(home?.join(".config")))?.join(file))
            }
            Location::Project(file) => {
                let directories = search::project_directories(environment);
                let found = directories.iter().find(|directory| directory.join(file).exists());
                found.or(directories.last()).map(|directory| directory.join(file))
            }
        }
    }

    /// Where it lies, in words for every system.
    pub fn shown(&self) -> String {
        match &self.location {
            Location::Home(file) => format!("`~/{file}`"),
            Location::Variable { variable, file, home } => format!("`~/{home}`, or `${variable}/{file}`"),
            Location::Settings(file) => format!(
                "`~/.config/{file}`; macOS `~/Library/Application Support/{file}`; Windows `%APPDATA%\\{}`",
                file.replace('/', "\\")
            ),
            Location::Config(file) => format!("`~/.config/{file}`"),
            Location::Project(file) => format!("`{file}` in a project"),
        }
    }
}

/// The directory that a variable names.
fn directory(environment: &Environment, variable: &str) -> Option<PathBuf> {
    environment.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Where desktop programs of this system keep their settings.
fn settings(environment: &Environment) -> Option<PathBuf> {
    let home = environment.home.as_deref();
    if cfg!(target_os = "macos") {
        Some(home?.join(Path::new("Library/Application Support")))
    } else if cfg!(windows) {
        directory(environment, "APPDATA")
    } else {
        directory(environment, "XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config")))
    }
}

#[cfg(test)]
mod tests;
