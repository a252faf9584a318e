//! `mortise` without a command: where to begin.

use crate::app::App;
use crate::commands::help;
use crate::exit::Exit;
use crate::failure::Failure;

/// Prints the commands in groups.
pub(crate) fn run(app: &App) -> Result<Exit, Failure> {
    help::run(app, &help::HelpArgs::default())
}
