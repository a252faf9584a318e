use std::path::PathBuf;

use super::*;

fn meaning(path: &str, text: &str) -> Option<ContentHash> {
    let path = PathBuf::from(path);
    let source = Source { shown: path.clone(), path, text: text.to_owned() };
    fingerprint(&Environment::default(), &source).meaning
}

const FILE: &str = "servers:\n  - name: a\n    command: x\n    args: [y, \"1\"]\n    env: {A: b}\n";

#[track_caller]
fn check(other: &str, is_same: bool) {
    let (first, second) = (meaning("/p/mortise.yaml", FILE), meaning("/p/mortise.yaml", other));
    assert!(first.is_some() && second.is_some(), "both can be read: {other}");
    assert_eq!(first == second, is_same, "{other}");
}

#[test]
fn comments_and_layout_mean_nothing() {
    check(&format!("# new\n\n{FILE}# end\n"), true);
    check("servers:\n- args:\n", false);
    check("servers: [{name: 'a', command: x, args: [y, '1'], env: {A: b}}]\n", false);
    check("servers: [{name: a, command: x, args: [y, '1'], env: {A: b}}]\n", true);
}

#[test]
fn every_value_counts() {
    for changed in [
        FILE.replace("name: a", "name: b"),
        FILE.replace("command: x", "command: xx"),
        FILE.replace("\"1\"", "\"2\""),
        FILE.replace("\"1\"", "1"),
        FILE.replace("y, \"1\"", "\"y, 1\""),
        FILE.replace("A: b", "A: c"),
        FILE.replace("A: b", "LD_PRELOAD: b"),
        FILE.replace("args:", "cwd: /\n    args:"),
        FILE.replace("name: a\n", "name: a\n    disabled: true\n"),
        format!("{FILE}import: [x.json]\n"),
        format!("{FILE}lock: off\n"),
        format!("{FILE}execution: {{check: off}}\n"),
        format!("{FILE}validation: {{mode: off}}\n"),
        format!("{FILE}tools: {{block: [a]}}\n"),
    ] {
        check(&changed, false);
    }
}

#[test]
fn a_value_can_t_hide_behind_an_alias() {
    let hidden = |value: &str| {
        let text = format!("execution: &a {value}\nservers:\n  - name: a\n    command: *a\n");
        meaning("/p/mortise.yaml", &text)
    };
    assert_ne!(hidden("one"), hidden("two"));
    assert!(hidden("one").is_some());
}

#[test]
fn what_can_t_be_read_has_no_meaning() {
    for text in ["servers: [\n", "a: 1\n---\nb: 2\n", "%YAML 1.1\n---\nservers:\n"] {
        assert_eq!(meaning("/p/mortise.yaml", text), None, "{text}");
    }
    assert_eq!(meaning("/p/x.json", "{"), None);
}

#[test]
fn of_other_programs_files_only_the_servers_count() {
    let claude = |history: &str, command: &str| {
        let text = format!(
            r#"{{"history": "{history}", "mcpServers": {{"a": {{"command": "{command}"}}}}, "projects": {{"/p": {{"x": "{history}"}}}}}}"#
        );
        meaning("/home/.claude.json", &text)
    };
    assert!(claude("1", "x").is_some());
    assert_eq!(claude("1", "x"), claude("2", "x"));
    assert_ne!(claude("1", "x"), claude("1", "y"));
    let codex = |model: &str, args: &str| {
        meaning("/home/.codex/config.toml", &format!("model = '{model}'\n[mcp_servers.a]\nargs = {args}\n"))
    };
    assert_eq!(codex("a", "[1]"), codex("b", "[ 1, ] # x"));
    assert_ne!(codex("a", "[1]"), codex("a", "['1']"));
}
