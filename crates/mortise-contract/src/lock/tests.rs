//! The lock file: the same bytes for the same declarations, and nothing read that does not fit.

use serde_json::json;

use super::*;
use crate::schema::{CompiledSchema, SchemaOptions, Validation};

fn recorded(value: &Value) -> LockFile {
    read_recorded(&value.to_string(), "it").unwrap()
}

fn tools() -> Value {
    json!({
        "initialize": {"jsonrpc": "2.0", "id": 1, "result": {
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"},
        }},
        "tools": [
            {"name": "b", "inputSchema": {"type": "object", "properties": {"y": {}, "x": {}}}},
            {"name": "a", "x-more": [{"k": 1, "a": 2}]},
        ],
        "prompts": [],
    })
}

#[test]
fn the_file_is_sorted_and_reads_back() {
    let lock = recorded(&tools());
    insta::assert_snapshot!(lock.to_text());
    assert_eq!(LockFile::parse(&lock.to_text()).unwrap(), lock);
    let schema = CompiledSchema::compile(&LockFile::json_schema(), &SchemaOptions::default()).unwrap();
    assert_eq!(schema.validate(&serde_json::from_str(&lock.to_text()).unwrap()), Validation::Valid);
}

#[test]
fn order_of_keys_and_lists_makes_no_difference() {
    let mut other = tools();
    other["tools"].as_array_mut().unwrap().reverse();
    other["tools"][1]["inputSchema"] = json!({"properties": {"x": {}, "y": {}}, "type": "object"});
    assert_eq!(recorded(&tools()).to_text(), recorded(&other).to_text());
}

#[test]
fn a_new_version_alone_changes_no_hash() {
    let mut other = tools();
    other["initialize"]["result"]["serverInfo"]["version"] = json!("2");
    let hash = |value: &Value| recorded(value).servers["it"].hash();
    assert_eq!(hash(&tools()), hash(&other));
    other["tools"][0]["annotations"] = json!({});
    assert_ne!(hash(&tools()), hash(&other));
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let error = LockFile::parse(text).unwrap_err();
    let source = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
    assert_eq!(format!("{error}{source}"), expected);
}

#[test]
fn what_does_not_fit_is_refused() {
    check_refused("{", "the lock file can't be read: EOF while parsing an object at line 1 column 1");
    check_refused("{}", "this is not a lock file: `format` is not `mortise-lock`");
    check_refused(
        r#"{"format": "mortise-lock", "version": 2}"#,
        "the lock file has version 2, and only version 1 is known",
    );
    check_refused(
        r#"{"format": "mortise-lock", "version": 1, "servers": {}, "more": 1}"#,
        "the lock file can't be read: unknown field `more`, expected one of `format`, `version`, `servers` at line 1 column 62",
    );
    let edited = recorded(&tools()).to_text().replace("\"x-more\"", "\"x-less\"");
    check_refused(&edited, "the entry of server `it` does not have the hash that is written there");
}

#[test]
fn lists_are_read_in_every_form() {
    let tool = json!({"name": "a"});
    for form in [
        json!([tool]),
        json!({"tools": [tool]}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}),
        json!({"tools": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}}),
        json!({"servers": [{"name": "it"}], "tools": [{"name": "a", "server": "it", "callable": "it__a"}]}),
    ] {
        let lock = recorded(&form);
        assert_eq!(lock.servers["it"].tools, [tool.as_object().unwrap().clone()], "{form}");
    }
    let error = |text: &str| read_recorded(text, "it").unwrap_err().to_string();
    assert_eq!(error("[1]"), "element 0 of the list is not a tool: it has no name");
    assert_eq!(error("{}"), "there is no list of tools in it");
    assert_eq!(error("nothing"), "this is not JSON");
}

#[test]
fn a_bad_entry_leaves_the_others() {
    let mut file: Value = serde_json::from_str(&recorded(&tools()).to_text()).unwrap();
    let good = file["servers"]["it"].clone();
    file["servers"]["edited"] = good;
    file["servers"]["edited"]["tools"][0]["description"] = json!("other");
    file["servers"]["odd"] = json!({"hash": "x"});
    let entries = LockFile::parse_each(&file.to_string()).unwrap();
    assert!(entries["it"].is_ok());
    assert!(matches!(&entries["edited"], Err(LockError::Hash { server }) if server == "edited"));
    assert!(matches!(&entries["odd"], Err(LockError::Entry { server, .. }) if server == "odd"));
    assert!(LockFile::parse(&file.to_string()).is_err());
}

#[test]
fn recorded_tools_are_verbatim_in_every_form() {
    let tool = r#"{"name": "a", "inputSchema": {"maximum": 123456789012345678901}}"#;
    let forms = [
        format!("[{tool}]"),
        format!(r#"{{"tools": [{tool}]}}"#),
        format!(r#"{{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{tool}]}}}}"#),
        format!(r#"{{"tools": {{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{tool}]}}}}}}"#),
    ];
    for form in forms {
        let servers = recorded_tools(&form, "it").unwrap();
        let [(server, tools)] = servers.as_slice() else { panic!("{form}") };
        assert_eq!((server.as_str(), tools[0].text()), ("it", tool), "{form}");
    }
    let listed = r#"{"servers": [], "tools": [{"name": "a", "server": "x"}, {"name": "b", "server": "y"}, {"name": "c", "server": "x"}]}"#;
    let servers = recorded_tools(listed, "it").unwrap();
    assert_eq!(
        servers.iter().map(|(name, tools)| (name.as_str(), tools.len())).collect::<Vec<_>>(),
        [("x", 2), ("y", 1)]
    );
    let lock = recorded(&tools()).to_text();
    assert_eq!(recorded_tools(&lock, "other").unwrap()[0].0, "it");
}

#[test]
fn what_holds_no_tools_is_refused_and_a_bad_element_is_not() {
    let error = |text: &str| recorded_tools(text, "it").unwrap_err().to_string();
    assert_eq!(error("nothing"), "this is not JSON");
    assert_eq!(error(r#"{"a": 1}"#), "there is no list of tools in it");
    assert_eq!(error("7"), "there is no list of tools in it");
    let edited = recorded(&tools()).to_text().replace("\"x-more\"", "\"x-less\"");
    assert!(error(&edited).contains("does not have the hash"));
    assert_eq!(recorded_tools(r#"[{"name": "a"}, 7]"#, "it").unwrap()[0].1.len(), 2);
}
