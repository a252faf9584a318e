//! What was typed behind the name of a tool, for a corrected command that the user can copy.

use crate::cli::tool_options::MARK;
use crate::servers::SameServers;
use crate::shell_word::shell_word;

/// Stands for one value or several.
const HIDDEN: &str = "…";

/// The words of `mortise call` behind the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallWords<'a> {
    words: &'a [&'a str],
    /// The servers that the command line named.
    servers: Option<&'a SameServers>,
}

/// A corrected command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CorrectedCall {
    /// With all that was typed, for the person who typed it.
    pub(crate) typed: String,
    /// Without values, which can be secrets, for a log.
    pub(crate) elsewhere: String,
}

impl<'a> CallWords<'a> {
    pub(crate) fn new(words: &'a [&'a str]) -> Self {
        Self { words, servers: None }
    }

    /// The corrected command uses the same servers.
    pub(crate) fn with_servers(self, servers: &'a SameServers) -> Self {
        Self { servers: Some(servers), ..self }
    }

    /// The first word, if it can be the name of a tool, and the words behind it.
    pub(crate) fn split_tool(self) -> Option<(&'a str, Self)> {
        let (first, rest) = self.words.split_first()?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        (!first.is_empty() && first.chars().all(is_name)).then_some((*first, Self { words: rest, ..self }))
    }

    /// `mortise call TOOL` with these words.
    pub(crate) fn call(self, tool: &str) -> CorrectedCall {
        self.behind(&format!("mortise call {tool}"))
    }

    /// Another command with these words.
    pub(crate) fn behind(self, command: &str) -> CorrectedCall {
        let mut call = CorrectedCall { typed: command.to_owned(), elsewhere: String::new() };
        call.elsewhere.clone_from(&call.typed);
        let servers = self.servers.into_iter().flat_map(SameServers::words);
        for word in self.words.iter().copied().chain(servers) {
            let word = word.strip_prefix(MARK).unwrap_or(word);
            call.typed.push_str(&format!(" {}", shell_word(word)));
            let shown = without_value(word);
            if shown != HIDDEN || !call.elsewhere.ends_with(HIDDEN) {
                call.elsewhere.push_str(&format!(" {shown}"));
            }
        }
        call
    }
}

/// `city=…` of `city=Oslo`, `--city` of itself.
fn without_value(word: &str) -> String {
    match word.split_once('=') {
        Some((name, _)) if !name.is_empty() && !name.contains(char::is_whitespace) => format!("{name}=…"),
        _ if word.starts_with("--") => word.to_owned(),
        _ => HIDDEN.to_owned(),
    }
}
