//! Servers from words.

use mortise_client::server_config::{ServerConfig, Transport};

use super::{host, program_name, servers};
use crate::cli::ConnectArgs;

fn of_server(text: &str) -> Result<Vec<ServerConfig>, super::Failure> {
    servers(&ConnectArgs { server: vec![text.to_owned()], ..ConnectArgs::default() }, &[], None)
}

#[track_caller]
fn check_words(text: &str, expected: &[&str]) {
    let servers = of_server(text).unwrap();
    let Transport::Stdio(stdio) = &servers[0].transport else { panic!("not a command") };
    let words: Vec<&str> = std::iter::once(&stdio.command).chain(&stdio.args).map(String::as_str).collect();
    assert_eq!(words, expected);
}

#[test]
fn a_command_is_split_into_words_and_nothing_is_expanded() {
    check_words("a=prog --dir 'my files' x\\ y", &["prog", "--dir", "my files", "x y"]);
    check_words("a=prog $HOME `id` ; rm", &["prog", "$HOME", "`id`", ";", "rm"]);
    check_words("a=prog --key=value", &["prog", "--key=value"]);
}

#[test]
fn what_is_no_server_is_refused() {
    for wrong in ["name", "=prog", "a=", "a=prog 'open"] {
        assert!(of_server(wrong).is_err(), "{wrong}");
    }
    assert!(matches!(of_server("a=https://example.com/mcp").unwrap()[0].transport, Transport::Http(_)));
}

#[track_caller]
fn check_name(command: &[&str], expected: &str) {
    let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
    assert_eq!(program_name(&command), expected);
}

#[test]
fn an_ad_hoc_server_is_named_after_its_program() {
    check_name(&["/usr/bin/mcp-server-time"], "mcp-server-time");
    check_name(&["npx", "-y", "@modelcontextprotocol/server-everything@2.0.0"], "server-everything");
    check_name(&["uvx", "mcp-server-git", "--repository", "."], "mcp-server-git");
    check_name(&["python3", "-m", "my_server"], "my_server");
    check_name(&["node", "build/index.js"], "index");
    check_name(&["npx"], "npx");
}

#[test]
fn a_url_is_named_after_its_host() {
    assert_eq!(host("https://user:pass@example.com:8080/mcp?key=1"), "example.com");
    assert_eq!(host("http://[::1]:3000/mcp"), "server");
}
