//! Positions, and files that are one long line.

use proptest::prelude::*;

use super::*;

/// What a position is, counted the slow way.
fn counted(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() as u64 + 1;
    Position { line, column }
}

proptest! {
    #[test]
    fn positions_are_those_counted_by_hand(text in "[aé🦀\n]{0,20}", repeat in 1usize..200) {
        let text = text.repeat(repeat);
        let lines = Lines::new(&text);
        for (offset, _) in text.char_indices().step_by(37).chain([(text.len(), ' ')]) {
            prop_assert_eq!(lines.position(offset), counted(&text, offset));
        }
    }
}

#[test]
fn a_long_line_costs_no_more_than_its_length() {
    // Work that grows with the square of these bytes would take minutes.
    let servers: String = (0..20_000).map(|index| format!("\"s{index}\":{{\"command\":\"x\"}},")).collect();
    let text = format!("{{\"history\":[{}],\"mcpServers\":{{{servers}}}}}", "{\"a\": 1},".repeat(50_000));
    let root = read_json(&text).unwrap();
    let last = root.get("mcpServers").unwrap().get("s19999").unwrap();
    assert_eq!(last.position, counted(&text, text.len() - "{\"command\":\"x\"},}}".len()));
}
