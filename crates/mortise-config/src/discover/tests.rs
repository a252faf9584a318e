use std::fmt::Write as _;
use std::fs;

use tempfile::TempDir;

use super::*;

/// The fixture of every program.
pub(crate) fn fixture(id: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let found = ["json", "toml", "yaml"].map(|ending| folder.join(format!("{id}.{ending}")));
    let path = found.iter().find(|path| path.exists()).unwrap_or_else(|| panic!("{id} has no fixture"));
    fs::read_to_string(path).unwrap()
}

/// A home directory with the user's file of every program.
pub(crate) fn home() -> (TempDir, Environment) {
    let root = TempDir::new().unwrap();
    let home = root.path().canonicalize().unwrap();
    let project = home.join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    let environment = Environment {
        home: Some(home.clone()),
        working_directory: project,
        state_directory: Some(home.join("state")),
        ..Environment::default()
    };
    for program in PROGRAMS {
        let path = program.files[0].path(&environment).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, fixture(program.id)).unwrap();
    }
    (root, environment)
}

fn shown(environment: &Environment, found: &[FoundFile]) -> String {
    let mut text = String::new();
    let home = environment.home.as_ref().unwrap();
    for file in found {
        let path = file.path.strip_prefix(home).unwrap_or(&file.path).display().to_string();
        let program = file.program.map_or("a file", |program| program.name);
        _ = writeln!(text, "{program} {path} {:?}", file.scope);
        match &file.servers {
            Err(reason) => _ = writeln!(text, "  {reason}"),
            Ok(servers) => {
                for server in servers {
                    let state = match &server.state {
                        FoundState::Usable(_) => String::new(),
                        FoundState::Disabled(_) => " [off]".to_owned(),
                        FoundState::Mortise => " [mortise]".to_owned(),
                        FoundState::Unusable(reason) => format!(" [{reason}]"),
                    };
                    _ = writeln!(text, "  {}: {}{state}", server.name, server.action);
                }
            }
        }
    }
    text.replace(&home.display().to_string(), "~")
}

#[test]
fn the_files_of_all_programs_are_found_and_no_secret_is_shown() {
    let (_root, environment) = home();
    let text = shown(&environment, &discover_all(&environment));
    assert!(!text.contains("canary"), "{text}");
    assert!(!format!("{:?}", discover_all(&environment)).contains("canary"));
    insta::assert_snapshot!(text);
}

#[test]
fn what_is_taken_keeps_variables_and_paths() {
    let (_root, environment) = home();
    let found = discover_all(&environment);
    let servers = found.iter().flat_map(|file| file.servers.iter().flatten());
    let entry = |name: &str| {
        let entries = servers.clone().filter(|server| server.name == name);
        entries.filter_map(|server| server.entry()).map(NewServer::yaml).collect::<String>()
    };
    let local = entry("local").replace(&environment.home.as_ref().unwrap().display().to_string(), "~");
    insta::assert_snapshot!(local + &entry("github") + &entry("off") + &entry("api"), @r#"
      - name: local
        command: ~/bin/server
        cwd: ~/work
      - name: local
        transport: stdio
        command: bun
        args: [x, my-mcp]
        env:
          MY_KEY: canary-open-1
      - name: github
        transport: http
        url: "https://api.example.com/mcp/"
        headers:
          X-Token: "${TOKEN}"
      - name: github
        transport: stdio
        command: npx
        args: ["-y", "@modelcontextprotocol/server-github"]
        env:
          GITHUB_PERSONAL_ACCESS_TOKEN: canary-goose-1
      - name: "off"
        command: off-server
        disabled: true
      - name: api
        url: "https://api.example.com/mcp"
        headers:
          Authorization: "Bearer ${API_TOKEN}"
    "#);
}

#[test]
fn a_file_that_can_t_be_read_is_a_row() {
    let (_root, environment) = home();
    let broken =
        [("cursor", "{\n  \"mcpServers\": {"), ("codex", "[mcp_servers.a]\ncommand = \n"), ("goose", "a: [")];
    for (id, text) in broken {
        fs::write(Program::find(id).unwrap().files[0].path(&environment).unwrap(), text).unwrap();
    }
    let zed = Program::find("zed").unwrap().files[0].path(&environment).unwrap();
    fs::remove_file(&zed).unwrap();
    fs::create_dir(&zed).unwrap();
    let programs = ["cursor", "codex", "goose", "zed"].map(|id| Program::find(id).unwrap());
    insta::assert_snapshot!(shown(&environment, &discover(&environment, &programs)), @r"
    Cursor .cursor/mcp.json User
      line 2: not JSON: unterminated object
    Codex .codex/config.toml User
      line 2: not TOML: string values must be quoted, expected literal string
    Goose .config/goose/config.yaml User
      line 1: not YAML: unclosed bracket '['
    Zed .config/zed/settings.json User
      it is not a regular file
    ");
}

#[test]
fn a_project_s_files_are_told_apart() {
    let (_root, environment) = home();
    let here = environment.working_directory.clone();
    fs::create_dir_all(here.join(".vscode")).unwrap();
    fs::write(here.join(".mcp.json"), r#"{"mcpServers": {"here": {"command": "./serve"}}}"#).unwrap();
    fs::write(here.join(".vscode/mcp.json"), r#"{"servers": {"there": {"command": "x"}}}"#).unwrap();
    let found = discover(&environment, &[Program::find("claude").unwrap(), Program::find("vscode").unwrap()]);
    let of_project: Vec<_> = found.iter().filter(|file| file.scope == FileScope::Project).collect();
    assert_eq!(of_project.len(), 2);
    let entry = of_project[0].servers.as_ref().unwrap()[0].entry().unwrap().yaml();
    assert!(entry.contains(&format!("command: {}/serve", here.display())), "{entry}");
}

#[test]
fn a_named_file_is_read_whatever_it_is_called() {
    let (_root, environment) = home();
    let path = environment.working_directory.join("servers.json");
    fs::write(&path, r#"{"mcpServers": {"a": {"command": "x"}}}"#).unwrap();
    let found = read_file(&environment, Path::new("servers.json"));
    assert_eq!((found.program, found.path), (None, path));
    assert_eq!(found.servers.unwrap().len(), 1);
    let missing = read_file(&environment, Path::new("missing.json"));
    assert!(missing.servers.unwrap_err().contains("No such file"));
}
