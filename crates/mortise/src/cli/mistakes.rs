//! Mistakes on the command line, in the form and words of all our errors.

use std::error::Error as _;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::Exit;
use crate::failure::Failure;

/// Options that other programs have, and what stands for them here: command, option, advice.
const ELSEWHERE: &[(&str, &[&str], &str)] = &[
    ("check", &["--html"], "write --report html=FILE"),
    ("check", &["--junit", "--xml"], "write --report junit=FILE"),
    ("check", &["--sarif"], "write --report sarif=FILE"),
    ("check", &["--output", "--out", "-o"], "write --report json=FILE, junit=FILE, sarif=FILE or html=FILE"),
    ("serve", &["--port", "-p"], "write --http PORT"),
    ("serve", &["--host"], "write --http HOST:PORT"),
    ("serve", &["--stdio"], "stdio is what `mortise serve` does without options"),
    ("run", &["--input", "--files"], "write --file PATH; the program opens it by its name"),
    ("export", &["--to", "--target", "--format", "--provider"], "write --for TARGET"),
    ("export", &["--output", "-o"], "write --out FILE"),
    ("", &["--cmd", "--command", "--stdio"], "name the server's command at the end: -- COMMAND ARGUMENTS"),
    ("", &["--header", "-H"], "put the header in mortise.yaml: `headers:` of the server"),
    ("", &["--format", "--output-format"], "write --json for JSON"),
    ("", &["--debug"], "write -vv for the details"),
    ("", &["--no-color", "--no-colour"], "write --color never"),
];

/// Commands that other programs have, and what stands for them here.
const COMMANDS_ELSEWHERE: &[(&[&str], &str)] = &[
    (&["ls", "list-tools", "list_tools", "tool"], "mortise tools"),
    (&["ps", "status", "servers"], "mortise doctor"),
    (&["call-tool", "invoke", "exec"], "mortise call TOOL name=value"),
    (&["test", "validate", "verify", "lint"], "mortise check"),
    (&["start", "gateway", "proxy", "mcp"], "mortise serve"),
    (&["describe", "show"], "mortise tools TOOL"),
    (&["resources"], "mortise tools --resources"),
    (&["prompts"], "mortise tools --prompts"),
    (&["generate", "types", "codegen"], "mortise export --for TARGET"),
    (&["rm", "delete"], "mortise remove NAME"),
    (&["config", "settings"], "mortise doctor"),
];

/// The mistake that clap found, and what to type instead; `command` is the command with its parents.
pub(super) fn explain(error: &clap::Error, command: &str) -> Failure {
    let said = |kind| text(error, kind);
    let fallback = || first_line(error);
    let failure = match error.kind() {
        ErrorKind::InvalidSubcommand => return unknown_command(error, command),
        ErrorKind::UnknownArgument => return unknown_option(error, command),
        ErrorKind::InvalidValue | ErrorKind::NoEquals => {
            let (option, value) = (said(ContextKind::InvalidArg), said(ContextKind::InvalidValue));
            let choices = texts(error, ContextKind::ValidValue).join(", ");
            let option = option.map(|option| name(&option)).unwrap_or_default();
            let message = match value.filter(|value| !value.is_empty()) {
                Some(value) => format!("`{option}` does not take `{value}`"),
                None => format!("`{option}` needs a value"),
            };
            let failure = Failure::new(Exit::Usage, message);
            match (said(ContextKind::SuggestedValue), choices.is_empty()) {
                (Some(near), _) => {
                    return failure.hint(format!("did you mean `{near}`? It takes {choices}"));
                }
                (None, false) => return failure.hint(format!("it takes {choices}")),
                (None, true) => failure,
            }
        }
        ErrorKind::ValueValidation => {
            let option = said(ContextKind::InvalidArg).map(|option| name(&option)).unwrap_or_default();
            let value = said(ContextKind::InvalidValue).unwrap_or_default();
            let reason = error.source().map(ToString::to_string).unwrap_or_default();
            Failure::new(Exit::Usage, format!("`{option} {value}`: {reason}"))
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<String> =
                texts(error, ContextKind::InvalidArg).iter().map(|argument| plain(argument)).collect();
            Failure::new(Exit::Usage, format!("`{command}` needs {}", missing.join(" and ")))
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let choices = texts(error, ContextKind::ValidSubcommand).join(", ");
            Failure::new(Exit::Usage, format!("`{command}` needs a command: {choices}"))
        }
        ErrorKind::ArgumentConflict => {
            let one = said(ContextKind::InvalidArg).map(|argument| name(&argument));
            let others: Vec<String> =
                texts(error, ContextKind::PriorArg).iter().map(|argument| name(argument)).collect();
            if let (Some(sub), [first, ..]) = (said(ContextKind::InvalidSubcommand), others.as_slice()) {
                let parent = command.strip_suffix(&sub).unwrap_or(command).trim_end();
                return Failure::new(Exit::Usage, format!("options of `{parent} {sub}` come after `{sub}`"))
                    .hint(format!("write: {parent} {sub} {first} …"));
            }
            // The usage that clap makes of a conflict shows both.
            let path = command.strip_prefix("mortise").unwrap_or_default();
            match one {
                Some(one) if others == [one.clone()] => {
                    return Failure::new(Exit::Usage, format!("`{one}` is given twice"))
                        .hint("leave one out");
                }
                Some(one) if !others.is_empty() => {
                    let message = format!("`{one}` can't be used together with `{}`", others.join("`, `"));
                    return Failure::new(Exit::Usage, message)
                        .hint(format!("leave one of them out; `mortise help{path}` explains both"));
                }
                _ => Failure::new(Exit::Usage, fallback()),
            }
        }
        _ => Failure::new(Exit::Usage, fallback()),
    };
    with_usage(failure, error, command)
}

