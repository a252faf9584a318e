//! Answers a shell that asks how a command line can go on: names of servers and tools, and the arguments of a tool.
//!
//! The script of `mortise completions` sets `COMPLETE` and calls this program with the words after `--`. Nothing is
//! started, and nothing is said on stderr: the person is in the middle of a line.

mod words;

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, OnceLock};

use clap::{Arg, ValueHint};
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCompleter;
use clap_complete::env::{CompleteEnv, Shells};
use mortise_client::environment::Environment;
use mortise_journal::{JournalReader, RunQuery};
use serde_json::Value;

use crate::cli;
use crate::exit::Exit;
use crate::journal;
use crate::known_tools::{self, KnownServer, KnownTool};
use words::TypedWords;

/// The variable by which a completion script asks.
const ASKED: &str = "COMPLETE";
/// The variable in which some scripts say which word the cursor is in.
const CURSOR: &str = "_CLAP_COMPLETE_INDEX";
/// Runs that are proposed.
const COMPLETED_RUNS: usize = 50;

/// Prints what may come next, if a shell asks for it. A value that names no shell is somebody else's variable.
pub(crate) fn answer(environment: &Environment, arguments: &[OsString]) -> Option<Exit> {
    let shell = environment.variables.get(OsStr::new(ASKED))?.to_str()?;
    Shells::builtins().completer(shell)?;
    let cursor = environment.variables.get(OsStr::new(CURSOR)).and_then(|index| index.to_str()?.parse().ok());
    let words = TypedWords::new(arguments, cursor);
    let known = Arc::new(KnownNames { environment: environment.clone(), words, servers: OnceLock::new() });
    let completed = CompleteEnv::with_factory(|| command(&known))
        .bin("mortise")
        .try_complete(arguments.iter().cloned(), Some(&environment.working_directory));
    Some(if completed.is_ok() { Exit::Ok } else { Exit::Usage })
}

/// The script with which a shell asks; `None` for a shell that is not known.
pub(crate) fn script(shell: &str) -> Option<String> {
    // clap's own needs a zsh that has loaded its completions, and puts a space after `city=`.
    if shell == "zsh" {
        return Some(include_str!("completion/completion.zsh").to_owned());
    }
    let shells = Shells::builtins();
    let mut script = Vec::new();
    shells.completer(shell)?.write_registration(ASKED, "mortise", "mortise", "mortise", &mut script).ok()?;
    String::from_utf8(script).ok()
}

/// What the words mean, read when it is first needed.
struct KnownNames {
    environment: Environment,
    words: TypedWords,
    servers: OnceLock<Vec<KnownServer>>,
}

/// What can be completed at one place of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompletionPlace {
    Server,
    Tool,
    ServerOrTool,
    ToolArgument,
    Run,
}

/// The command line, with completers where names are expected.
fn command(known: &Arc<KnownNames>) -> clap::Command {
    with_completers(cli::command(), known)
}

fn with_completers(command: clap::Command, known: &Arc<KnownNames>) -> clap::Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|argument| with_completer(&name, argument, known));
    command.mut_subcommands(|command| with_completers(command, known))
}

fn with_completer(command: &str, argument: Arg, known: &Arc<KnownNames>) -> Arg {
    // Options are proposed to a person who began one, and do not stand between names otherwise.
    let is_aside = !argument.is_positional() && !known.words.is_option();
    let argument = if is_aside { argument.hide(true) } else { argument };
    let Some(place) = place(command, &argument) else {
        let is_program = argument.get_id() == "program" && argument.is_positional();
        return if is_program { argument.value_hint(ValueHint::FilePath) } else { argument };
    };
    let known = Arc::clone(known);
    argument.add(ArgValueCompleter::new(move |current: &OsStr| {
        let current = current.to_string_lossy();
        known.candidates(place, &current)
    }))
}

/// What an argument holds, by the name that the help gives its value.
fn place(command: &str, argument: &Arg) -> Option<CompletionPlace> {
    let name = argument.get_value_names().and_then(|names| names.first())?.as_str();
    if command == "call"
        && argument.is_positional()
        && matches!(name, "ARGUMENT" | "name=value" | "NAME=VALUE")
    {
        return Some(CompletionPlace::ToolArgument);
    }
    if command == "tools" && argument.is_positional() {
        return Some(CompletionPlace::ServerOrTool);
    }
    if matches!(name, "RUN" | "OTHER_RUN") {
        return Some(CompletionPlace::Run);
    }
    match (name.contains("SERVER"), name.contains("TOOL")) {
        (true, true) => Some(CompletionPlace::ServerOrTool),
        (true, false) => Some(CompletionPlace::Server),
        (false, true) => Some(CompletionPlace::Tool),
        (false, false) => None,
    }
}

impl KnownNames {
    fn servers(&self) -> &[KnownServer] {
        self.servers
            .get_or_init(|| known_tools::known_servers(&self.environment, &self.words.asked_servers()))
    }

