use std::collections::BTreeSet;

use super::*;

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment {
        variables: variables.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        home: Some("/home/ada".into()),
        working_directory: "/home/ada/project".into(),
        ..Environment::default()
    }
}

fn path(id: &str, variables: &[(&str, &str)]) -> String {
    let file = &Program::find(id).unwrap().files[0];
    file.path(&environment(variables)).unwrap().display().to_string()
}

#[test]
fn a_name_means_one_program() {
    let ids: BTreeSet<&str> = PROGRAMS.iter().map(|program| program.id).collect();
    assert_eq!(ids.len(), PROGRAMS.len());
    assert_eq!(Program::find("Claude Code").map(|program| program.id), Some("claude"));
    assert_eq!(Program::find("emacs"), None);
    for program in PROGRAMS {
        assert!(program.files[0].scope == FileScope::User && program.source.starts_with("https://"));
    }
}

#[test]
fn variables_move_the_files() {
    assert_eq!(path("codex", &[]), "/home/ada/.codex/config.toml");
    assert_eq!(path("codex", &[("CODEX_HOME", "/c")]), "/c/config.toml");
    assert_eq!(path("claude", &[("CLAUDE_CONFIG_DIR", "/c")]), "/c/.claude.json");
    assert_eq!(path("claude", &[("CLAUDE_CONFIG_DIR", "relative")]), "/home/ada/.claude.json");
    assert_eq!(path("zed", &[("XDG_CONFIG_HOME", "/x")]), "/x/zed/settings.json");
}

#[test]
#[cfg(target_os = "linux")]
fn settings_of_desktop_programs_lie_in_the_config_directory() {
    assert_eq!(path("claude-desktop", &[]), "/home/ada/.config/Claude/claude_desktop_config.json");
    assert_eq!(path("vscode", &[("XDG_CONFIG_HOME", "/x")]), "/x/Code/User/mcp.json");
}

#[test]
fn a_project_s_file_is_looked_for_up_to_the_root() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let below = root.join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    let environment = Environment { working_directory: below, ..Environment::default() };
    let file = &Program::find("claude").unwrap().files[1];
    assert_eq!(file.path(&environment), Some(root.join(".mcp.json")), "where it would lie");
    std::fs::write(root.join("a/.mcp.json"), "{}").unwrap();
    assert_eq!(file.path(&environment), Some(root.join("a/.mcp.json")));
}
