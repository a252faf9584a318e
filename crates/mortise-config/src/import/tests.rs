//! Files as other programs write them.

use mortise_client::server_config::Transport;

use crate::config::tests::Project;
use crate::config::{Config, LoadedConfig};

/// Loads a foreign file and shows every server and note on a line of its own.
fn shown(project: &Project, path: &str, text: &str) -> String {
    let path = project.write(path, text);
    match Config::load(&project.environment, &[path]) {
        Ok(loaded) => lines(&loaded),
        Err(error) => error.to_string(),
    }
    .replace(&format!("{}/", project.root().display()), "")
}

fn lines(loaded: &LoadedConfig) -> String {
    let servers = loaded.config.servers.iter().map(|server| {
        let reached = match &server.transport {
            Transport::Stdio(stdio) => {
                let env: Vec<String> =
                    stdio.env.iter().map(|(key, value)| format!("{key}={}", value.expose())).collect();
                format!("{} {:?} {env:?} {:?}", stdio.command, stdio.args, stdio.cwd)
            }
            Transport::InProcess(_) => unreachable!("no file names one"),
            Transport::Unusable(entry) => format!("left out: {}", entry.reason),
            Transport::Http(http) => {
                let headers: Vec<String> =
                    http.headers.iter().map(|(key, value)| format!("{key}: {}", value.expose())).collect();
                format!("{} {headers:?} {:?}", http.url, http.bearer.as_ref().map(|bearer| bearer.expose()))
            }
        };
        format!("{}: {reached}", server.name)
    });
    let notes = loaded.notes.iter().map(|note| {
        let position = note.place.position;
        format!("{}:{} {} {}", position.line, position.column, note.server, note.kind)
    });
    servers.chain(notes).collect::<Vec<_>>().join("\n")
}

#[test]
fn claude_and_cursor() {
    let text = r#"// my servers
{
  "mcpServers": {
    /* local */
    "files": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "server-files", "${HOME_DIR:-/data}", "${TOKEN}", 8080,],
      "env": {"API_KEY": "${env:TOKEN}", "PORT": 3000, "FLAG": true, "NONE": null},
      "disabled": false,
      "autoApprove": ["read"],
    },
    "local": {"command": "./serve", "cwd": "sub"},
    "remote": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
    "windsurf": {"serverUrl": "https://example.com/w"},
    "gemini": {"httpUrl": "https://example.com/g"},
    "streaming": {"type": "streamable-http", "url": "https://example.com/s"},
    "old": {"type": "sse", "url": "https://example.com/sse"},
    "off": {"command": "x", "disabled": true},
    "unset": {"command": "x", "args": ["${NOT_SET}"]},
    "socket": {"type": "ws", "url": "wss://example.com"},
    "empty": {},
    "bad": {"command": ["x"]},
    "worse": "x",
    "": {"command": "x"},
    "files": {"command": "second"},
  },
  "theme": "dark"
}
"#;
    insta::assert_snapshot!(shown(&Project::new(), "project/.cursor/mcp.json", text));
}

#[test]
fn vs_code() {
    let text = r#"{
  "inputs": [{"type": "promptString", "id": "token", "description": "Token", "password": true}],
  "servers": {
    "github": {"type": "http", "url": "https://example.com/mcp", "headers": {"X-Token": "${input:token}"}},
    "asks": {"type": "stdio", "command": "x", "env": {"KEY": "${input:api-key}"}},
    "folder": {"command": "${workspaceFolder}/serve", "args": ["${userHome}"], "envFile": ".env"},
    "odd": {"command": "${command:pick}"}
  }
}"#;
    let mut project = Project::new();
    project.environment.variables.insert("HOME".into(), "/home/ada".into());
    insta::assert_snapshot!(shown(&project, "project/.vscode/mcp.json", text), @r#"
    github: https://example.com/mcp ["x-token: canary-4711"] None
    asks: left out: project/.vscode/mcp.json:5:62: ${API_KEY} is not set
    folder: project/serve ["/home/ada"] [] None
    odd: left out: project/.vscode/mcp.json:7:12: `${command:pick}` means nothing outside the program that wrote it
    4:15 github takes `${TOKEN}` where the other program asks for `token`
    5:13 asks takes `${API_KEY}` where the other program asks for `api-key`
    6:15 folder has the key `envFile`, which means nothing here
    "#);
    let settings = r#"{"editor.tabSize": 2, "mcp": {"servers": {"a": {"command": "x"}}}}"#;
    insta::assert_snapshot!(shown(&project, "project/settings.json", settings), @r#"a: x [] [] None"#);
}

#[test]
fn zed() {
    let text = r#"{"context_servers": {
      "new": {"source": "custom", "command": "x", "args": ["a"]},
      "old": {"command": {"path": "y", "args": ["b"], "env": {"K": "v"}}, "settings": {}}
    }}"#;
    insta::assert_snapshot!(shown(&Project::new(), "project/settings.json", text), @r#"
    new: x ["a"] [] None
    old: y ["b"] ["K=v"] None
    3:14 old has the key `settings`, which means nothing here
    "#);
}