fn unknown_command(error: &clap::Error, command: &str) -> Failure {
    let word = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
    let failure = Failure::new(Exit::Usage, format!("there is no command `{command} {word}`"));
    let elsewhere =
        COMMANDS_ELSEWHERE.iter().find(|(words, _)| command == "mortise" && words.contains(&word.as_str()));
    let near = texts(error, ContextKind::SuggestedSubcommand);
    match (elsewhere, near.as_slice()) {
        (Some((_, ours)), _) => failure.hint(format!("did you mean `{ours}`?")),
        (None, [near, ..]) => failure.hint(format!("did you mean `{command} {near}`?")),
        (None, []) => {
            let path = command.strip_prefix("mortise").unwrap_or_default();
            failure.hint(format!("`mortise help{path}` lists the commands"))
        }
    }
}

fn unknown_option(error: &clap::Error, command: &str) -> Failure {
    let option = text(error, ContextKind::InvalidArg).unwrap_or_default();
    let sub = command.strip_prefix("mortise ").unwrap_or_default();
    let (word, what) = match option.starts_with('-') {
        true => (option.split('=').next().unwrap_or(&option), "option"),
        false => (option.as_str(), "argument"),
    };
    let message = match what {
        "option" => format!("`{command}` has no option `{word}`"),
        _ => format!("`{command}` does not know what to do with `{word}`"),
    };
    let failure = Failure::new(Exit::Usage, message);
    let elsewhere =
        ELSEWHERE.iter().find(|(at, options, _)| (*at == sub || at.is_empty()) && options.contains(&word));
    match (elsewhere, text(error, ContextKind::SuggestedArg)) {
        (Some((_, _, advice)), _) => failure.hint(*advice),
        (None, Some(near)) => failure.hint(format!("did you mean `{}`?", plain(&near))),
        (None, None) if sub == "call" => {
            failure.hint("put the tool's own arguments after its name: mortise call TOOL name=value")
        }
        (None, None) => with_usage(failure, error, command),
    }
}

/// Adds how the command is used and where it is explained.
fn with_usage(failure: Failure, error: &clap::Error, command: &str) -> Failure {
    let usage = text(error, ContextKind::Usage).unwrap_or_default();
    let usage = usage.trim_start_matches("Usage:").trim().lines().next().unwrap_or_default().to_owned();
    let path = command.strip_prefix("mortise").unwrap_or_default();
    let explained = format!("`mortise help{path}` explains it");
    match usage.is_empty() {
        true => failure.hint(explained),
        false => failure.hint(format!("usage: {usage}; {explained}")),
    }
}

/// The command with its parents, as the arguments of the process name it.
pub(super) fn command_path(command: &clap::Command, arguments: &[OsString]) -> String {
    let mut path = "mortise".to_owned();
    let mut at = command;
    let words = arguments.iter().skip(1).take_while(|word| *word != "--").filter_map(|word| word.to_str());
    for word in words.filter(|word| !word.starts_with('-')) {
        if let Some(sub) = at.find_subcommand(word) {
            at = sub;
            path = format!("{path} {word}");
        }
    }
    path
}

/// `--for <TARGET>` as `--for TARGET`.
fn plain(argument: &str) -> String {
    argument.replace(['<', '>', '[', ']'], "").replace("...", "")
}

/// `--for <TARGET>` as `--for`.
fn name(argument: &str) -> String {
    plain(argument).split(' ').next().unwrap_or_default().to_owned()
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    texts(error, kind).into_iter().next()
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
