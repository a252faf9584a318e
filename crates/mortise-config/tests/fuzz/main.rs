//! Configuration files of every format: read or refused, never a panic, and no secret in what is said.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mortise_client::environment::Environment;
use mortise_config::Config;
use mortise_testkit::fuzz;
use proptest::prelude::*;

const SECRET: &str = "canary-4711";

/// Words and signs that configurations are made of.
const PIECES: &[&str] = &[
    "servers",
    "mcpServers",
    "[mcp_servers.a]",
    "mcp",
    "context_servers",
    "name",
    "command",
    "args",
    "env",
    "url",
    "headers",
    "bearer",
    "oauth",
    "tools",
    "allow",
    "block",
    "execution",
    "timeout_seconds",
    "import",
    "disabled",
    "type",
    "stdio",
    "http",
    "https://x/",
    "a",
    "true",
    "null",
    "1e400",
    "-1",
    "${TOKEN}",
    "${",
    "${A:-b}",
    "${env:TOKEN}",
    "${input:x}",
    ":",
    ": ",
    "- ",
    ",",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\n",
    "\n  ",
    "\n    ",
    "=",
    "#",
    "//",
    "/*",
    "*/",
    "&a ",
    "*a",
    "<<",
    "!t ",
    "|",
    ">",
    "\\",
    "\t",
    "\u{feff}",
    "\0",
];

fn text() -> impl Strategy<Value = String> {
    let pieces =
        prop::collection::vec(prop::sample::select(PIECES), 0..80).prop_map(|pieces| pieces.concat());
    prop_oneof![4 => pieces, 1 => any::<String>()]
}

#[test]
fn any_configuration_is_read_or_refused() {
    let directory = tempfile::TempDir::new().unwrap();
    let environment = Environment {
        variables: [("TOKEN".into(), SECRET.into())].into(),
        working_directory: directory.path().to_path_buf(),
        ..Environment::default()
    };
    let names = prop::sample::select(vec!["x.yaml", "x.json", "x.toml", "mortise.yaml"]);
    fuzz(&(names, text()), |(name, text)| {
        std::fs::write(directory.path().join(name), &text).unwrap();
        let said = match Config::load(&environment, &[name.into()]) {
            Ok(loaded) => format!("{loaded:?}"),
            Err(error) => format!("{error} {error:?} {:?}", error.hints()),
        };
        assert!(!said.contains(SECRET), "{said}");
    });
}
