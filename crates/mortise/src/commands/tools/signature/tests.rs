//! Signatures at many widths.

use mortise_contract::observed::ObservedShape;
use mortise_contract::{Contract, RawJson};

use super::Signature;
use crate::terminal::Terminal;

const SEARCH: &str = r#"{
    "name": "search",
    "inputSchema": {"type": "object", "required": ["query"], "properties": {
        "limit": {"type": "integer"},
        "query": {"type": "string"},
        "order": {"enum": ["newest", "oldest"]}
    }},
    "outputSchema": {"type": "object", "required": ["hits"], "properties": {
        "hits": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}}
    }}
}"#;

fn line(tool: &str, width: usize) -> String {
    let contract = Contract::parse(RawJson::parse(tool).unwrap()).unwrap();
    let line = Signature::of(&contract, None).fitting(width);
    assert!(line.width() <= width, "{line:?}");
    line.painted(&Terminal::plain(None))
}

#[test]
fn a_narrower_line_shows_less_and_always_fits() {
    insta::assert_snapshot!(
        [160, 100, 80, 60, 50, 40, 30, 20, 10, 4].map(|width| line(SEARCH, width)).join("\n")
    );
}

#[test]
fn what_is_not_declared_is_said() {
    let bare = r#"{"name": "ping", "inputSchema": {"type": "object"}}"#;
    assert_eq!(line(bare, 80), "ping() → undeclared");
    let odd =
        r#"{"name": "ping", "inputSchema": {"type": "object"}, "outputSchema": {"a": 1, "a": 1e999999}}"#;
    assert!(!line(odd, 80).contains("undeclared"));
}

#[test]
fn what_was_observed_is_marked() {
    let ping = RawJson::parse(r#"{"name": "ping", "inputSchema": {"type": "object"}}"#).unwrap();
    let contract = Contract::parse(ping).unwrap();
    let shape = ObservedShape::of(&RawJson::parse(r#"{"ok": true}"#).unwrap(), 0);
    let line = Signature::of(&contract, Some(&shape)).fitting(80).painted(&Terminal::plain(None));
    assert_eq!(line, "ping() → observed { ok: boolean }");
}
