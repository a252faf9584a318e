//! What other programs have configured, found without being told where.
//!
//! A file that can't be read is a row with its reason. Nothing here shows a secret: commands and addresses are shown
//! without what may be one.

use std::path::{Path, PathBuf};

use mortise_client::environment::Environment;
use mortise_client::secret::{Secret, Secrets};
use mortise_client::server_config::{HttpConfig, ServerConfig, StdioConfig, Transport};
use mortise_contract::ServerName;
use mortise_contract::text::{cut, one_line};

use crate::edit::NewServer;
use crate::file::{ServerKeys, TransportKind};
use crate::import::{self, ImportedServer};
use crate::programs::{FileScope, PROGRAMS, Program};
use crate::source::{Kinds, Source};
use crate::{NoteKind, Problem, own_executable};

/// One file that was found.
#[derive(Debug)]
pub struct FoundFile {
    /// Whose it is; `None` for a file that the user named and that is not in the table.
    pub program: Option<&'static Program>,
    /// Whether it is the user's own or came with a project.
    pub scope: FileScope,
    /// Where it lies.
    pub path: PathBuf,
    /// Its servers, or why it can't be read.
    pub servers: Result<Vec<FoundServer>, String>,
}

/// One server of a file.
#[derive(Debug)]
pub struct FoundServer {
    /// Its name as it is written there.
    pub name: String,
    /// The command or the address, without what may be secret.
    pub action: String,
    /// Whether and how it can be taken.
    pub state: FoundState,
    /// What is worth knowing when it is taken.
    pub notes: Vec<NoteKind>,
}

/// Whether a server can be taken.
#[derive(Debug)]
pub enum FoundState {
    /// It can.
    Usable(NewServer),
    /// It is switched off there, and can be taken switched off.
    Disabled(NewServer),
    /// It is mortise itself.
    Mortise,
    /// It can't, for this reason.
    Unusable(String),
}

impl FoundServer {
    /// The entry for our own file, where it can be taken.
    pub fn entry(&self) -> Option<&NewServer> {
        match &self.state {
            FoundState::Usable(server) | FoundState::Disabled(server) => Some(server),
            FoundState::Mortise | FoundState::Unusable(_) => None,
        }
    }
}

/// The files of these programs that are there. Files without servers are left out.
pub fn discover(environment: &Environment, programs: &[&'static Program]) -> Vec<FoundFile> {
    let mut found: Vec<FoundFile> = Vec::new();
    for program in programs {
        for file in program.files {
            let Some(path) = file.path(environment).filter(|path| path.symlink_metadata().is_ok()) else {
                continue;
            };
            // In the home directory a project's file is the user's own, and was read already.
            if found.iter().any(|known| known.path == path) {
                continue;
            }
            let servers = read(environment, &path, Kinds::Regular);
            if !matches!(&servers, Ok(servers) if servers.is_empty()) {
                found.push(FoundFile { program: Some(program), scope: file.scope, path, servers });
            }
        }
    }
    found
}

/// The files of all programs.
pub fn discover_all(environment: &Environment) -> Vec<FoundFile> {
    discover(environment, &PROGRAMS.iter().collect::<Vec<_>>())
}

/// One file that the user named.
pub fn read_file(environment: &Environment, shown: &Path) -> FoundFile {
    let path = environment.absolute(shown);
    let of_program = |program: &&&'static Program| {
        program.files.iter().any(|file| file.path(environment).as_ref() == Some(&path))
    };
    let program = PROGRAMS.iter().collect::<Vec<_>>().iter().find(of_program).copied();
    let servers = read(environment, &path, Kinds::Any);
    FoundFile { program, scope: FileScope::User, path, servers }
}

