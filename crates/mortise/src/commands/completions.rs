//! `mortise completions`: the script with which a shell asks this program how a line can go on.

use clap::{Args, ValueEnum as _};

use crate::app::App;
use crate::completion;
use crate::exit::Exit;
use crate::failure::Failure;

/// Arguments of `mortise completions`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Bash: echo 'source <(mortise completions bash)' >> ~/.bashrc\n\
                        Zsh:  echo 'source <(mortise completions zsh)' >> ~/.zshrc\n\
                        Fish: mortise completions fish > ~/.config/fish/completions/mortise.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Prints the script.
pub(crate) fn run(app: &App, args: &CompletionsArgs) -> Result<Exit, Failure> {
    let name = args.shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let script = completion::script(&name)
        .ok_or_else(|| Failure::new(Exit::Usage, format!("there are no completions for `{name}`")))?;
    app.print(&script)?;
    Ok(Exit::Ok)
}
