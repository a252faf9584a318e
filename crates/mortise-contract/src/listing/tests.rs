//! Rows on lists.

use super::{CacheScope, ListKind, parse_list, parse_tool_list};
use crate::RawJson;

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

#[test]
fn a_bad_tool_hides_no_other() {
    let page = parse_tool_list(&raw(
        r#"{"tools": [{"name": "a", "inputSchema": {"type": "object"}}, {"name": "b"}, 5, {"inputSchema": {}},
            {"name": "c", "outputSchema": true}, {"name": "d", "inputSchema": null}, {"\ud800": 1}]}"#,
    ))
    .unwrap();
    let names: Vec<&str> = page.items.iter().map(|contract| contract.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    let rejected: Vec<(&str, &str)> =
        page.rejected.iter().map(|rejected| (rejected.pointer.as_str(), rejected.raw.text())).collect();
    assert_eq!(
        rejected,
        [("/tools/2", "5"), ("/tools/3", r#"{"inputSchema": {}}"#), ("/tools/6", r#"{"\ud800": 1}"#)]
    );
    assert_eq!(page.rejected[0].reason, "the tool is not a JSON object but a number: 5");
    assert!(page.faults.is_empty());
}

#[test]
fn what_the_page_says_of_itself_is_read_tolerantly() {
    let page = parse_tool_list(&raw(
        r#"{"tools": [], "nextCursor": "", "ttlMs": 6e4, "cacheScope": "private", "messages": []}"#,
    ))
    .unwrap();
    assert_eq!(page.next_cursor.as_deref(), Some(""));
    assert_eq!(page.ttl_ms, Some(60_000));
    assert_eq!(page.cache_scope, Some(CacheScope::Private));
    let odd = parse_tool_list(&raw(r#"{"tools": {}, "nextCursor": 5, "ttlMs": -1, "cacheScope": "mine"}"#))
        .unwrap();
    assert_eq!(
        odd.faults,
        ["/tools is an object, not an array", "/nextCursor is 5", "/ttlMs is -1", "/cacheScope is \"mine\""]
    );
    let end = parse_tool_list(&raw(r#"{"nextCursor": null}"#)).unwrap();
    assert_eq!((end.next_cursor, end.faults), (None, vec!["/tools is missing".to_owned()]));
    assert!(parse_tool_list(&raw("[]")).is_err());
}

#[test]
fn resources_templates_and_prompts_are_named_by_their_own_field() {
    for (kind, key, list) in [
        (ListKind::Resources, "uri", "resources"),
        (ListKind::ResourceTemplates, "uriTemplate", "resourceTemplates"),
        (ListKind::Prompts, "name", "prompts"),
    ] {
        let text = format!(
            r#"{{"{list}": [{{"{key}": "k", "title": "T", "size": "big", "x-a": 1.10}}, {{"{key}": ""}}, {{"{key}": 1}}, {{}}, 1]}}"#
        );
        let page = parse_list(&raw(&text), kind).unwrap();
        let item = &page.items[0];
        assert_eq!((item.key.as_str(), item.text("title"), item.text("size")), ("k", Some("T"), Some("big")));
        assert_eq!(item.issues[0].pointer, "/size");
        assert_eq!(item.raw.member("x-a").unwrap().text(), "1.10");
        let reasons: Vec<&str> = page.rejected.iter().map(|rejected| rejected.reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                format!("`{key}` is empty"),
                format!("`{key}` is a number, not a string"),
                format!("`{key}` is missing"),
                "the element is a number, not an object".to_owned(),
            ]
        );
    }
}
