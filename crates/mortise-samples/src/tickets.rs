//! `tickets`: an issue tracker in memory, read in pages and changed by some of its tools.

mod board;

use std::sync::Arc;

use mortise_server::{RegistrationError, Tool, ToolError, Tools};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::page::Pages;
use crate::registry::invented;
use board::{Board, Comment, Priority, Ticket, TicketDraft, TicketEdit, TicketStatus};

type SharedBoard = Arc<Mutex<Board>>;

/// Each set of tools has a board of its own.
pub(crate) fn tools() -> Result<Tools, RegistrationError> {
    let board = Arc::new(Mutex::new(Board::with_examples()));
    Tools::new([
        list_tickets(&board),
        get_ticket(&board),
        create_ticket(&board),
        update_ticket(&board),
        add_comment(&board),
        delete_ticket(&board),
    ])
}

/// Which tickets.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TicketQuery {
    status: Option<TicketStatus>,
    priority: Option<Priority>,
    /// Only tickets of this person.
    assignee: Option<String>,
    /// Only tickets with this label.
    label: Option<String>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Tickets to a page, at most 100; 10 if absent.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

/// One page of tickets.
#[derive(Serialize, JsonSchema)]
struct TicketPage {
    tickets: Vec<Ticket>,
    /// Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    next_cursor: Option<String>,
}

fn list_tickets(board: &SharedBoard) -> Tool {
    let board = board.clone();
    Tool::new("list_tickets", move |query: TicketQuery| {
            let wanted = |ticket: &&Ticket| {
                query.status.is_none_or(|status| ticket.status == status)
                    && query.priority.is_none_or(|priority| ticket.priority == priority)
                    && query.assignee.as_ref().is_none_or(|person| ticket.assignee.as_ref() == Some(person))
                    && query.label.as_ref().is_none_or(|label| ticket.labels.contains(label))
            };
            let pages = Pages { cursor: query.cursor.as_deref(), limit: query.limit };
            let page = pages.of(board.lock().tickets().filter(wanted).cloned());
            async move { page.map(|(tickets, next_cursor)| TicketPage { tickets, next_cursor }) }
        })
        .title("List tickets")
        .description(invented(
            "Tickets in the order of their numbers, in pages: pass `next_cursor` as `cursor` until there is none. \
             Filter by status, priority, assignee or label.",
        ))
        .read_only()
        .closed_world()
}

/// Which ticket.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TicketId {
    /// E.g. T-101.
    id: String,
}

/// A ticket and what was said about it.
#[derive(Serialize, JsonSchema)]
struct TicketWithComments {
    ticket: Ticket,
    comments: Vec<Comment>,
}

fn get_ticket(board: &SharedBoard) -> Tool {
    let board = board.clone();
    Tool::new("get_ticket", move |input: TicketId| {
        let found = board.lock().ticket(&input.id);
        async move {
            let (ticket, comments) = found?;
            Ok::<_, ToolError>(TicketWithComments { ticket, comments })
        }
    })
    .title("Get a ticket")
    .description(invented("One ticket with its comments."))
    .read_only()
    .closed_world()
}

fn create_ticket(board: &SharedBoard) -> Tool {
    let board = board.clone();
    Tool::new("create_ticket", move |draft: TicketDraft| {
        let created = board.lock().create(draft);
        async move { Ok::<_, ToolError>(created?) }
    })
    .title("Create a ticket")
    .description(invented("Adds a ticket and returns it with its number."))
    .additive()
    .closed_world()
}

fn update_ticket(board: &SharedBoard) -> Tool {
    let board = board.clone();
    Tool::new("update_ticket", move |edit: TicketEdit| {
        let updated = board.lock().update(edit);
        async move { Ok::<_, ToolError>(updated?) }
    })
    .title("Update a ticket")
    .description(invented("Overwrites the given fields of a ticket and returns it."))
    .annotation("destructiveHint", true.into())
    .idempotent()
    .closed_world()
}

/// Something to say about a ticket.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewComment {
    /// E.g. T-101.
    id: String,
    #[schemars(length(min = 1, max = 200))]
    author: String,
    #[schemars(length(min = 1, max = 10_000))]
    text: String,
}

fn add_comment(board: &SharedBoard) -> Tool {
    let board = board.clone();
    Tool::new("add_comment", move |input: NewComment| {
        let added = board.lock().comment(&input.id, input.author, input.text);
        async move { Ok::<_, ToolError>(added?) }
    })
    .title("Add a comment")
    .description(invented("Adds a comment to a ticket and returns it."))
    .additive()
    .closed_world()
}

/// What was deleted.
#[derive(Serialize, JsonSchema)]
struct Deleted {
    deleted: Ticket,
}

fn delete_ticket(board: &SharedBoard) -> Tool {
    let board = board.clone();
    Tool::new("delete_ticket", move |input: TicketId| {
        let deleted = board.lock().delete(&input.id);
        async move { Ok::<_, ToolError>(Deleted { deleted: deleted? }) }
    })
    .title("Delete a ticket")
    .description(invented("Deletes a ticket and its comments for good; returns the ticket as it was."))
    .annotation("destructiveHint", true.into())
    .closed_world()
}
