//! The issue tracker.

use serde_json::json;

use super::{peer, refused, value, walk};

#[tokio::test]
async fn tickets_are_listed_in_pages_and_by_filter() {
    let mut peer = peer("tickets");
    let all = walk(&mut peer, "list_tickets", json!({}), "tickets").await;
    assert_eq!((all.len(), &all[0]["id"], &all[23]["id"]), (24, &json!("T-101"), &json!("T-124")));
    let mut by_status = 0;
    for status in ["open", "in_progress", "closed"] {
        let some = walk(&mut peer, "list_tickets", json!({"status": status, "limit": 3}), "tickets").await;
        assert!(!some.is_empty() && some.iter().all(|ticket| ticket["status"] == status), "{status}");
        by_status += some.len();
    }
    assert_eq!(by_status, 24);
}

#[tokio::test]
async fn changes_are_seen_by_later_calls_of_the_same_server_only() {
    let mut first = peer("tickets");
    let created = value(&mut first, "create_ticket", json!({"title": "Broken", "labels": ["bug"]})).await;
    assert_eq!((&created["id"], &created["priority"]), (&json!("T-125"), &json!("normal")));
    value(&mut first, "update_ticket", json!({"id": "T-125", "status": "in_progress", "assignee": "dora"}))
        .await;
    value(&mut first, "add_comment", json!({"id": "T-125", "author": "dora", "text": "on it"})).await;
    let ticket = value(&mut first, "get_ticket", json!({"id": "T-125"})).await;
    assert_eq!(
        (&ticket["ticket"]["assignee"], &ticket["comments"][0]["text"]),
        (&json!("dora"), &json!("on it"))
    );
    let missing = refused(&mut peer("tickets"), "get_ticket", json!({"id": "T-125"})).await;
    assert_eq!(missing, "there is no ticket `T-125`; list_tickets shows those there are");
    value(&mut first, "delete_ticket", json!({"id": "T-125"})).await;
    refused(&mut first, "get_ticket", json!({"id": "T-125"})).await;
}
