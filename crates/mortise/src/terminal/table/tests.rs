//! Tables at several widths.

use super::{Fit, TableColumn, TerminalTable, wrap};
use crate::terminal::{Mark, Terminal, Tint};

const COLUMNS: [TableColumn; 3] = [
    TableColumn { title: "Tool", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Returns", tint: None, fit: Fit::Wraps },
    TableColumn { title: "Description", tint: None, fit: Fit::Wraps },
];

#[track_caller]
fn check(terminal: &Terminal, expected: &str) {
    let mut table = TerminalTable::new(&COLUMNS, 2);
    table.row([
        "query".to_owned(),
        "{ revenue: number, date: string }[]".to_owned(),
        "Statements of one company".to_owned(),
    ]);
    table.row(["ping".to_owned(), "-".to_owned(), String::new()]);
    assert_eq!(table.render(terminal), expected);
}

#[test]
fn without_a_width_every_row_is_one_line() {
    check(
        &Terminal::plain(None),
        "  Tool   Returns                              Description\n\
         \u{20} query  { revenue: number, date: string }[]  Statements of one company\n\
         \u{20} ping   -\n",
    );
}

#[test]
fn columns_that_wrap_share_the_width() {
    check(
        &Terminal::plain(Some(60)),
        "  Tool   Returns                           Description\n\
         \u{20} query  { revenue: number, date: string   Statements of one\n\
         \u{20}        }[]                               company\n\
         \u{20} ping   -\n",
    );
}

#[test]
fn a_narrow_terminal_gets_stacked_rows() {
    check(
        &Terminal::plain(Some(30)),
        "  query\n\
         \u{20}   { revenue: number, date:\n\
         \u{20}   string }[]\n\
         \u{20}   Statements of one company\n\
         \u{20} ping\n\
         \u{20}   -\n",
    );
}

#[test]
fn a_mark_stays_beside_its_row_when_rows_are_stacked() {
    let columns = [
        TableColumn { title: "", tint: None, fit: Fit::Fixed },
        TableColumn { title: "Server", tint: None, fit: Fit::Fixed },
        TableColumn { title: "State", tint: None, fit: Fit::Wraps },
    ];
    let table = || {
        let mut table = TerminalTable::new(&columns, 0);
        table.marked_row(Mark::Bad, ["weather-station".to_owned(), "it wants a login first".to_owned()]);
        table
    };
    assert_eq!(
        table().render(&Terminal::plain(Some(60))),
        "   Server           State\n✗  weather-station  it wants a login first\n"
    );
    assert_eq!(table().render(&Terminal::plain(Some(24))), "✗ weather-station\n  it wants a login first\n");
}

#[test]
fn columns_without_content_are_left_out() {
    let mut table = TerminalTable::new(&COLUMNS, 0);
    table.row(["a".to_owned(), String::new(), "b".to_owned()]);
    assert_eq!(table.render(&Terminal::plain(None)), "Tool  Description\na     b\n");
}

#[test]
fn wide_characters_count_twice_and_long_words_are_split() {
    assert_eq!(wrap("日本語 テスト", 6), ["日本語", "テスト"]);
    assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrap("  deep words here", 8), ["  deep", "  words", "  here"]);
    assert_eq!(wrap("", 8), [""]);
}

#[test]
fn json_is_broken_behind_commas() {
    assert_eq!(
        wrap(r#"got {"city":"Oslo","high":3,"low":-4}"#, 24),
        [r#"got {"city":"Oslo","#, r#""high":3,"low":-4}"#]
    );
}
