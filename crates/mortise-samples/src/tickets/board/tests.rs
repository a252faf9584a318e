//! What can happen to tickets.

use serde_json::json;

use super::{Board, BoardError, Priority, TicketDraft, TicketEdit, TicketStatus};

fn draft(value: serde_json::Value) -> TicketDraft {
    serde_json::from_value(value).unwrap()
}

fn edit(value: serde_json::Value) -> TicketEdit {
    serde_json::from_value(value).unwrap()
}

#[test]
fn two_boards_begin_alike() {
    let tickets = |board: Board| board.tickets().cloned().collect::<Vec<_>>();
    assert_eq!(tickets(Board::with_examples()), tickets(Board::with_examples()));
    assert_eq!(Board::with_examples().tickets().count(), 24);
}

#[test]
fn a_ticket_is_created_changed_and_deleted() {
    let mut board = Board::with_examples();
    let created =
        board.create(draft(json!({"title": "New", "priority": "urgent", "assignee": "ana"}))).unwrap();
    assert_eq!(
        (created.id.as_str(), created.priority, created.status),
        ("T-125", Priority::Urgent, TicketStatus::Open)
    );
    let change = || edit(json!({"id": "T-125", "status": "closed", "assignee": ""}));
    let updated = board.update(change()).unwrap();
    assert_eq!((updated.status, &updated.assignee), (TicketStatus::Closed, &None));
    assert_eq!(board.update(change()).unwrap(), updated);
    board.comment("T-125", "bo".to_owned(), "done".to_owned()).unwrap();
    let (ticket, comments) = board.ticket("T-125").unwrap();
    assert_eq!((ticket.comment_count, comments.len()), (1, 1));
    assert_eq!(board.delete("T-125").unwrap(), ticket);
    assert_eq!(board.delete("T-125"), Err(BoardError::NoTicket { id: "T-125".to_owned() }));
    assert_eq!(board.create(draft(json!({"title": "Next"}))).unwrap().id, "T-126");
}

#[test]
fn comments_end_at_the_limit() {
    let mut board = Board::with_examples();
    for _ in 0..1_000 {
        board.comment("T-101", "bo".to_owned(), "again".to_owned()).unwrap();
    }
    let past = board.comment("T-101", "bo".to_owned(), "again".to_owned());
    assert_eq!(past, Err(BoardError::Full { what: "comments", limit: 1_000 }));
}

#[test]
fn tickets_end_at_the_limit() {
    let mut board = Board::with_examples();
    for _ in 24..10_000 {
        board.create(draft(json!({"title": "x"}))).unwrap();
    }
    let past = board.create(draft(json!({"title": "x"})));
    assert_eq!(past, Err(BoardError::Full { what: "tickets", limit: 10_000 }));
}
