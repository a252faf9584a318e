//! Rows for `search`.

use mortise_contract::RawJson;
use serde_json::json;

use super::words::{one_edit_apart, words};
use super::*;

fn tool(name: &str, description: &str) -> Contract {
    let raw =
        json!({"name": name, "description": description, "inputSchema": {"type": "object"}}).to_string();
    Contract::parse(RawJson::parse(&raw).unwrap()).unwrap()
}

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let tools = [
        (
            "financial-data",
            tool("query_financials", "Fetch income, balance and cash-flow statements for a ticker."),
        ),
        ("financial-data", tool("getPriceHistory", "Daily closing prices of one ticker.")),
        ("doc-retrieval", tool("search_docs", "Search internal documents by query string.")),
        ("tickets", tool("list_tickets", "List open tickets, newest first.")),
    ];
    let index = SearchIndex::new(tools.iter().map(|(server, contract)| (*server, contract)));
    let found: Vec<&str> = index.find(query, 10).into_iter().map(|at| tools[at].1.name.as_str()).collect();
    assert_eq!(found, expected, "for `{query}`");
}

#[test]
fn names_outweigh_descriptions() {
    check("price history", &["getPriceHistory"]);
    check("documents", &["search_docs"]);
    check("ticket", &["list_tickets"]);
}

#[test]
fn beginnings_and_mistakes_are_found() {
    check("finan", &["query_financials", "getPriceHistory"]);
    check("tikcets", &["list_tickets"]);
    check("histroy", &["getPriceHistory"]);
}

#[test]
fn no_word_asks_for_all() {
    let all = ["query_financials", "getPriceHistory", "search_docs", "list_tickets"];
    check("", &all);
    check(" * ", &all);
}

#[test]
fn filler_words_decide_nothing() {
    check("which of the documents", &["search_docs"]);
    check("of a", &["getPriceHistory", "query_financials"]);
}

#[test]
fn nothing_is_found_for_nothing() {
    check("zzzz", &[]);
    assert_eq!(SearchIndex::new([]).find("a", 5), Vec::<usize>::new());
    assert_eq!(SearchIndex::new([]).find("", 5), Vec::<usize>::new());
}

#[test]
fn text_falls_apart_into_words() {
    assert_eq!(
        words("getHTTPStatus for snake_case, companies & prices"),
        ["get", "httpstatus", "for", "snake", "case", "company", "price"]
    );
}

#[test]
fn one_mistake_is_one_edit() {
    for (a, b, wanted) in [
        ("price", "price", true),
        ("price", "prices", true),
        ("price", "pirce", true),
        ("price", "prize", true),
        ("price", "rice", true),
        ("price", "rices", false),
        ("price", "pr", false),
    ] {
        assert_eq!(one_edit_apart(a, b), wanted, "{a} {b}");
    }
}
