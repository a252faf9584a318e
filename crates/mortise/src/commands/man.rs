//! `mortise man`: the manual, from the definitions that make `--help`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap_mangen::Man;

use crate::app::App;
use crate::cli;
use crate::exit::{self, Exit};
use crate::failure::Failure;

/// Arguments of `mortise man`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command into this folder, instead of printing the first one
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Prints the page of the program, or writes all pages.
pub(crate) fn run(app: &App, args: &ManArgs) -> Result<Exit, Failure> {
    match &args.folder {
        Some(folder) => {
            let written = write_pages(&app.environment.absolute(folder)).map_err(|error| {
                Failure::new(Exit::Usage, format!("cannot write man pages into `{}`", folder.display()))
                    .because(&error)
            })?;
            app.terminal.note(&format!("{written} pages are in `{}`", folder.display()));
        }
        None => {
            let mut page = Vec::new();
            let rendered = Man::new(program()).render(&mut page);
            rendered.map_err(|error| Failure::from_error(Exit::Bug, &error))?;
            app.print(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(Exit::Ok)
}

/// Writes `mortise.1` and a page for every command that the help shows; returns how many.
fn write_pages(folder: &Path) -> std::io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    pages(&program(), "mortise", folder)
}

/// The command line without the overview that ends its help: a page has sections for commands and options.
fn program() -> clap::Command {
    cli::command().after_help(exit::HELP).after_long_help(exit::HELP)
}

fn pages(command: &clap::Command, name: &str, folder: &Path) -> std::io::Result<usize> {
    let mut page = Vec::new();
    Man::new(command.clone()).title(name).render(&mut page)?;
    std::fs::write(folder.join(format!("{name}.1")), page)?;
    let mut written = 1;
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        written += pages(command, &format!("{name}-{}", command.get_name()), folder)?;
    }
    Ok(written)
}
