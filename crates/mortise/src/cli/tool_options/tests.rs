//! Which options belong to the tool.

use super::super::command;
use super::*;

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

#[track_caller]
fn check(line: &str, expected: &str) {
    let marked: Vec<String> =
        mark(&command(), &words(line)).iter().map(|word| word.to_str().unwrap().replace(MARK, "*")).collect();
    assert_eq!(marked.join(" "), expected);
}

#[test]
fn options_after_the_tool_that_are_not_ours_are_its_own() {
    check("mortise call get_weather --city Oslo", "mortise call get_weather *--city Oslo");
    check("mortise call get_weather --city=Oslo --json", "mortise call get_weather *--city=Oslo --json");
    check("mortise call add --a -5", "mortise call add *--a *-5");
    check(
        "mortise --config c.yaml call --json t --mode strict --x 1",
        "mortise --config c.yaml call --json t --mode strict *--x 1",
    );
    check("mortise call t --timeout 5 -v --x", "mortise call t --timeout 5 -v *--x");
}

#[test]
fn what_stands_before_the_tool_or_after_two_dashes_is_not() {
    check("mortise call --city Oslo get_weather", "mortise call --city Oslo get_weather");
    check("mortise call t -- npx --yes x", "mortise call t -- npx --yes x");
    check("mortise tools weather --city", "mortise tools weather --city");
    check("mortise", "mortise");
}

#[test]
fn our_own_options_after_the_tool_are_known() {
    let ours = |line| ours_after_tool(&command(), &words(line));
    assert_eq!(ours("mortise --json call t --timeout 5 --city x --mode=off"), ["timeout", "mode"]);
    assert!(ours("mortise tools --timeout 5").is_empty());
}
