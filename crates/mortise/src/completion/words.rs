//! The words of a command line that is being written.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction};

use crate::cli;
use crate::known_tools::AskedServers;

/// The words up to the cursor, without the name of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypedWords {
    before: Vec<String>,
    /// The word that the cursor is in; empty behind a space.
    current: String,
}

impl TypedWords {
    /// Reads them from the arguments of the process, `mortise -- mortise call get_w`. Without a cursor it is in the
    /// last word.
    pub(super) fn new(arguments: &[OsString], cursor: Option<usize>) -> Self {
        let after = arguments.iter().position(|word| word == "--").map_or(arguments.len(), |index| index + 1);
        let words: Vec<String> =
            arguments[after..].iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let cursor = cursor.unwrap_or(words.len().saturating_sub(1)).min(words.len());
        let current = words.get(cursor).cloned().unwrap_or_default();
        Self { before: words.into_iter().take(cursor).skip(1).collect(), current }
    }

    /// Whether an option is being written.
    pub(super) fn is_option(&self) -> bool {
        self.current.starts_with('-')
    }

    /// The servers that the options so far ask for.
    pub(super) fn asked_servers(&self) -> AskedServers {
        let values = |name: &str| -> Vec<PathBuf> {
            let apart = self.before.windows(2).filter(|pair| pair[0] == name).map(|pair| pair[1].clone());
            let joined = self
                .before
                .iter()
                .filter_map(|word| Some(word.strip_prefix(name)?.strip_prefix('=')?.to_owned()));
            apart.chain(joined).map(PathBuf::from).collect()
        };
        AskedServers {
            config: values("--config"),
            samples: self.before.iter().any(|word| word == "--samples"),
        }
    }

    /// The first word after the command that is not an option.
    pub(super) fn tool(&self) -> Option<&str> {
        let command = cli::command();
        let call = command.find_subcommand("call")?;
        let takes_value = |option: &str| {
            let by_name = |argument: &&Arg| {
                argument.get_long().is_some_and(|long| option.strip_prefix("--") == Some(long))
                    || argument.get_short().is_some_and(|short| option == format!("-{short}"))
            };
            let is_value =
                |argument: &Arg| matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
            call.get_arguments().find(by_name).is_some_and(is_value)
        };
        let mut words = self.before.iter();
        let mut is_after_command = false;
        while let Some(word) = words.next() {
            if word.starts_with('-') {
                if takes_value(word) {
                    words.next();
                }
            } else if is_after_command {
                return Some(word);
            } else {
                is_after_command = true;
            }
        }
        None
    }

    /// Whether a tool's argument is given already. Bash takes `city=Oslo` apart into three words.
    pub(super) fn has_argument(&self, name: &str) -> bool {
        let is_joined = |word: &String| word.split_once('=').is_some_and(|(given, _)| given == name);
        self.before.iter().any(is_joined)
            || self.before.windows(2).any(|pair| pair[0] == name && pair[1] == "=")
    }

    /// The argument whose value is being written, where the shell takes words apart at `=`. With the cursor right after
    /// it, bash leaves out the `=` itself.
    pub(super) fn before_value(&self) -> Option<&str> {
        match self.before.as_slice() {
            [.., name, equals] if equals == "=" => Some(name),
            [.., name] => Some(name),
            [] => None,
        }
    }
}
