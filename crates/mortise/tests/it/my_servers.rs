//! The user's servers: the first screen, and adding, removing, listing, importing and installing.

use std::fs;
use std::time::{Duration, Instant};

use crate::program::{World, binary};
use crate::pty::OnTerminal;

const CLAUDE: &str = r#"{"mcpServers": {
    "files": {"command": "npx", "args": ["-y", "server-files"], "env": {"API_KEY": "canary-1"}},
    "web": {"type": "http", "url": "https://example.com/mcp?key=canary-2", "headers": {"Authorization": "Bearer canary-3"}},
    "old": {"type": "sse", "url": "https://example.com/sse"},
    "mortise": {"command": "mortise", "args": ["serve"]}}}"#;

/// A world with the files of some programs.
fn world() -> World {
    let world = World::new();
    in_home(&world, ".claude.json", CLAUDE);
    in_home(
        &world,
        ".cursor/mcp.json",
        r#"{"mcpServers": {"shop": {"url": "https://shop.example.com/mcp"}, "files": {"command": "x"}}}"#,
    );
    in_home(&world, ".codex/config.toml", "[mcp_servers.docs\n");
    world
}

fn in_home(world: &World, name: &str, text: &str) {
    let path = world.home().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(world: &World, name: &str) -> String {
    fs::read_to_string(world.home().join(name)).unwrap()
}

const OWN: &str = ".config/mortise/mortise.yaml";

#[test]
fn the_first_screen_of_an_empty_home() {
    insta::assert_snapshot!(World::new().run(&[]).text());
}

#[test]
fn the_first_screen_has_servers_what_was_found_and_the_next_step() {
    let world = world();
    insta::assert_snapshot!("found_elsewhere", world.run(&[]).text());
    let mock = [binary().to_str().unwrap(), "mock", "ok"];
    world.run(&[&["add", "mock", "--"][..], &mock].concat()).expect_exit(0);
    world.run(&["add", "web", "https://example.com/mcp", "--header", "X-Key: ${UNSET}"]).expect_exit(0);
    world.run(&["tools", "mock"]).expect_exit(0);
    insta::assert_snapshot!("own_servers", world.run(&[]).text());
    insta::assert_snapshot!("list", world.run(&["list"]).text());
    let json = world.run(&["--json"]).expect_exit(0).json();
    assert_eq!(json["servers"][0]["state"], "seen");
    assert_eq!(json["next"], "mortise check");
}

#[test]
fn the_first_screen_fits_a_small_terminal_and_is_quick() {
    let world = world();
    for name in ["a", "b", "c", "d", "e", "f", "g", "a-server-with-a-very-long-name-that-nobody-types"] {
        world.run(&["add", name, "--", "serve", name]).expect_exit(0);
    }
    let started = Instant::now();
    for width in [40, 80, 160] {
        let (shown, exit) = OnTerminal::start(&world, width, &["--color", "never"]).finish();
        assert_eq!(exit, Some(0));
        assert!(shown.lines().count() <= 23, "{} lines:\n{shown}", shown.lines().count());
        if width >= 80 {
            let longest = shown.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= usize::from(width), "{longest} columns:\n{shown}");
        }
    }
    assert!(started.elapsed() < Duration::from_secs(6), "three screens took {:?}", started.elapsed());
}

