//! `mortise help-markdown`: the command line reference, from the same definitions as `--help`.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::app::App;
use crate::cli;
use crate::exit::{self, Exit};
use crate::failure::Failure;

/// Prints the page.
pub(crate) fn run(app: &App) -> Result<Exit, Failure> {
    app.print(&page())?;
    Ok(Exit::Ok)
}

fn page() -> String {
    let mut command = cli::command();
    command.build();
    let mut out =
        String::from("# Command line\n\nWritten by `cargo xtask codegen` from what makes `--help`.\n\n");
    _ = writeln!(out, "{}.\n", about(&command));
    out.push_str("| command | what it does |\n| --- | --- |\n");
    let commands: Vec<&Command> = shown(&command).collect();
    for sub in &commands {
        let name = sub.get_name();
        _ = writeln!(out, "| [`mortise {name}`](#mortise-{name}) | {} |", cell(&about(sub)));
    }
    out.push_str("\n## Options of every command\n\n");
    arguments(&mut out, command.get_arguments().filter(|argument| !is_builtin(argument)));
    _ = writeln!(out, "\n```text\n{}\n```", exit::HELP);
    for sub in commands {
        section(&mut out, sub, "mortise", 2);
    }
    out
}

fn section(out: &mut String, command: &Command, parent: &str, level: usize) {
    let name = format!("{parent} {}", command.get_name());
    let mut with_name = command.clone().bin_name(name.clone());
    let usage = with_name.render_usage().to_string();
    _ = writeln!(out, "\n{} {name}\n\n{}\n", "#".repeat(level), long_about(command));
    _ = writeln!(out, "```text\n{}\n```", usage.trim_start_matches("Usage:").trim());
    let own: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| !is_inherited(argument, level) && !is_builtin(argument))
        .collect();
    if !own.is_empty() {
        out.push('\n');
        arguments(out, own.into_iter());
    }
    if let Some(text) = command.get_after_help() {
        _ = writeln!(out, "\n```text\n{text}\n```");
    }
    for sub in shown(command) {
        section(out, sub, &name, level + 1);
    }
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
}

fn arguments<'a>(out: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    out.push_str("| option | meaning |\n| --- | --- |\n");
    for argument in arguments.filter(|argument| !argument.is_hide_set()) {
        _ = writeln!(out, "| `{}` | {} |", spelling(argument).replace('|', "\\|"), cell(&meaning(argument)));
    }
}

fn spelling(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default();
    let takes_value = argument.get_action().takes_values();
    let value = values.iter().map(|name| format!("<{name}>")).collect::<Vec<_>>().join(" ");
    match (argument.get_short(), argument.get_long()) {
        (None, None) => value,
        (short, long) => {
            let short = short.map(|short| format!("-{short}"));
            let long = long.map(|long| format!("--{long}"));
            let names = short.into_iter().chain(long).collect::<Vec<_>>().join(", ");
            if takes_value { format!("{names} {value}") } else { names }
        }
    }
}

fn meaning(argument: &Arg) -> String {
    let mut text = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() && argument.get_action().takes_values() {
        _ = write!(text, ": {}", values.join(", "));
    }
    if let ([default], true) = (argument.get_default_values(), argument.get_action().takes_values()) {
        _ = write!(text, " (default `{}`)", default.to_string_lossy());
    }
    text
}

/// Whether an argument is shown with a command above this one. What `mortise` itself takes has these headings.
fn is_inherited(argument: &Arg, level: usize) -> bool {
    let of_every_command = matches!(argument.get_help_heading(), Some("Output" | "Servers"));
    argument.is_global_set() && (level > 2 || of_every_command)
}

fn is_builtin(argument: &Arg) -> bool {
    matches!(argument.get_id().as_str(), "help" | "version")
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn long_about(command: &Command) -> String {
    command.get_long_about().map_or_else(|| about(command), ToString::to_string)
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