fn read(environment: &Environment, path: &Path, kinds: Kinds) -> Result<Vec<FoundServer>, String> {
    let source = Source::read(path.to_path_buf(), path.to_path_buf(), kinds, import::MAX_BYTES)
        .map_err(|error| error.to_string())?;
    let imported = import::parse_program_file(environment, &source).map_err(|(position, problem)| {
        match position.line {
            0 => problem.to_string(),
            line => format!("line {line}: {problem}"),
        }
    })?;
    let folder = import::folder(path);
    // Of two entries with one name the first counts.
    let first = imported.into_iter().filter(|server| server.earlier.is_none());
    Ok(first.map(|server| found(environment, server, &folder)).collect())
}

fn found(environment: &Environment, imported: ImportedServer, folder: &Path) -> FoundServer {
    let ImportedServer { name, server, mut notes, unusable, .. } = imported;
    let action = action(&server);
    let is_sse = matches!(&server.transport, Some(kind) if kind.value == TransportKind::Sse);
    let is_nothing = server.command.is_none() && server.url.is_none();
    let problem = unusable
        .or(is_sse.then_some(Problem::Sse))
        .or(is_nothing.then_some(Problem::NoTransport))
        .map(|problem| problem.to_string());
    let state = match (ServerName::parse(&name), problem) {
        _ if is_mortise(environment, &server) => FoundState::Mortise,
        (Err(error), _) => FoundState::Unusable(error.to_string()),
        (_, Some(problem)) => FoundState::Unusable(problem),
        (Ok(name), None) => {
            let entry = NewServer { name, keys: import::entry_keys(&server, folder) };
            match server.disabled {
                Some(true) => FoundState::Disabled(entry),
                _ => FoundState::Usable(entry),
            }
        }
    };
    notes.extend(import::literal_secrets(&server));
    FoundServer { name, action, state, notes }
}

/// Whether an entry starts mortise: this program, or one of that name.
fn is_mortise(environment: &Environment, server: &ServerKeys) -> bool {
    let Some(command) = &server.command else { return false };
    let args: Vec<String> = server.args.iter().flatten().map(|argument| argument.value.clone()).collect();
    let is_name = |word: &str| {
        let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let file = file.split('@').next().unwrap_or(file);
        matches!(file, "mortise" | "mortise.exe" | "mortise-mcp")
    };
    let serves = args.iter().any(|argument| argument == "serve");
    let is_named = is_name(&command.value) || args.iter().any(|argument| is_name(argument));
    (serves && is_named) || own_executable::is_own(&StdioConfig::new(&command.value, args), environment)
}

/// Characters of a command that are shown.
const SHOWN: usize = 120;

/// What the entry starts or contacts, without what may be secret.
fn action(server: &ServerKeys) -> String {
    let hidden = |transport: Transport, text: &str| match ServerName::parse("server") {
        Ok(name) => Secrets::of(&ServerConfig::new(name, transport)).hide(text).into_owned(),
        Err(_) => String::new(),
    };
    let text = match (&server.command, &server.url) {
        (Some(command), _) => {
            let args: Vec<String> =
                server.args.iter().flatten().map(|argument| argument.value.clone()).collect();
            let text = std::iter::once(&command.value).chain(&args).cloned().collect::<Vec<_>>().join(" ");
            let mut stdio = StdioConfig::new(&command.value, args);
            let variables = server.env.iter().flat_map(|env| &env.variables);
            stdio.env = variables.map(|(name, value)| (name.clone(), Secret::new(&value.value))).collect();
            hidden(Transport::Stdio(stdio), &text)
        }
        (None, Some(url)) => {
            let mut http = HttpConfig::new(&url.value);
            let headers = server.headers.iter().flatten();
            http.headers = headers.map(|(name, value)| (name.clone(), Secret::new(&value.value))).collect();
            let without_query = url.value.split(['?', '#']).next().unwrap_or_default();
            hidden(Transport::Http(http), without_query)
        }
        (None, None) => String::new(),
    };
    cut(&one_line(&text), SHOWN)
}

#[cfg(test)]
pub(crate) mod tests;
