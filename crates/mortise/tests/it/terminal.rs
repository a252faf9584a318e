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
        for command in [&["tools"][..], &["inspect", "echo"], &["doctor", "--limits"]] {
            let shown = on_terminal(&world, columns, &[command, &mock("ok")].concat());
            for line in shown.lines() {
                let width = unicode_width::UnicodeWidthStr::width(line);
                assert!(width <= usize::from(columns), "{columns}: {line}");
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
        let shown = on_terminal(&world, 100, &arguments);
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
