//! What is written from other programs' files, and that it reads back.

use mortise_client::server_config::Transport;
use proptest::prelude::*;

use super::*;
use crate::config::Config;
use crate::config::tests::Project;
use crate::edit::write::scalar;

const CLAUDE: &str = r#"{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "server-files", "${HOME_DIR:-/data}", "null", "- odd: {#}", "tab\t\"é\" 🦀"],
      "env": {"API_KEY": "canary-1", "TOKEN": "${env:TOKEN}", "WORD": "true"},
      "timeout": 5
    },
    "local": {"command": "./serve", "cwd": "sub", "disabled": true},
    "remote": {"type": "http", "url": "https://example.com/mcp?a=b", "headers": {"Authorization": "Bearer canary-2"}},
    "old": {"type": "sse", "url": "https://example.com/sse"},
    "odd": {"command": "${command:pick}"}
  }
}"#;

const CODEX: &str = r#"
[mcp_servers.files]
command = "other"
[mcp_servers.docs]
command = "docs"
args = ["${LITERAL}"]
startup_timeout_sec = 20
"#;

#[test]
fn a_configuration_is_written_from_others() {
    let project = Project::new();
    project.write("project/claude.json", CLAUDE);
    project.write("project/codex.toml", CODEX);
    let written = init(&project.environment, &["claude.json".into(), "codex.toml".into()]).unwrap();
    let root = format!("{}/", project.root().display());
    insta::assert_snapshot!(written.text.replace(&root, "/ROOT/"));
    assert_eq!(written.servers, 4);

    // What it says, read by the loader, is what the files say.
    let path = project.write("elsewhere/mortise.yaml", &written.text);
    let ours = Config::load(&project.environment, &[path]).unwrap().config.servers;
    let given = ["claude.json".into(), "codex.toml".into()];
    let theirs: Vec<_> = given
        .iter()
        .flat_map(|file| {
            Config::load(&project.environment, std::slice::from_ref(file)).unwrap().config.servers
        })
        .filter(|server| !matches!(server.transport, Transport::Unusable(_)))
        .collect();
    assert_eq!(ours[..2], theirs[..2]);
    assert_eq!(ours[2], theirs[3]);
    assert_eq!(ours.len(), 3);
}

#[test]
fn with_nothing_to_take_over_it_is_a_starter_that_loads() {
    let project = Project::new();
    let written = init(&project.environment, &[]).unwrap();
    let path = project.write("project/mortise.yaml", &written.text);
    assert_eq!(Config::load(&project.environment, &[path]).unwrap().config, Config::default());
}

#[test]
fn a_file_without_servers_is_named() {
    let project = Project::new();
    let path = project.write("x.json", "{\"a\": 1}");
    let error = init(&project.environment, std::slice::from_ref(&path)).unwrap_err();
    assert_eq!(error.to_string(), format!("{}:1:1: there are no servers in this file", path.display()));
    assert_eq!(error.hints().len(), 1);
}

proptest! {
    #[test]
    fn any_text_reads_back_as_itself(text in any::<String>()) {
        let read: Vec<String> = serde_saphyr::from_str(&format!("- {}\n", scalar(&text))).unwrap();
        prop_assert_eq!(read, [text.clone()]);
        let read: BTreeMap<String, String> = serde_saphyr::from_str(&format!("{}: x\n", scalar(&text))).unwrap();
        prop_assert_eq!(read.keys().next(), Some(&text));
    }

    #[test]
    fn any_entry_of_another_program_is_read_or_noted(
        name in ".{0,8}", command in ".{0,12}", args in prop::collection::vec(".{0,12}", 0..3)
    ) {
        let project = Project::new();
        let entry = serde_json::json!({"mcpServers": {name: {"command": command, "args": args}}});
        let path = project.write("x.json", &entry.to_string());
        let written = init(&project.environment, &[path]).unwrap();
        let path = project.write("y.yaml", &written.text);
        match Config::load(&project.environment, &[path]) {
            Ok(_) => {}
            // A variable that is not set, or a name that no server can have.
            Err(ConfigError::Invalid(findings)) => prop_assert!(findings.iter().all(|finding| matches!(
                finding.problem,
                Problem::Variable(_) | Problem::BadName(_) | Problem::BadText { .. }
            )), "{findings:?}\n{}", written.text),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
