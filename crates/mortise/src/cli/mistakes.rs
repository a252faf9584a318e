//! Mistakes on the command line, in the form and words of all our errors.

use std::error::Error as _;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::{CallWords, nearest};

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

/// Commands that other programs have, what stands for them here, and what follows where nothing was typed.
const COMMANDS_ELSEWHERE: &[(&[&str], &str, &str)] = &[
    (&["ls", "list-tools", "list_tools", "tool"], "mortise tools", ""),
    (&["ps", "status", "servers"], "mortise doctor", ""),
    (&["call-tool", "invoke", "exec"], "mortise call", " TOOL name=value"),
    (&["test", "validate", "verify", "lint"], "mortise check", ""),
    (&["start", "gateway", "proxy", "mcp"], "mortise serve", ""),
    (&["describe", "show"], "mortise tools", " TOOL"),
    (&["resources"], "mortise tools --resources", ""),
    (&["prompts"], "mortise tools --prompts", ""),
    (&["generate", "types", "codegen"], "mortise export --for", " TARGET"),
    (&["rm", "delete"], "mortise remove", " NAME"),
    (&["config", "settings"], "mortise doctor", ""),
];

/// What was typed: the command with its parents, and the words behind it.
pub(super) struct TypedCommand {
    path: String,
    words: Vec<String>,
}

impl TypedCommand {
    pub(super) fn read(command: &clap::Command, arguments: &[OsString]) -> Self {
        let mut typed = Self { path: "mortise".to_owned(), words: Vec::new() };
        let mut at = Some(command);
        for word in arguments.iter().skip(1).map(|word| word.to_string_lossy()) {
            if word == "--" {
                at = None;
            }
            let sub = at.filter(|_| !word.starts_with('-')).and_then(|at| at.find_subcommand(&*word));
            match sub {
                Some(sub) => {
                    at = Some(sub);
                    typed.path = format!("{} {word}", typed.path);
                }
                None => typed.words.push(word.into_owned()),
            }
        }
        typed
    }

    /// The words behind `word`.
    fn behind(&self, word: &str) -> &[String] {
        let at = self.words.iter().position(|typed| typed == word);
        at.map_or(&[], |at| &self.words[at + 1..])
    }

    /// What was given to an option: `--port 8080` or `--port=8080`.
    fn value_of(&self, option: &str) -> Option<&str> {
        let joined = self.words.iter().find_map(|word| word.strip_prefix(option)?.strip_prefix('='));
        let next = self.behind(option).first().map(String::as_str);
        joined.or(next.filter(|word| !word.starts_with('-')))
    }
}

/// A hint that repeats the words that were typed: `did you mean: mortise call get_weather city=Oslo`.
fn with_words(failure: Failure, command: &str, words: &[String]) -> Failure {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (name, rest) = words.split_first().map_or(("", &[][..]), |(name, rest)| (*name, rest));
    // The first word names a tool or a server, which is not a secret.
    let named = match name.starts_with('-') || name.contains('=') {
        true => CallWords::new(&words).behind(command),
        false => CallWords::new(rest).behind(format!("{command} {name}").trim_end()),
    };
    failure.typed_hint(format!("did you mean: {}", named.typed), format!("did you mean: {}", named.elsewhere))
}