#[test]
fn broken_files_are_a_line_of_the_first_screen() {
    let world = world();
    in_home(&world, OWN, "servers: [\n");
    let ran = world.run(&[]).expect_exit(0);
    assert!(ran.stdout.contains("✗ ~/.config/mortise/mortise.yaml:1:10: not YAML"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Next     mortise doctor"), "{}", ran.stdout);
    world.write("mortise.yaml", "servers: [{name: trap, command: touch}]\n");
    let ran = world.run(&[]).expect_exit(0);
    assert!(ran.stdout.contains("! mortise.yaml is not trusted"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("trap") && ran.stdout.contains("Next     mortise trust"), "{}", ran.stdout);
}

#[test]
fn adding_and_removing_leaves_the_file_as_it_was() {
    let world = World::new();
    let text = "# mine\nservers:\n  - name: a   # first\n    command: 'x'\n\nlock: warn # why not\n";
    in_home(&world, OWN, text);
    let ran = world
        .run(&["add", "files", "--env", "A=b c", "--env", "TOKEN", "--", "sh", "-c", "x y"])
        .expect_exit(0);
    insta::assert_snapshot!(read(&world, OWN) + &ran.stderr);
    let ran = world.run(&["remove", "files"]).expect_exit(0);
    assert_eq!(ran.stderr, "✓ removed `files` from ~/.config/mortise/mortise.yaml\n");
    assert_eq!(read(&world, OWN), text);
}

#[test]
fn what_can_t_be_added_is_said_with_the_way_out() {
    let world = World::new();
    world.run(&["add", "a", "--", "x"]).expect_exit(0);
    let before = read(&world, OWN);
    let mut shown = String::new();
    for arguments in [
        &["add", "b"][..],
        &["add", "b", "npx"],
        &["add", "a", "--", "x"],
        &["add", "b", "https://example.com", "--", "x"],
        &["add", "b", "https://"],
        &["add", "b", "https://example.com", "--header", "nothing"],
        &["add", "b", "https://example.com", "--header", "X Y: z"],
        &["add", "b", "https://example.com", "--env", "A=b"],
        &["add", "", "--", "x"],
        &["remove", "aa"],
        &["remove", "nothing-like-it", "--project"],
    ] {
        let ran = world.run(arguments);
        shown.push_str(&format!("$ mortise {}\n{}\n", arguments.join(" "), ran.text()));
    }
    insta::assert_snapshot!(shown);
    assert_eq!(read(&world, OWN), before);
}

#[test]
fn who_adds_to_a_project_trusts_the_entry_and_not_what_a_stranger_wrote() {
    let world = World::new();
    world.run(&["add", "mine", "--project", "--", "/nowhere/at-all"]).expect_exit(0);
    assert!(world.project().join("mortise.yaml").exists());
    world.run(&["tools"]).expect_exit(4);

    let world = World::new();
    world.write("mortise.yaml", "servers:\n  - name: trap\n    command: touch\n    args: [started]\n");
    let ran = world.run(&["add", "mine", "--", "/nowhere/at-all"]).expect_exit(0);
    assert!(
        ran.stderr.contains("warning: `[WORLD]/project/mortise.yaml` has other entries"),
        "{}",
        ran.stderr
    );
    world.run(&["tools"]).expect_exit(2);
    assert!(!world.project().join("started").exists());
}

#[test]
fn a_project_s_file_is_changed_only_where_it_is_nearest() {
    let world = World::new();
    world.write("mortise.yaml", "servers:\n");
    world.run(&["add", "here", "--", "x"]).expect_exit(0);
    world.run(&["add", "there", "--user", "--", "x"]).expect_exit(0);
    assert!(fs::read_to_string(world.project().join("mortise.yaml")).unwrap().contains("name: here"));
    let ran = world.run(&["remove", "there"]).expect_exit(1);
    assert!(
        ran.stderr.contains("hint: it is in ~/.config/mortise/mortise.yaml: mortise remove there --user"),
        "{}",
        ran.stderr
    );
    world.run(&["remove", "there", "--user"]).expect_exit(0);
}

#[test]
fn a_new_comment_asks_nobody_again() {
    let world = World::new();
    let text = "servers:\n  - name: gone\n    command: /nowhere/at-all\n";
    world.write("mortise.yaml", text);
    world.run(&["trust"]).expect_exit(0);
    world.run(&["tools"]).expect_exit(4);
    world.write("mortise.yaml", &format!("# new\n{text}"));
    world.run(&["tools"]).expect_exit(4);
    world.write("mortise.yaml", &text.replace("at-all", "else"));
    world.run(&["tools"]).expect_exit(2);
}

#[test]
fn import_lists_and_takes_what_is_said() {
    let world = world();
    let listed = world.run(&["import"]).expect_exit(0);
    assert!(!listed.text().contains("canary"), "{}", listed.text());
    insta::assert_snapshot!("import_lists", listed.text());
    assert!(!world.home().join(OWN).exists());
    let dry = world.run(&["import", "--all", "--dry-run"]).expect_exit(0);
    assert!(dry.stderr.ends_with("note: 3 servers would be taken; nothing was written\n"), "{}", dry.stderr);
    assert!(!world.home().join(OWN).exists());
    world.run(&["import", "shop"]).expect_exit(0);
    let all = world.run(&["import", "--all"]).expect_exit(0);
    assert!(!all.text().contains("canary"), "{}", all.text());
    insta::assert_snapshot!("import_all", all.stderr + &read(&world, OWN));
    let again = world.run(&["import", "--all", "--json"]).expect_exit(0).json();
    assert_eq!(again["files"][0]["servers"][0]["state"], "known");
}

#[test]
fn import_takes_a_project_s_servers_only_by_name() {
    let world = World::new();
    world.write(".mcp.json", r#"{"mcpServers": {"trap": {"command": "touch", "args": ["started"]}}}"#);
    let ran = world.run(&["import", "--all"]).expect_exit(0);
    assert!(
        ran.stdout.contains("from this project") && ran.stderr.contains("only if you name"),
        "{}",
        ran.text()
    );
    assert!(!world.home().join(OWN).exists());
    world.run(&["import", ".mcp.json", "--all"]).expect_exit(0);
    assert!(read(&world, OWN).contains("name: trap"));
}

#[test]
fn import_says_what_it_does_not_find() {
    let world = world();
    for (arguments, expected) in [
        (
            &["import", "file"][..],
            "error: `file` is neither a program, a file nor a server that was found\nhint: did you mean `files`?\n",
        ),
        (
            &["import", "missing.json"],
            "error: cannot import `[WORLD]/project/missing.json`: No such file or directory (os error 2)\nhint: `mortise import` without a file lists what other programs have\n",
        ),
    ] {
        assert_eq!(world.run(arguments).expect_exit(1).stderr, expected);
    }
    let none = World::new().run(&["import"]).expect_exit(0);
    assert_eq!(none.stderr, "note: no servers were found in the files of other programs\n");
}

#[test]
fn on_a_terminal_import_asks() {
    let world = world();
    let mut terminal = OnTerminal::start(&world, 100, &["import"]);
    let shown = terminal.read_until("Take which?");
    assert!(shown.contains("Claude Code") && !shown.contains("canary"), "{shown}");
    terminal.type_line("web shop");
    let (shown, exit) = terminal.finish();
    assert_eq!(exit, Some(0), "{shown}");
    let own = read(&world, OWN);
    assert!(own.contains("name: web") && own.contains("name: shop") && !own.contains("name: files"), "{own}");
}

#[test]
fn install_shows_the_change_and_takes_it_back() {
    let world = World::new().with("PATH", binary().parent().unwrap().to_str().unwrap());
    let text = "{\n  // mine\n  \"mcpServers\": { \"a\": { \"command\": \"x\", \"env\": { \"K\": \"canary-9\" } } }\n}\n";
    in_home(&world, ".cursor/mcp.json", text);
    let ran = world.run(&["install", "cursor"]).expect_exit(1);
    assert!(!ran.text().contains("canary"), "{}", ran.text());
    insta::assert_snapshot!("install_shows", ran.text());
    assert_eq!(read(&world, ".cursor/mcp.json"), text);
    world.run(&["install", "cursor", "--dry-run"]).expect_exit(0);
    assert_eq!(read(&world, ".cursor/mcp.json"), text);
    let ran = world.run(&["install", "cursor", "--yes"]).expect_exit(0);
    insta::assert_snapshot!("install_writes", ran.stderr + &read(&world, ".cursor/mcp.json"));
    let again = world.run(&["install", "cursor", "--yes"]).expect_exit(0);
    assert_eq!(again.stderr, "note: Cursor has mortise already, in ~/.cursor/mcp.json\n");
    world.run(&["install", "cursor", "--undo", "--yes"]).expect_exit(0);
    assert_eq!(read(&world, ".cursor/mcp.json"), text);
    let ran = world.run(&["install", "cursor", "--undo", "--yes"]).expect_exit(0);
    assert_eq!(ran.stderr, "note: Cursor does not have mortise in its file\n");
}

#[test]
fn install_names_the_program_by_its_path_where_it_is_not_on_the_path() {
    let world = World::new();
    world.run(&["install", "codex", "--yes", "--config", "my.yaml"]).expect_exit(0);
    let written = read(&world, ".codex/config.toml");
    assert!(written.contains(&format!("command = \"{}\"", binary().display())), "{written}");
    assert!(
        written.contains("args = [\"serve\", \"--config\", ") && written.contains("project/my.yaml"),
        "{written}"
    );
    assert!(written.contains("startup_timeout_sec = 30\ntool_timeout_sec = 130\n"), "{written}");
    let listed = world.run(&["install"]).expect_exit(0).stdout;
    assert!(listed.contains("✓  codex") && listed.contains("has mortise"), "{listed}");
    world.run(&["install", "codex", "--undo", "--yes"]).expect_exit(0);
    assert!(!world.home().join(".codex/config.toml").exists(), "a file that was not there is removed");
    let ran = world.run(&["install", "cursr"]).expect_exit(1);
    assert!(ran.stderr.contains("did you mean `cursor`?"), "{}", ran.stderr);
}

#[test]
fn on_a_terminal_install_asks() {
    for (answer, is_written) in [("n", false), ("y", true)] {
        let world = World::new();
        let mut terminal = OnTerminal::start(&world, 100, &["install", "claude", "--project"]);
        terminal.read_until("Write it? [y/N]");
        terminal.type_line(answer);
        let (shown, exit) = terminal.finish();
        assert_eq!(exit, Some(0), "{shown}");
        assert_eq!(world.project().join(".mcp.json").exists(), is_written, "{answer}");
    }
}

#[test]
fn login_and_logout_are_short_for_auth() {
    let world = World::new();
    world.run(&["add", "web", "https://example.com/mcp"]).expect_exit(0);
    assert!(world.run(&["login", "--status"]).expect_exit(0).stdout.contains("web"));
    world.run(&["login", "web", "--status"]).expect_exit(3);
    assert!(world.run(&["login", "web"]).expect_exit(3).stderr.contains("--no-browser"));
    assert_eq!(world.run(&["logout", "web"]).expect_exit(0).stderr, "note: there was no login for `web`\n");
    world.run(&["login"]).expect_exit(1);
}

#[test]
fn the_template_of_init_works_when_it_is_uncommented() {
    let world = World::new().with("SEARCH_TOKEN", "x");
    let text = world.run(&["init", "--out", "-"]).expect_exit(0).stdout;
    let uncommented = text.replace("\n  # ", "\n  ");
    assert_ne!(text, uncommented);
    world.write("mine.yaml", &uncommented);
    let listed = world.run(&["list", "--config", "mine.yaml", "--json"]).expect_exit(0).json();
    let names: Vec<_> =
        listed["servers"].as_array().unwrap().iter().map(|server| server["name"].clone()).collect();
    assert_eq!(names, ["files", "search"]);
    world.write("as-it-is.yaml", &text);
    assert_eq!(
        world.run(&["list", "--config", "as-it-is.yaml", "--json"]).expect_exit(0).json()["servers"],
        serde_json::json!([])
    );
}

#[test]
fn init_from_a_missing_file_does_not_send_in_circles() {
    let ran = World::new().run(&["init", "--from", "missing.json"]).expect_exit(1);
    assert!(!ran.stderr.contains("mortise init"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: `mortise import` lists what other programs have"), "{}", ran.stderr);
}
