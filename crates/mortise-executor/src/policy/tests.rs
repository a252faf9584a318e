//! Rows for `policy`.

use mortise_contract::{NameMap, ServerName, ToolName};

use super::*;

fn callable(server: &str, tool: &str) -> CallableName {
    let (server, tool) = (ServerName::parse(server).unwrap(), ToolName::parse(tool).unwrap());
    NameMap::new([(&server, &tool)]).callable(&server, &tool).unwrap().clone()
}

#[test]
fn allow_names_what_is_offered() {
    let policy = AccessPolicy::only(&["mcp__fmp__*", "mcp__m__iv"]).unwrap();
    assert!(policy.permits(&callable("fmp", "anything")));
    assert!(policy.permits(&callable("m", "iv")));
    assert!(!policy.permits(&callable("m", "flow")));
    assert!(!policy.permits(&callable("FMP", "anything")));
}

#[test]
fn block_names_what_is_not() {
    let policy = AccessPolicy::all_but(&["mcp__*__delete_*"]).unwrap();
    assert!(!policy.permits(&callable("srv", "delete_all")));
    assert!(policy.permits(&callable("srv", "read")));
}

#[test]
fn a_bad_pattern_is_named() {
    let error = AccessPolicy::only(&["mcp__[a"]).unwrap_err();
    assert_eq!(error.pattern, "mcp__[a");
}
