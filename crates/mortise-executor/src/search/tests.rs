//! Rows for `search`.

use mortise_contract::RawJson;
use serde_json::json;

use super::words::{one_edit_apart, words};
use super::*;

/// Requests of the list whose tool must be among the first three.
const FLOOR: usize = 107;

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
        ["get", "httpstatus", "for", "snak", "cas", "company", "pric"]
    );
}

#[test]
fn forms_of_a_word_have_one_stem() {
    for (forms, stem) in [
        ("create creates created creating creation creations", "creat"),
        ("commit commits committed committing", "commit"),
        ("list lists listed listing listings", "list"),
        ("add adds added adding", "add"),
        ("company companies", "company"),
        ("observation observations", "observat"),
        ("schedule scheduled scheduling", "schedul"),
        ("call calls called calling", "call"),
        ("process processes processed", "process"),
        ("größe", "größe"),
    ] {
        for form in forms.split(' ') {
            assert_eq!(words(form), [stem], "{form}");
        }
    }
    // Short words that only look like a form of another.
    assert_eq!(words("king red station news status"), ["king", "red", "station", "new", "status"]);
}

#[test]
fn synonyms_are_found_after_the_words_themselves() {
    let tools = [
        ("s", tool("forget_note", "Removes a note.")),
        ("s", tool("delete_note", "Deletes a note.")),
        ("s", tool("print_note", "Prints a note on paper.")),
    ];
    let index = SearchIndex::new(tools.iter().map(|(server, contract)| (*server, contract)));
    assert_eq!(index.find("delete", 10), [1, 0]);
    assert_eq!(index.find("forget", 10), [0, 1]);
}

/// Requests as agents word them, over tools in the shape of public servers.
#[test]
fn the_wanted_tool_is_among_the_first_three() {
    let cases: Value = serde_json::from_str(include_str!("../../tests/cases/search.json")).unwrap();
    let servers = cases["servers"].as_object().unwrap().iter();
    let tools: Vec<(&str, Contract)> = servers
        .flat_map(|(server, tools)| tools.as_array().unwrap().iter().map(move |tool| (server.as_str(), tool)))
        .map(|(server, tool)| (server, Contract::parse(RawJson::from_value(tool).unwrap()).unwrap()))
        .collect();
    let index = SearchIndex::new(tools.iter().map(|(server, contract)| (*server, contract)));
    let names = |query: &str| -> Vec<&str> {
        index.find(query, 3).into_iter().map(|at| tools[at].1.name.as_str()).collect()
    };
    let requests = cases["requests"].as_array().unwrap();
    let mut missed = String::new();
    let mut hits = 0;
    for request in requests {
        let found = names(request["query"].as_str().unwrap());
        match request["wanted"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .any(|wanted| found.contains(&wanted))
        {
            true => hits += 1,
            false => missed.push_str(&format!("{}: {found:?}\n", request["query"])),
        }
    }
    assert!(hits >= FLOOR, "{hits} of {}, missed:\n{missed}", requests.len());
    for (server, query, wanted) in
        [("git", "list commits", "git_log"), ("memory", "remember a fact", "add_observations")]
    {
        assert!(names(query).contains(&wanted), "{query}: {:?}", names(query));
        // The same where its server is the only one.
        let alone: Vec<_> = tools.iter().filter(|(other, _)| *other == server).collect();
        let index = SearchIndex::new(alone.iter().map(|(server, contract)| (*server, contract)));
        let found: Vec<&str> = index.find(query, 3).into_iter().map(|at| alone[at].1.name.as_str()).collect();
        assert!(found.contains(&wanted), "{query}: {found:?}");
    }
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
