//! Hanging indents, cuts and continued commands.

use super::{Mark, fit};
use crate::terminal::Terminal;

#[test]
fn later_lines_start_below_the_first_word() {
    let terminal = Terminal::plain(Some(30));
    assert_eq!(
        terminal.marked(2, Mark::Bad, "the server wants a login that we lack"),
        "  ✗ the server wants a login\n    that we lack\n"
    );
    let wide = Terminal::plain(None);
    assert_eq!(wide.marked(0, Mark::Note, "one line"), "· one line\n");
}

#[test]
fn a_lead_that_leaves_no_room_stands_alone() {
    let terminal = Terminal::plain(Some(30));
    let lead = [(None, "a_rather_long_name_here  ")];
    assert_eq!(
        terminal.hang(&lead, None, "some words about it"),
        "a_rather_long_name_here\n    some words about it\n"
    );
    assert_eq!(terminal.hang(&lead, None, "short"), "a_rather_long_name_here  short\n");
}

#[test]
fn a_long_command_can_still_be_pasted() {
    let words: Vec<String> = ["mortise", "call", "weather/get", "city=Oslo"].map(str::to_owned).into();
    assert_eq!(Terminal::plain(None).command(2, &words), "  mortise call weather/get city=Oslo\n");
    assert_eq!(
        Terminal::plain(Some(28)).command(2, &words),
        "  mortise call weather/get \\\n    city=Oslo\n"
    );
}

#[test]
fn what_is_cut_is_marked() {
    assert_eq!(fit("short", 5), "short");
    assert_eq!(fit("rather long", 8), "rather…");
    assert_eq!(fit("日本語", 5), "日本…");
}