    fn candidates(&self, place: CompletionPlace, current: &str) -> Vec<CompletionCandidate> {
        let mut found = Vec::new();
        if matches!(place, CompletionPlace::Server | CompletionPlace::ServerOrTool) {
            let help = |server: &KnownServer| match server.tools.len() {
                0 => String::new(),
                1 => "1 tool".to_owned(),
                count => format!("{count} tools"),
            };
            found.extend(self.servers().iter().map(|server| (server.name.clone(), help(server))));
        }
        if matches!(place, CompletionPlace::Tool | CompletionPlace::ServerOrTool) {
            found.extend(tool_names(self.servers(), current));
        }
        if place == CompletionPlace::ToolArgument {
            found.extend(self.arguments(current));
        }
        if place == CompletionPlace::Run {
            found.extend(self.runs());
        }
        let fits = found.into_iter().filter(|(value, _)| value.starts_with(current));
        fits.map(|(value, help)| candidate(value, &help)).collect()
    }

    /// The newest runs, with the first lines of their programs.
    fn runs(&self) -> Vec<(String, String)> {
        let Some(directory) = journal::directory(&self.environment) else { return Vec::new() };
        let query = RunQuery { limit: COMPLETED_RUNS, ..RunQuery::default() };
        let page = JournalReader::new(directory).list(&query);
        let runs = page.map(|page| page.runs).unwrap_or_default().into_iter();
        let named = runs.map(|run| (run.id.to_string(), format!("{} {}", run.state.as_str(), run.title)));
        std::iter::once(("last".to_owned(), "the newest run".to_owned())).chain(named).collect()
    }

    /// Names of arguments that are not given yet, or the values of the one that is being written.
    fn arguments(&self, current: &str) -> Vec<(String, String)> {
        let Some(tool) = self.words.tool().and_then(|name| find(self.servers(), name)) else {
            return Vec::new();
        };
        let Some(properties) = tool.input.get("properties").and_then(Value::as_object) else {
            return Vec::new();
        };
        if let Some((name, _)) = current.split_once('=') {
            let values = properties.get(name).map(values).unwrap_or_default();
            return values.into_iter().map(|value| (format!("{name}={value}"), String::new())).collect();
        }
        // Bash takes a word apart at `=`.
        if let Some(property) = self.words.before_value().and_then(|name| properties.get(name)) {
            return values(property).into_iter().map(|value| (value, String::new())).collect();
        }
        let required: Vec<&str> = tool
            .input
            .get("required")
            .and_then(Value::as_array)
            .map_or_else(Vec::new, |names| names.iter().filter_map(Value::as_str).collect());
        let mut names: Vec<&String> =
            properties.keys().filter(|name| !self.words.has_argument(name)).collect();
        names.sort_by_key(|name| !required.contains(&name.as_str()));
        let help =
            |name: &str| properties[name].get("description").and_then(Value::as_str).unwrap_or_default();
        names.into_iter().map(|name| (format!("{name}="), help(name).to_owned())).collect()
    }
}

/// Bare names, and qualified ones where a name is not alone or the person began to write one.
fn tool_names(servers: &[KnownServer], current: &str) -> Vec<(String, String)> {
    let all = || servers.iter().flat_map(|server| server.tools.iter().map(move |tool| (server, tool)));
    let is_alone = |name: &str| all().filter(|(_, tool)| tool.name == name).count() == 1;
    let name = |(server, tool): (&KnownServer, &KnownTool)| {
        let is_bare = !current.contains('/') && is_alone(&tool.name);
        let name = if is_bare { tool.name.clone() } else { format!("{}/{}", server.name, tool.name) };
        (name, tool.description.clone())
    };
    all().map(name).collect()
}

/// The tool that a word names: bare, or with its server in one of the ways that `call` takes.
fn find<'a>(servers: &'a [KnownServer], word: &str) -> Option<&'a KnownTool> {
    let is_meant = |server: &str, tool: &str| {
        word == tool
            || ["/", ".", ":", "__"].iter().any(|separator| {
                let rest = word.strip_prefix("mcp__").unwrap_or(word).strip_prefix(server);
                rest.and_then(|rest| rest.strip_prefix(separator)) == Some(tool)
            })
    };
    servers
        .iter()
        .flat_map(|server| server.tools.iter().map(move |tool| (server, tool)))
        .find_map(|(server, tool)| is_meant(&server.name, &tool.name).then_some(tool))
}

/// The values that a schema lists.
fn values(schema: &Value) -> Vec<String> {
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match schema.get("enum").and_then(Value::as_array) {
        Some(values) => values.iter().map(word).collect(),
        None if schema.get("type").is_some_and(|kind| kind == "boolean") => {
            vec!["true".into(), "false".into()]
        }
        None => Vec::new(),
    }
}

/// One proposal. Its help is the first sentence of what a server wrote, without anything that a terminal would obey.
fn candidate(value: String, help: &str) -> CompletionCandidate {
    let line = help.lines().next().unwrap_or_default();
    let is_end = |at: &usize| !line[..*at].ends_with("e.g") && !line[..*at].ends_with("i.e");
    let end = line.match_indices(". ").map(|(at, _)| at).find(is_end);
    let line = end.map_or(line, |end| &line[..end]);
    let line: String = line.chars().filter(|letter| !letter.is_control()).take(80).collect();
    let help = (!line.is_empty()).then(|| line.into());
    CompletionCandidate::new(value).help(help)
}

#[cfg(test)]
mod tests;
