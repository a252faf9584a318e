use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

use mortise_client::environment::Environment;
use serde_json::json;

use super::words::TypedWords;
use super::{CompletionPlace, KnownNames, script};
use crate::known_tools::{KnownServer, KnownTool};

fn words(line: &[&str], cursor: Option<usize>) -> TypedWords {
    let all: Vec<OsString> = ["mortise", "--", "mortise"].iter().chain(line).map(OsString::from).collect();
    TypedWords::new(&all, cursor)
}

fn known(line: &[&str]) -> KnownNames {
    let weather = KnownTool {
        name: "get_weather".to_owned(),
        description: "Weather of a city\nin detail".to_owned(),
        input: json!({
            "properties": {
                "days": { "type": "integer" },
                "city": { "type": "string", "description": "Where" },
                "units": { "enum": ["metric", "imperial"] },
                "brief": { "type": "boolean" },
            },
            "required": ["city"],
        }),
    };
    let search = KnownTool { name: "search".to_owned(), description: String::new(), input: json!({}) };
    let servers = OnceLock::new();
    let all = vec![
        KnownServer { name: "weather".to_owned(), tools: vec![weather, search.clone()] },
        KnownServer { name: "docs".to_owned(), tools: vec![search] },
    ];
    servers.set(all).ok();
    KnownNames { environment: Environment::default(), words: words(line, None), servers }
}

#[track_caller]
fn check(line: &[&str], place: CompletionPlace, expected: &[&str]) {
    let current = line.last().copied().unwrap_or_default();
    let found = known(line).candidates(place, current);
    let values: Vec<String> =
        found.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect();
    assert_eq!(values, expected);
}

#[test]
fn servers_and_tools_are_proposed_by_name() {
    check(&["check", ""], CompletionPlace::Server, &["weather", "docs"]);
    check(&["tools", "w"], CompletionPlace::ServerOrTool, &["weather", "weather/search"]);
    check(&["call", "get"], CompletionPlace::Tool, &["get_weather"]);
}

#[test]
fn a_tool_that_two_servers_have_is_proposed_with_its_server() {
    check(&["call", ""], CompletionPlace::Tool, &["get_weather", "weather/search", "docs/search"]);
    check(&["call", "weather/"], CompletionPlace::Tool, &["weather/get_weather", "weather/search"]);
}

#[test]
fn arguments_of_the_chosen_tool_are_proposed_required_ones_first() {
    let all = ["city=", "days=", "units=", "brief="];
    check(&["call", "get_weather", ""], CompletionPlace::ToolArgument, &all);
    check(&["call", "weather.get_weather", ""], CompletionPlace::ToolArgument, &all);
    check(&["call", "--timeout", "5", "mcp__weather__get_weather", ""], CompletionPlace::ToolArgument, &all);
    check(&["call", "get_weather", "u"], CompletionPlace::ToolArgument, &["units="]);
    check(&["call", "unknown", ""], CompletionPlace::ToolArgument, &[]);
}

#[test]
fn an_argument_that_is_given_is_not_proposed_again() {
    check(
        &["call", "get_weather", "city=Oslo", ""],
        CompletionPlace::ToolArgument,
        &["days=", "units=", "brief="],
    );
    check(
        &["call", "get_weather", "city", "=", "Oslo", ""],
        CompletionPlace::ToolArgument,
        &["days=", "units=", "brief="],
    );
}

#[test]
fn values_that_the_schema_lists_are_proposed_also_where_the_shell_splits_at_the_equals_sign() {
    check(&["call", "get_weather", "units=m"], CompletionPlace::ToolArgument, &["units=metric"]);
    check(&["call", "get_weather", "units", "=", "i"], CompletionPlace::ToolArgument, &["imperial"]);
    check(&["call", "get_weather", "units", ""], CompletionPlace::ToolArgument, &["metric", "imperial"]);
    check(&["call", "get_weather", "brief", "=", ""], CompletionPlace::ToolArgument, &["true", "false"]);
}

#[test]
fn a_proposal_shows_the_first_line_of_the_description() {
    let found = known(&["call", "get"]).candidates(CompletionPlace::Tool, "get");
    assert_eq!(found[0].get_help().map(ToString::to_string).as_deref(), Some("Weather of a city"));
    let found = super::candidate("city=".to_owned(), "A city, e.g. Oslo. Not a country.");
    assert_eq!(found.get_help().map(ToString::to_string).as_deref(), Some("A city, e.g. Oslo"));
}

#[test]
fn only_words_before_the_cursor_count() {
    let line = ["call", "get_weather", "city=Oslo", "days=2"];
    assert!(!words(&line, Some(3)).has_argument("city"));
    assert!(words(&line, Some(4)).has_argument("city"));
}

#[test]
fn options_say_which_servers_are_meant() {
    let asked =
        words(&["call", "--samples", "--config", "a.yaml", "--config=b.yaml", ""], None).asked_servers();
    assert!(asked.samples);
    assert_eq!(asked.config, ["a.yaml", "b.yaml"].map(std::path::PathBuf::from));
}

#[test]
fn every_argument_that_names_a_server_or_tool_has_a_completer() {
    let command = super::command(&Arc::new(known(&[""])));
    let with_completer = |name: &str| {
        let command = command.find_subcommand(name).expect("a command");
        command.get_positionals().any(|argument| argument.get::<super::ArgValueCompleter>().is_some())
    };
    for name in ["call", "check", "tools", "inspect", "lock"] {
        assert!(with_completer(name), "{name}");
    }
}

#[test]
fn shells_have_a_script_that_asks_the_program() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = script(shell).expect("a script");
        assert!(script.contains("COMPLETE") && script.contains("mortise"), "{script}");
    }
    assert_eq!(script("tcsh"), None);
}
