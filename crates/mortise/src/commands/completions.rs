//! `mortise completions`: a completion script for a shell.

use clap::Args;

use crate::app::App;
use crate::cli;
use crate::exit::Exit;
use crate::failure::Failure;

/// Arguments of `mortise completions`.
#[derive(Clone, Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Prints the script.
pub(crate) fn run(app: &App, args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "mortise", &mut script);
    app.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
