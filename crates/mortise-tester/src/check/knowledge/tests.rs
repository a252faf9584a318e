use mortise_contract::{RawJson, ToolResult};
use serde_json::{Value, json};

use super::{Knowledge, words};

fn structured(value: &Value) -> ToolResult {
    let raw = json!({"content": [], "structuredContent": value});
    ToolResult::parse(RawJson::from_value(&raw).unwrap()).unwrap()
}

fn text(text: &str) -> ToolResult {
    let raw = json!({"content": [{"type": "text", "text": text}]});
    ToolResult::parse(RawJson::from_value(&raw).unwrap()).unwrap()
}

/// The first value that is found for a property of a tool.
fn first(knowledge: &Knowledge, tool: &str, property: &str) -> Value {
    knowledge.values(tool, property, "").first().map(|(_, value)| value.clone()).unwrap_or_default()
}

#[test]
fn ids_lead_from_one_tool_to_another() {
    let mut knowledge = Knowledge::default();
    let users = json!({"users": [{"id": "U-1", "name": "Ada"}]});
    let tickets = json!({"tickets": [{"id": "T-1", "assignee": "ada"}], "next_cursor": "c2"});
    knowledge.learn("list_users", &json!({}), &structured(&users));
    knowledge.learn("list_tickets", &json!({}), &structured(&tickets));
    assert_eq!(first(&knowledge, "get_ticket", "ticket_id"), "T-1");
    assert_eq!(first(&knowledge, "get_ticket", "ticketId"), "T-1");
    assert_eq!(first(&knowledge, "get_ticket", "id"), "T-1");
    assert_eq!(first(&knowledge, "get_user", "id"), "U-1");
    assert_eq!(first(&knowledge, "find", "assignee"), "ada");
    assert_eq!(first(&knowledge, "find", "user"), "U-1");
    assert_eq!(first(&knowledge, "find", "colour"), Value::Null);
}

#[test]
fn lists_of_names_and_texts_are_read_too() {
    let mut knowledge = Knowledge::default();
    knowledge.learn("list_tickers", &json!({}), &structured(&json!({"tickers": ["AMZN"]})));
    knowledge.learn("list_tables", &json!({}), &text("[{'name': 'products'}]"));
    knowledge.learn("list_cities", &json!({}), &text("[{\"name\": \"Oslo\"}]"));
    assert_eq!(first(&knowledge, "get_price", "ticker"), "AMZN");
    assert_eq!(first(&knowledge, "describe_table", "table_name"), "products");
    assert_eq!(first(&knowledge, "weather", "city"), "Oslo");
}

#[test]
fn names_in_a_listing_lie_below_the_path_that_was_listed() {
    let mut knowledge = Knowledge::default();
    let listed = structured(&json!({"content": "[FILE] note.txt\n[DIR] sub"}));
    knowledge.learn("list_directory", &json!({"path": "/srv/files"}), &listed);
    let paths = knowledge.values("read_file", "path", "");
    assert!(paths.contains(&(2, json!("/srv/files/note.txt"))), "{paths:?}");
    // What the listing was asked with is a path too.
    assert_eq!(first(&knowledge, "list_sizes", "path"), "/srv/files");
}

#[test]
fn no_more_is_kept_than_there_is_room_for() {
    let mut knowledge = Knowledge::default();
    for number in 0..2_000 {
        knowledge.learn("list", &json!({}), &structured(&json!({"id": number})));
    }
    assert_eq!(knowledge.len(), super::FACTS);
}

#[test]
fn words_are_split_and_singular() {
    assert_eq!(words("ticketIds"), ["ticket", "id"]);
    assert_eq!(words("list-cities"), ["list", "city"]);
    assert_eq!(words("status_boxes"), ["status", "box"]);
}
