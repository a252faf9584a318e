//! Long output through a pager, when a person reads it.

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use mortise_client::environment::Environment;

use super::{StdoutReader, Terminal, variable};

/// Variables that name a pager, ours first.
const VARIABLES: [&str; 2] = ["MORTISE_PAGER", "PAGER"];

/// The program that shows long output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PagerCommand {
    words: Vec<String>,
    /// Options for `less` where the user has none: quit if it fits, keep colours, leave the text on the screen.
    less: Option<&'static str>,
}

impl PagerCommand {
    /// `MORTISE_PAGER`, else `PAGER`, else `less`; an empty one and `cat` mean none.
    pub(super) fn of(environment: &Environment) -> Option<Self> {
        let named = VARIABLES.iter().find_map(|name| variable(environment, name));
        let words = match named {
            Some(command) => shlex::split(command)?,
            None => vec!["less".to_owned()],
        };
        match words.first().map(String::as_str) {
            None | Some("" | "cat") => None,
            Some(_) => {
                let less = variable(environment, "LESS").is_none().then_some("FRX");
                Some(Self { words, less })
            }
        }
    }

    /// Shows `text` and waits until the reader is done; an error means that nothing was shown.
    fn show(&self, text: &str) -> io::Result<()> {
        let (program, arguments) = self.words.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        if let Some(less) = self.less {
            command.env("LESS", less);
        }
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A reader that quits early has seen enough.
            _ = stdin.write_all(text.as_bytes());
        }
        match child.wait() {
            // What a shell says of a program that is not there, when the pager is a script.
            Ok(status) if matches!(status.code(), Some(126 | 127)) => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(()),
        }
    }
}

impl Terminal {
    /// Writes a result; through a pager if it is longer than the screen and a person reads it.
    pub(crate) fn page(&self, text: &str) -> io::Result<StdoutReader> {
        let is_long = self.height.is_some_and(|height| text.lines().count() >= height);
        match &self.pager {
            Some(pager) if is_long && self.stdout.is_terminal && self.is_interactive() => {
                // A pager that can't be started is no reason to show nothing.
                pager.show(text).map_or_else(|_| self.live(text), |()| Ok(StdoutReader::There))
            }
            _ => self.live(text),
        }
    }
}

#[cfg(test)]
mod tests;
