//! Colour, widths and hostile text, on a real terminal and on pipes.

use crate::program::{World, mock};
use crate::pty::OnTerminal;

fn on_terminal(world: &World, columns: u16, arguments: &[&str]) -> String {
    OnTerminal::start(world, columns, arguments).finish().0
}

#[test]
fn a_terminal_gets_colour_and_a_pipe_does_not() {
    let world = World::new();
    let arguments = [&["tools"][..], &mock("ok")].concat();
    assert!(on_terminal(&world, 100, &arguments).contains("\u{1b}["));
    let piped = world.run(&arguments).expect_exit(0);
    assert!(!piped.text().contains('\u{1b}'), "{}", piped.text());
}

#[test]
fn colour_can_be_switched_off_and_on() {
    let arguments = [&["tools"][..], &mock("ok")].concat();
    for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
        let shown = on_terminal(&World::new().with(name, value), 100, &arguments);
        assert!(!shown.contains("\u{1b}["), "{name}");
    }
    let never = [&["tools", "--color", "never"][..], &mock("ok")].concat();
    assert!(!on_terminal(&World::new(), 100, &never).contains("\u{1b}["));
    let always = [&["tools", "--color=always"][..], &mock("ok")].concat();
    assert!(World::new().run(&always).expect_exit(0).stdout.contains("\u{1b}["));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let world = World::new().with("NO_COLOR", "1");
    for columns in [40, 60, 80, 120] {
        for command in [
            &["tools", "--no-pager"][..],
            &["inspect", "echo"],
            &["call", "echo", "text=x"],
            &["check", "--calls", "1"],
            &["doctor"],
            &["doctor", "--limits", "--no-pager"],
        ] {
            let shown = on_terminal(&world, columns, &[command, &mock("ok")].concat());
            for line in shown.lines() {
                let width = unicode_width::UnicodeWidthStr::width(line);
                // A command to copy is broken only between words, and the path of the binary is a long one.
                let is_path = line.contains(crate::program::binary().to_str().unwrap());
                assert!(width <= usize::from(columns) || is_path, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn what_a_server_says_never_controls_the_terminal() {
    let world = World::new();
    for arguments in [
        [&["tools", "--color", "never"][..], &mock("ansi-description")].concat(),
        [&["inspect", "echo", "--color", "never"][..], &mock("ansi-description")].concat(),
        [&["call", "echo", "text=x", "--color", "never"][..], &mock("ansi-description")].concat(),
    ] {
        // Wide enough for descriptions.
        let shown = on_terminal(&world, 160, &arguments);
        let hidden: Vec<char> = shown.chars().filter(|c| c.is_control() && *c != '\n').collect();
        assert!(hidden.is_empty(), "{hidden:?} in {shown:?}");
        assert!(shown.contains("\\u{1b}") || shown.contains("\\u001b"), "{shown:?}");
    }
}

#[test]
fn an_endless_error_message_is_cut() {
    let ran = World::new().run(&[&["call", "echo", "text=x"][..], &mock("huge-error=200000")].concat());
    let ran = ran.expect_exit(5);
    assert!(ran.stderr.len() < 10_000 && ran.stderr.contains("bytes more"), "{}", ran.stderr.len());
}

/// More tools than a screen has lines.
fn many() -> Vec<String> {
    let server = |name: &str| format!("{name}={} mock pages", crate::program::binary().display());
    ["tools", "--server", &server("one"), "--server", &server("two")].map(str::to_owned).into()
}

#[test]
fn a_list_longer_than_the_screen_goes_through_the_pager() {
    let arguments = many();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let paged = World::new().with("NO_COLOR", "1").with("MORTISE_PAGER", "sed s/^/paged:/");
    let shown = on_terminal(&paged, 100, &arguments);
    assert!(shown.contains("paged:one  22 tools") && shown.contains("paged:two  22 tools"), "{shown}");
    let shown = on_terminal(&paged, 100, &[&arguments[..], &["--no-pager"]].concat());
    assert!(shown.contains("two  22 tools") && !shown.contains("paged:"), "{shown}");
    let shown = on_terminal(&paged, 100, &[&["tools"][..], &mock("ok")].concat());
    assert!(!shown.contains("paged:"), "{shown}");
    assert!(!paged.run(&arguments).stdout.contains("paged:"));
}

#[test]
fn a_pager_that_is_missing_or_quits_does_no_harm() {
    let arguments = many();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let shown = on_terminal(&World::new().with("MORTISE_PAGER", "/nowhere/at-all"), 100, &arguments);
    assert!(shown.contains("22 tools"), "{shown}");
    let (_, exit) = OnTerminal::start(&World::new().with("PAGER", "true"), 100, &arguments).finish();
    assert_eq!(exit, Some(0));
}

#[test]
fn records_are_a_table_on_a_terminal_and_json_in_a_pipe() {
    let world = World::new().with("NO_COLOR", "1");
    let call = ["call", "--samples", "query_financials", "ticker=AMZN", "statement=income", "limit=2"];
    insta::assert_snapshot!(crate::program::without_times(&on_terminal(&world, 100, &call)));
    let piped = world.run(&call).expect_exit(0);
    assert!(piped.stdout.starts_with("[\n  {\n    \"ticker\": \"AMZN\",\n"), "{}", piped.stdout);
}

#[test]
fn a_violation_is_marked_at_its_place() {
    let world = World::new().with("NO_COLOR", "1");
    let call = [&["call", "echo", "text=x"][..], &mock("lie-mismatch")].concat();
    insta::assert_snapshot!(crate::program::without_times(&on_terminal(&world, 80, &call)));
}
