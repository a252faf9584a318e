//! The words with which another command uses the same servers.

use serde_json::Value;

use super::AdHocArgs;
use crate::app::App;
use crate::shell_word::shell_word;

/// What a command line said about servers, to be said again in a command that the user copies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SameServers {
    options: Vec<String>,
    command: Vec<String>,
}

impl SameServers {
    /// Takes it from this command line; `url` is one that was given as an argument.
    pub(crate) fn of(app: &App, ad_hoc: &AdHocArgs, url: Option<&str>) -> Self {
        let connect = &app.connect;
        let mut options = Vec::new();
        let mut option = |name: &str, value: &str| options.extend([name.to_owned(), value.to_owned()]);
        connect.config.iter().for_each(|file| option("--config", &file.to_string_lossy()));
        connect.server.iter().for_each(|server| option("--server", server));
        connect.url.iter().map(String::as_str).chain(url).for_each(|url| option("--url", url));
        connect.env.iter().for_each(|name| option("--env", name));
        if connect.samples {
            options.push("--samples".to_owned());
        }
        Self { options, command: ad_hoc.command.clone() }
    }

    /// The options that name these servers, and their command behind `--`, not quoted.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let separator = (!self.command.is_empty()).then_some("--");
        let options = self.options.iter().map(String::as_str);
        options.chain(separator).chain(self.command.iter().map(String::as_str))
    }

    /// `mortise WORDS` with these servers, quoted for a shell.
    pub(crate) fn command(&self, words: &[&str]) -> Vec<String> {
        let words = std::iter::once("mortise").chain(words.iter().copied()).chain(self.words());
        words.map(|word| shell_word(word).into_owned()).collect()
    }

    /// The command that calls a tool with these arguments.
    pub(crate) fn call(&self, tool: &str, arguments: &Value, checks: ArgumentChecks) -> Vec<String> {
        let json = arguments.to_string();
        let mut words = vec!["call", tool];
        if arguments.as_object().is_none_or(|members| !members.is_empty()) {
            words.extend(["--args", &json]);
        }
        if checks == ArgumentChecks::Off {
            words.push("--no-validate");
        }
        self.command(&words)
    }
}

/// Whether a call's arguments are checked before they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentChecks {
    /// They are.
    On,
    /// They are wrong on purpose.
    Off,
}

#[cfg(test)]
mod tests;
