//! Other programs' configuration files, read as they are found in the wild.
//!
//! | program | key | format |
//! | --- | --- | --- |
//! | Claude Desktop, Claude Code, Cursor, Windsurf, Cline, Gemini CLI and others | `mcpServers` | JSON |
//! | Amp | `amp.mcpServers` | JSON with comments |
//! | opencode | `mcp`, or `servers` below it | JSON with comments |
//! | Goose, Continue | `extensions`, `mcpServers` | YAML |
//! | VS Code | `servers` (in its settings under `mcp`) | JSON with comments |
//! | Zed | `context_servers` | JSON with comments |
//! | Codex | `[mcp_servers.NAME]` | TOML |
//!
//! The content decides, not the name of the file. An entry that we can't use
//! is left out and takes nothing else down; keys that mean nothing here are
//! noted. Variables are brought into our own form (`${env:TOKEN}` becomes `${TOKEN}`), so that one resolver
//! expands them and [`init()`] can write them down unexpanded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mortise_client::ContentHash;
use mortise_client::environment::Environment;
use tree::ForeignLanguage;

use crate::file::ServerKeys;
use crate::limits;
use crate::located::{ConfigPlace, Position};
use crate::source::Source;
use crate::{NoteKind, Problem};

pub use init::{Init, init};
pub(crate) use init::{entry_keys, literal_secrets};

mod entry;
mod init;
mod tree;
mod variables;

/// Bytes of one foreign file: Claude Code keeps its history beside its servers.
pub(crate) const MAX_BYTES: usize = limits::IMPORT_BYTES;

/// One entry of a foreign file, in the form of our own.
pub(crate) struct ImportedServer {
    pub(crate) name: String,
    pub(crate) position: Position,
    pub(crate) server: ServerKeys,
    /// What is worth knowing about it.
    pub(crate) notes: Vec<NoteKind>,
    /// Why it can't be used at all.
    pub(crate) unusable: Option<Problem>,
    /// Where the same name stands before it in the file: that entry counts.
    pub(crate) earlier: Option<ConfigPlace>,
}

/// The servers of a foreign file; `None` where the text is a file of our own.
pub(crate) fn parse_foreign_file(
    environment: &Environment,
    source: &Source,
) -> Result<Option<Vec<ImportedServer>>, (Position, Problem)> {
    let Some((root, dialect)) = tree::read_tree(&source.text, &source.path)? else { return Ok(None) };
    let tables = entry::tables(&root, dialect, &environment.working_directory);
    let is_ours = source.path.file_stem().is_some_and(|stem| stem == "mortise");
    match dialect {
        // We never write TOML ourselves.
        ForeignLanguage::Toml if tables.is_empty() => {
            return Err((Position::START, Problem::NothingToImport));
        }
        ForeignLanguage::Json if tables.is_empty() || (is_ours && root.get("mcpServers").is_none()) => {
            return Ok(None);
        }
        ForeignLanguage::Toml | ForeignLanguage::Json | ForeignLanguage::Yaml => {}
    }
    Ok(Some(read_tables(environment, source, tables, dialect)))
}

/// The servers of a file that is known to be of another program, whatever it is written in. A file without any is fine.
pub(crate) fn parse_program_file(
    environment: &Environment,
    source: &Source,
) -> Result<Vec<ImportedServer>, (Position, Problem)> {
    let is_yaml = source.path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let (root, language) = match is_yaml {
        true => (tree::read_yaml_tree(&source.text)?, ForeignLanguage::Yaml),
        false => match tree::read_tree(&source.text, &source.path)? {
            Some(read) => read,
            None if source.text.trim().is_empty() => return Ok(Vec::new()),
            None => return Err((Position::START, Problem::NothingToImport)),
        },
    };
    let tables = entry::tables(&root, language, &environment.working_directory);
    Ok(read_tables(environment, source, tables, language))
}

fn read_tables(
    environment: &Environment,
    source: &Source,
    tables: Vec<&[(String, tree::ForeignItem)]>,
    dialect: ForeignLanguage,
) -> Vec<ImportedServer> {
    let folder = folder(&source.path);
    let mut first_positions: BTreeMap<&str, Position> = BTreeMap::new();
    let mut servers = Vec::new();
    for (name, item) in tables.into_iter().flatten() {
        let mut imported = entry::read_entry(name, item, dialect, &folder, environment);
        let position = *first_positions.entry(name).or_insert(imported.position);
        if position != imported.position {
            imported.earlier = Some(ConfigPlace { path: source.shown.clone(), position });
        }
        servers.push(imported);
    }
    servers
}

/// The hash of all that a foreign file says about servers, in every project that it knows.
pub(crate) fn meaning(source: &Source) -> Option<ContentHash> {
    let (root, language) = tree::read_tree(&source.text, &source.path).ok().flatten()?;
    let mut written = String::from("import 1\n");
    match language {
        ForeignLanguage::Toml => root.get("mcp_servers")?.write(&mut written),
        ForeignLanguage::Json | ForeignLanguage::Yaml => root.write(&mut written),
    }
    Some(ContentHash::of(written.as_bytes()))
}

/// The folder that relative paths of a foreign file start from: the project, not `.vscode` inside it.
pub(crate) fn folder(path: &Path) -> PathBuf {
    let directory = path.parent().unwrap_or(Path::new("/"));
    const INNER: [&str; 7] = [".vscode", ".cursor", ".gemini", ".zed", ".roo", ".amazonq", ".amp"];
    let levels = match directory.file_name() {
        Some(_) if directory.ends_with(".kiro/settings") => 2,
        Some(name) if INNER.iter().any(|inner| name == *inner) => 1,
        _ => 0,
    };
    directory.ancestors().nth(levels).unwrap_or(directory).to_path_buf()
}

#[cfg(test)]
mod tests;