/// The mistake that clap found, and what to type instead.
pub(super) fn explain(error: &clap::Error, typed: &TypedCommand) -> Failure {
    let command = typed.path.as_str();
    let said = |kind| text(error, kind);
    let fallback = || first_line(error);
    let failure = match error.kind() {
        ErrorKind::InvalidSubcommand => return unknown_command(error, typed),
        ErrorKind::UnknownArgument => return unknown_option(error, typed),
        ErrorKind::InvalidValue | ErrorKind::NoEquals => {
            let (option, value) = (said(ContextKind::InvalidArg), said(ContextKind::InvalidValue));
            let choices = texts(error, ContextKind::ValidValue);
            let option = option.map(|option| plain(&option)).unwrap_or_default();
            let takes = if option.starts_with('-') { name(&option) } else { command.to_owned() };
            let Some(value) = value.filter(|value| !value.is_empty()) else {
                let failure = Failure::new(Exit::Usage, format!("`{takes}` needs a value"));
                let listed = choices.join(", ");
                return match choices.is_empty() {
                    true => with_help(failure.hint(format!("write {option}")), command),
                    false => failure.hint(format!("it takes {listed}")),
                };
            };
            let failure = Failure::new(Exit::Usage, format!("`{takes}` does not take `{value}`"));
            let near = nearest(&value, choices.iter().map(String::as_str));
            match (near, choices.is_empty()) {
                (Some(near), _) => {
                    return failure.hint(format!("did you mean `{near}`? It takes {}", choices.join(", ")));
                }
                (None, false) => return failure.hint(format!("it takes {}", choices.join(", "))),
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
                    .hint(match typed.value_of(first) {
                        Some(value) => format!("write: {parent} {sub} {first} {value}"),
                        None => format!("write: {parent} {sub} {first}"),
                    });
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

fn unknown_command(error: &clap::Error, typed: &TypedCommand) -> Failure {
    let command = typed.path.as_str();
    let word = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
    let failure = Failure::new(Exit::Usage, format!("there is no command `{command} {word}`"));
    let words = typed.behind(&word);
    let elsewhere =
        COMMANDS_ELSEWHERE.iter().find(|(words, ..)| command == "mortise" && words.contains(&word.as_str()));
    let near = texts(error, ContextKind::SuggestedSubcommand);
    match (elsewhere, near.as_slice()) {
        (Some((_, ours, follows)), _) if words.is_empty() => {
            failure.hint(format!("did you mean `{ours}{follows}`?"))
        }
        (Some((_, ours, _)), _) => with_words(failure, ours, words),
        (None, [near, ..]) if words.is_empty() => failure.hint(format!("did you mean `{command} {near}`?")),
        (None, [near, ..]) => with_words(failure, &format!("{command} {near}"), words),
        (None, []) => {
            let path = command.strip_prefix("mortise").unwrap_or_default();
            failure.hint(format!("`mortise help{path}` lists the commands"))
        }
    }
}

fn unknown_option(error: &clap::Error, typed: &TypedCommand) -> Failure {
    let command = typed.path.as_str();
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
        (Some((_, _, advice)), _) => failure.hint(filled(advice, typed.value_of(word))),
        (None, Some(near)) => failure.hint(format!("did you mean `{}`?", plain(&near))),
        (None, None) if sub == "call" => options_first(failure, typed),
        (None, None) => with_usage(failure, error, command),
    }
}

/// Advice with what was typed in place of its one placeholder: `write --http 8080` of `write --http PORT`.
fn filled(advice: &str, value: Option<&str>) -> String {
    const PLACEHOLDERS: [&str; 4] = ["PORT", "FILE", "TARGET", "PATH"];
    let only = PLACEHOLDERS.iter().find(|placeholder| advice.matches(**placeholder).count() == 1);
    match (only, value) {
        (Some(placeholder), Some(value)) => advice.replace(placeholder, value),
        _ => advice.to_owned(),
    }
}

/// `mortise call --city Oslo get_weather`: the tool comes before its arguments.
fn options_first(failure: Failure, typed: &TypedCommand) -> Failure {
    match typed.words.split_last() {
        Some((tool, words)) if !words.is_empty() && !tool.starts_with('-') && !tool.contains('=') => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let call = CallWords::new(&words).call(tool);
            let put = |call: String| format!("put the tool's own arguments after its name: {call}");
            failure.typed_hint(put(call.typed), put(call.elsewhere))
        }
        _ => failure.hint("put the tool's own arguments after its name: mortise call TOOL name=value"),
    }
}

/// Adds how the command is used and where it is explained.
fn with_usage(failure: Failure, error: &clap::Error, command: &str) -> Failure {
    let usage = text(error, ContextKind::Usage).unwrap_or_default();
    let usage = usage.trim_start_matches("Usage:").trim().lines().next().unwrap_or_default().to_owned();
    let path = command.strip_prefix("mortise").unwrap_or_default();
    match usage.is_empty() {
        true => with_help(failure, command),
        false => failure.hint(format!("usage: {usage}; `mortise help{path}` explains it")),
    }
}

/// Adds where the command is explained.
fn with_help(failure: Failure, command: &str) -> Failure {
    let path = command.strip_prefix("mortise").unwrap_or_default();
    failure.hint(format!("`mortise help{path}` explains it"))
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
