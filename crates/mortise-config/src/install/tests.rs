use std::fs;

use super::*;
use crate::discover::tests::{fixture, home};
use crate::programs::PROGRAMS;

fn launch() -> Launch {
    Launch { command: "mortise".to_owned(), args: vec!["serve".to_owned()] }
}

fn installable() -> impl Iterator<Item = &'static Program> {
    PROGRAMS.iter().filter(|program| program.entry.is_some())
}

#[test]
fn every_file_gets_the_entry_and_keeps_the_rest() {
    let (_root, environment) = home();
    let mut shown = String::new();
    for program in installable() {
        let edit = install(&environment, program, FileScope::User, &launch()).unwrap();
        let before = fixture(program.id);
        let lines: Vec<&str> = edit.file.after.lines().map(|line| line.trim_end_matches(',')).collect();
        if before.lines().count() > 1 && program.id != "claude" {
            for line in before.lines() {
                assert!(lines.contains(&line.trim_end_matches(',')), "{}: {line}", program.id);
            }
        }
        shown.push_str(&format!("=== {}\n{}", program.id, edit.file.after));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn undo_gives_the_same_bytes() {
    let (_root, environment) = home();
    for program in installable() {
        let before = fixture(program.id);
        let edit = install(&environment, program, FileScope::User, &launch()).unwrap();
        edit.keep_backup(&environment).unwrap();
        edit.file.save().unwrap();
        let again = install(&environment, program, FileScope::User, &launch()).unwrap();
        assert!(again.is_nothing(), "{}", program.id);
        let back = undo(&environment, program, FileScope::User).unwrap().unwrap();
        back.file.save().unwrap();
        let path = program.files[0].path(&environment).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), before, "{}", program.id);
        if program.id != "claude" {
            assert!(undo(&environment, program, FileScope::User).unwrap().is_none());
        }
    }
}

#[test]
fn without_a_backup_only_the_entry_goes() {
    let (_root, environment) = home();
    for program in installable() {
        let edit = install(&environment, program, FileScope::User, &launch()).unwrap();
        edit.file.save().unwrap();
        let back = undo(&environment, program, FileScope::User).unwrap().unwrap();
        assert!(
            !back.file.after.contains("\"mortise\": {") && !back.file.after.contains(".mortise]"),
            "{}",
            program.id
        );
        let before = fixture(program.id);
        for line in before.lines().filter(|line| line.contains("//") || line.contains('#')) {
            assert!(back.file.after.contains(line), "{}: {line}", program.id);
        }
    }
}

#[test]
fn a_missing_or_empty_file_is_begun() {
    let (_root, environment) = home();
    for text in [None, Some(""), Some("{}"), Some("// mine\n{}\n")] {
        let path = Program::find("cursor").unwrap().files[0].path(&environment).unwrap();
        _ = fs::remove_file(&path);
        if let Some(text) = text {
            fs::write(&path, text).unwrap();
        }
        let edit =
            install(&environment, Program::find("cursor").unwrap(), FileScope::User, &launch()).unwrap();
        assert!(edit.file.after.contains("\"command\": \"mortise\""), "{}", edit.file.after);
        assert_eq!(edit.file.after.contains("// mine"), text == Some("// mine\n{}\n"));
    }
    let path = Program::find("codex").unwrap().files[0].path(&environment).unwrap();
    fs::remove_file(path).unwrap();
    let edit = install(&environment, Program::find("codex").unwrap(), FileScope::User, &launch()).unwrap();
    insta::assert_snapshot!(edit.file.after, @r#"
    [mcp_servers.mortise]
    command = "mortise"
    args = ["serve"]
    startup_timeout_sec = 30
    tool_timeout_sec = 130
    "#);
}

#[test]
fn what_can_t_be_edited_is_refused() {
    let (_root, environment) = home();
    let cursor = Program::find("cursor").unwrap();
    let path = cursor.files[0].path(&environment).unwrap();
    for (text, expected) in
        [("{\"mcpServers\": [", "is not JSON"), ("[1]", "laid out"), ("{\"mcpServers\": 3}", "laid out")]
    {
        fs::write(&path, text).unwrap();
        let error = install(&environment, cursor, FileScope::User, &launch()).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let goose = install(&environment, Program::find("goose").unwrap(), FileScope::User, &launch());
    assert!(matches!(goose, Err(InstallError::ReadOnly { program: "Goose" })));
    let desktop =
        install(&environment, Program::find("claude-desktop").unwrap(), FileScope::Project, &launch());
    assert!(matches!(desktop, Err(InstallError::NoFile { .. })));
}

#[test]
fn times_that_the_user_chose_stay() {
    let (_root, environment) = home();
    let codex = Program::find("codex").unwrap();
    let path = codex.files[0].path(&environment).unwrap();
    fs::write(
        &path,
        "[mcp_servers.mortise]\ncommand = \"/old/mortise\" # mine\ntool_timeout_sec = 600\nrequired = true\n",
    )
    .unwrap();
    let edit = install(&environment, codex, FileScope::User, &launch()).unwrap();
    insta::assert_snapshot!(edit.file.after, @r#"
    [mcp_servers.mortise]
    command = "mortise" # mine
    tool_timeout_sec = 600
    required = true
    args = ["serve"]
    startup_timeout_sec = 30
    "#);
}
