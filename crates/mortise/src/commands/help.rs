//! `mortise help`: the commands in groups, the rest of them, or one explained.

use std::ffi::OsString;

use clap::Args;

use crate::app::App;
use crate::cli::{self, groups};
use crate::exit::Exit;
use crate::failure::Failure;

/// Arguments of `mortise help`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct HelpArgs {
    /// The command, or `more` for the commands that the help leaves out
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

/// Prints the page.
pub(crate) fn run(app: &App, args: &HelpArgs) -> Result<Exit, Failure> {
    match args.words.as_slice() {
        [word] if word == "more" => {
            let page = groups::more();
            app.print(&match app.terminal.colors_stdout() {
                true => page.ansi().to_string(),
                false => page.to_string(),
            })?;
            Ok(Exit::Ok)
        }
        // As short as `-h`; `--help` adds options and exit codes.
        [] => Ok(explained(app, ["-h".into()])),
        words => Ok(explained(app, words.iter().map(OsString::from).chain(["--help".into()]))),
    }
}

/// What clap prints for these words, which ask for help.
fn explained(app: &App, words: impl IntoIterator<Item = OsString>) -> Exit {
    let words: Vec<OsString> = std::iter::once("mortise".into()).chain(words).collect();
    match cli::parse(&words) {
        Err(error) => cli::explain(&error, &words, &app.terminal),
        Ok(_) => Exit::Ok,
    }
}
