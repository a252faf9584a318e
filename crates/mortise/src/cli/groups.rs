//! The help of the program as a whole: ten rows in five groups, and the page with the rest.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Args as _, CommandFactory as _};

use super::{Cli, ConnectArgs, GlobalArgs};
use crate::exit;

/// One group of the help.
struct HelpGroup {
    title: &'static str,
    rows: &'static [HelpRow],
}

/// One row: a command with what it takes, or several that belong together.
struct HelpRow {
    commands: &'static [&'static str],
    takes: &'static str,
    about: &'static str,
}

/// What `mortise help` shows.
const GROUPS: &[HelpGroup] = &[
    HelpGroup {
        title: "Look",
        rows: &[
            row(&["tools"], "[SERVER or TOOL]", "List tools, or show what one takes and returns"),
            row(&["call"], "TOOL [name=value …]", "Call a tool and check what it returns"),
        ],
    },
    HelpGroup {
        title: "Test",
        rows: &[
            row(&["check"], "[SERVER]", "Do servers keep their contracts?"),
            row(&["lock", "diff"], "", "Record what servers declare; see what changes break"),
        ],
    },
    HelpGroup {
        title: "Agents",
        rows: &[
            row(
                &["run", "runs", "resume", "replay", "approvals"],
                "",
                "Run a Python program; see, resume and repeat runs",
            ),
            row(&["serve"], "", "Run the gateway: agents use all tools in one program"),
            row(&["export"], "", "Declare tools for LLMs, in TypeScript or in Python"),
        ],
    },
    HelpGroup { title: "Data", rows: &[row(&["data"], "", "From a folder of files to typed tables")] },
    HelpGroup {
        title: "Servers",
        rows: &[
            row(
                &["add", "remove", "list", "import", "install", "login", "logout"],
                "",
                "Which servers you use, and which agents use mortise",
            ),
            row(&["doctor"], "", "Show what works, what does not, and what to do"),
        ],
    },
];

/// What `mortise help more` shows; a name of two words is a command below another.
const MORE: &[HelpRow] = &[
    row(&["read"], "URI", "Read a resource; `tools --resources` lists them"),
    row(&["prompt"], "NAME [name=value …]", "Fill in a prompt; `tools --prompts` lists them"),
    row(&["kept"], "[show NAME]", "List values that programs keep for later ones"),
    row(&["record"], "[FILE] -- COMMAND", "Record what passes between a client and a server"),
    row(&["schema"], "FORMAT", "Print the JSON Schema of one of our formats"),
    row(&["formats"], "check FILE", "Check results by the rules of the output formats"),
    row(&["licenses"], "", "Print the licences of everything inside this program"),
    row(&["completions"], "SHELL", "Print a completion script for a shell"),
    row(&["man"], "[DIR]", "Print the manual page, or write all pages"),
    row(&["trust"], "", "Allow a project's configuration to start its servers"),
    row(&["serve tester"], "", "Serve tools with which an agent tests other servers"),
    row(&["serve sample"], "NAME", "Serve a built-in sample server"),
    row(&["serve mock"], "[SCENARIO]", "Serve a server that misbehaves, or a recording"),
    row(&["help"], "[COMMAND]", "Explain a command"),
    row(&["version"], "", "Print the version"),
];

/// Names of before, which keep working and are not shown.
#[cfg(test)]
const OLD: &[&str] = &["inspect", "declare", "wizards", "tester", "sample", "mock", "init", "auth"];

/// Commands that other programs start.
#[cfg(test)]
const INTERNAL: &[&str] = &["checker", "help-markdown"];

/// Columns of the commands; a longer one has its description on the next line.
const COMMAND_WIDTH: usize = 24;

const fn row(commands: &'static [&'static str], takes: &'static str, about: &'static str) -> HelpRow {
    HelpRow { commands, takes, about }
}

/// The ten rows, and where there is more.
pub(crate) fn short(command: &clap::Command) -> StyledStr {
    let header = command.get_styles().get_header();
    let mut out = String::new();
    for group in GROUPS {
        let rows: String = group.rows.iter().filter_map(|row| line(command, row)).collect();
        _ = write!(out, "{header}{}{header:#}\n{rows}\n", group.title);
    }
    out.push_str("`mortise help COMMAND` explains a command, `mortise help more` lists the others.");
    out.into()
}

/// The ten rows, the options of every command, and the exit codes.
pub(super) fn long(command: &clap::Command) -> StyledStr {
    let options = clap::Command::new("mortise").max_term_width(100).help_template("{all-args}");
    let options = ConnectArgs::augment_args(GlobalArgs::augment_args(options)).render_help();
    format!("{}\n\n{}\n\n{}", short(command).ansi(), options.ansi(), exit::HELP).into()
}

/// The commands that the short help leaves out.
pub(crate) fn more() -> StyledStr {
    let command = Cli::command();
    let header = command.get_styles().get_header();
    let rows: String = MORE.iter().filter_map(|row| line(&command, row)).collect();
    format!("{header}More commands{header:#}\n{rows}\n`mortise help COMMAND` explains a command.\n").into()
}

/// One row with the commands that exist; `None` if none does.
fn line(command: &clap::Command, row: &HelpRow) -> Option<String> {
    let literal = command.get_styles().get_literal();
    let names: Vec<&str> = row.commands.iter().copied().filter(|name| exists(command, name)).collect();
    if names.is_empty() {
        return None;
    }
    let styled: Vec<String> = names.iter().map(|name| format!("{literal}{name}{literal:#}")).collect();
    let takes = if row.takes.is_empty() { String::new() } else { format!(" {}", row.takes) };
    let width = names.join(", ").chars().count() + takes.chars().count();
    let (styled, about) = (styled.join(", "), row.about);
    Some(match COMMAND_WIDTH.checked_sub(width) {
        Some(room) => format!("  {styled}{takes}{:room$}  {about}\n", ""),
        None => format!("  {styled}{takes}\n  {:COMMAND_WIDTH$}  {about}\n", ""),
    })
}

fn exists(command: &clap::Command, name: &str) -> bool {
    let mut words = name.split(' ');
    words.try_fold(command, |command, word| command.find_subcommand(word)).is_some()
}

#[cfg(test)]
mod tests;