#[test]
fn codex() {
    let text = r#"
model = "gpt"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs", "${TOKEN}"]
env = { KEY = "v" }
env_vars = ["NOT_SET", "TOKEN", "KEY"]
startup_timeout_sec = 20
tool_timeout_sec = 30.5
enabled_tools = ["a"]

[mcp_servers.remote]
url = "https://example.com/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { "X-A" = "b" }

[mcp_servers.headers]
url = "https://example.com/mcp"
env_http_headers = { "X-Token" = "TOKEN" }

[mcp_servers.off]
command = "x"
enabled = false
"#;
    let project = Project::new();
    insta::assert_snapshot!(shown(&project, "home/.codex/config.toml", text), @r#"
    docs: npx ["-y", "docs", "${TOKEN}"] ["KEY=v", "TOKEN=canary-4711"] None
    remote: https://example.com/mcp ["x-a: b"] Some("canary-4711")
    headers: https://example.com/mcp ["x-token: canary-4711"] None
    4:14 docs has the key `enabled_tools`, which means nothing here
    22:14 off is disabled
    "#);
    // The name of the file does not matter.
    assert!(shown(&project, "project/servers", text).starts_with("docs: npx"));
}

#[test]
fn claude_code_keeps_servers_by_project() {
    let project = Project::new();
    let here = project.environment.working_directory.display().to_string();
    let text = format!(
        r#"{{"mcpServers": {{"all": {{"command": "x"}}}},
            "projects": {{
              "{here}": {{"mcpServers": {{"here": {{"command": "y"}}}}}},
              "/elsewhere": {{"mcpServers": {{"there": {{"command": "z"}}}}}}
            }}}}"#
    );
    insta::assert_snapshot!(shown(&project, "home/.claude.json", &text), @r#"
    all: x [] [] None
    here: y [] [] None
    "#);
}

#[test]
fn our_own_file_written_as_json_is_ours() {
    let project = Project::new();
    for (path, text) in [
        ("project/x.json", r#"{"servers": [{"name": "a", "command": "x"}]}"#),
        ("project/mortise.json", r#"{"servers": {"a": {"command": "x"}}}"#),
        ("project/x.yaml", "{servers: [{name: a, command: x}]}"),
    ] {
        assert_eq!(shown(&project, path, text), "a: x [] [] None", "{path}");
    }
    let refused = shown(&project, "project/x.json", r#"{"servers": [{"name": "a", "comand": "x"}]}"#);
    assert_eq!(refused, "a: left out: project/x.json:1:28: unknown key `comand`");
}

#[test]
fn a_broken_file_is_located() {
    let project = Project::new();
    for (path, text, expected) in [
        ("x.json", "{\n  \"mcpServers\": {", "x.json:2:17: not JSON: unterminated object"),
        ("x.json", "{\"a\": canary}", "x.json:1:7: not JSON: unexpected token"),
        (
            "x.toml",
            "[mcp_servers.a]\ncommand = \n",
            "x.toml:2:11: not TOML: string values must be quoted, expected literal string",
        ),
        ("x.toml", "model = 1\n", "x.toml:1:1: there are no servers in this file"),
    ] {
        assert_eq!(shown(&project, path, text), expected, "{text}");
    }
}
