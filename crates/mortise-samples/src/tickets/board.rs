//! The tickets and what can happen to them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::calendar::hour_of_2026;
use crate::random::SeededNumbers;

/// Tickets that there can be.
const TICKETS: usize = 10_000;
/// Comments that a ticket can have.
const COMMENTS: usize = 1_000;
/// The number of the first ticket.
const FIRST: u32 = 101;

/// A ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Ticket {
    /// E.g. T-101.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) status: TicketStatus,
    pub(super) priority: Priority,
    /// Null when it is not assigned.
    pub(super) assignee: Option<String>,
    pub(super) labels: Vec<String>,
    #[schemars(extend("format" = "date-time"))]
    pub(super) created_at: String,
    #[schemars(extend("format" = "date-time"))]
    pub(super) updated_at: String,
    pub(super) comment_count: usize,
}

/// What someone said about a ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Comment {
    author: String,
    text: String,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
}

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Status")]
#[serde(rename_all = "snake_case")]
pub(super) enum TicketStatus {
    Open,
    InProgress,
    Closed,
}

/// How soon it should be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Priority {
    Low,
    #[default]
    Normal,
    High,
    Urgent,
}

/// A ticket to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TicketDraft {
    #[schemars(length(min = 1, max = 200))]
    title: String,
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    body: String,
    #[serde(default)]
    priority: Priority,
    #[schemars(length(max = 200))]
    assignee: Option<String>,
    #[serde(default)]
    #[schemars(length(max = 20), inner(length(max = 50)))]
    labels: Vec<String>,
}

/// A change to a ticket; what is absent stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TicketEdit {
    /// E.g. T-101.
    id: String,
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    #[schemars(length(max = 10_000))]
    body: Option<String>,
    status: Option<TicketStatus>,
    priority: Option<Priority>,
    /// An empty string removes the assignee.
    #[schemars(length(max = 200))]
    assignee: Option<String>,
    #[schemars(length(max = 20), inner(length(max = 50)))]
    labels: Option<Vec<String>>,
}

/// Why something can't be done on the board.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BoardError {
    #[error("there is no ticket `{id}`; list_tickets shows those there are")]
    NoTicket { id: String },
    #[error("there are {limit} {what} already, which is the most")]
    Full { what: &'static str, limit: usize },
}

/// All tickets, by number. Time passes by an hour with each change.
#[derive(Debug)]
pub(super) struct Board {
    tickets: BTreeMap<u32, (Ticket, Vec<Comment>)>,
    next: u32,
    hour: i64,
}

impl Board {
    /// A board with two dozen tickets on it.
    pub(super) fn with_examples() -> Self {
        let mut board = Self { tickets: BTreeMap::new(), next: FIRST, hour: 0 };
        let mut random = SeededNumbers::new(4);
        for title in TITLES {
            board.example(title, &mut random);
        }
        board
    }

    /// The tickets in the order of their numbers.
    pub(super) fn tickets(&self) -> impl Iterator<Item = &Ticket> {
        self.tickets.values().map(|(ticket, _)| ticket)
    }

    pub(super) fn ticket(&self, id: &str) -> Result<(Ticket, Vec<Comment>), BoardError> {
        number(id).and_then(|number| self.tickets.get(&number)).cloned().ok_or_else(|| missing(id))
    }

    pub(super) fn create(&mut self, draft: TicketDraft) -> Result<Ticket, BoardError> {
        if self.tickets.len() >= TICKETS {
            return Err(BoardError::Full { what: "tickets", limit: TICKETS });
        }
        let now = self.now();
        let ticket = Ticket {
            id: format!("T-{}", self.next),
            title: draft.title,
            body: draft.body,
            status: TicketStatus::Open,
            priority: draft.priority,
            assignee: draft.assignee.filter(|person| !person.is_empty()),
            labels: draft.labels,
            created_at: now.clone(),
            updated_at: now,
            comment_count: 0,
        };
        self.tickets.insert(self.next, (ticket.clone(), Vec::new()));
        self.next = self.next.saturating_add(1);
        Ok(ticket)
    }

    pub(super) fn update(&mut self, edit: TicketEdit) -> Result<Ticket, BoardError> {
        let now = self.now();
        let (ticket, _) = self.find(&edit.id)?;
        let before = ticket.clone();
        if let Some(title) = edit.title {
            ticket.title = title;
        }
        if let Some(body) = edit.body {
            ticket.body = body;
        }
        if let Some(assignee) = edit.assignee {
            ticket.assignee = Some(assignee).filter(|person| !person.is_empty());
        }
        if let Some(labels) = edit.labels {
            ticket.labels = labels;
        }
        ticket.status = edit.status.unwrap_or(ticket.status);
        ticket.priority = edit.priority.unwrap_or(ticket.priority);
        // The same update twice changes nothing the second time, not even the time.
        if *ticket != before {
            ticket.updated_at = now;
        }
        Ok(ticket.clone())
    }

    pub(super) fn comment(&mut self, id: &str, author: String, text: String) -> Result<Comment, BoardError> {
        let now = self.now();
        let (ticket, comments) = self.find(id)?;
        if comments.len() >= COMMENTS {
            return Err(BoardError::Full { what: "comments", limit: COMMENTS });
        }
        let comment = Comment { author, text, created_at: now.clone() };
        comments.push(comment.clone());
        ticket.comment_count = comments.len();
        ticket.updated_at = now;
        Ok(comment)
    }

    pub(super) fn delete(&mut self, id: &str) -> Result<Ticket, BoardError> {
        let found = number(id).and_then(|number| self.tickets.remove(&number));
        found.map(|(ticket, _)| ticket).ok_or_else(|| missing(id))
    }

    fn find(&mut self, id: &str) -> Result<&mut (Ticket, Vec<Comment>), BoardError> {
        number(id).and_then(|number| self.tickets.get_mut(&number)).ok_or_else(|| missing(id))
    }

    fn now(&mut self) -> String {
        self.hour += 1;
        hour_of_2026(self.hour)
    }

    fn example(&mut self, title: &str, random: &mut SeededNumbers) {
        let now = self.now();
        let pick = |random: &mut SeededNumbers, from: &[&str]| {
            let at = usize::try_from(random.below(from.len() as u64)).unwrap_or(0);
            from[at].to_owned()
        };
        let status = [TicketStatus::Open, TicketStatus::Open, TicketStatus::InProgress, TicketStatus::Closed]
            [random.below(4) as usize];
        let priority =
            [Priority::Low, Priority::Normal, Priority::Normal, Priority::High][random.below(4) as usize];
        let assignee = pick(random, &["", "ana", "bo", "chen", "dora"]);
        let ticket = Ticket {
            id: format!("T-{}", self.next),
            title: title.to_owned(),
            body: format!("{title}. Reported by a customer."),
            status,
            priority,
            assignee: Some(assignee).filter(|person| !person.is_empty()),
            labels: vec![pick(random, &["bug", "docs", "feature", "question"])],
            created_at: now.clone(),
            updated_at: now,
            comment_count: 0,
        };
        self.tickets.insert(self.next, (ticket, Vec::new()));
        self.next += 1;
    }
}

fn number(id: &str) -> Option<u32> {
    id.strip_prefix("T-")?.parse().ok()
}

fn missing(id: &str) -> BoardError {
    BoardError::NoTicket { id: id.to_owned() }
}

const TITLES: [&str; 24] = [
    "Login page is blank on small screens",
    "Export to CSV drops the last row",
    "Search ignores umlauts",
    "Password reset mail arrives twice",
    "Dark mode for the dashboard",
    "Typo in the installation guide",
    "Upload fails above 2 GB",
    "How do I invite a guest?",
    "Invoice shows the wrong currency",
    "Keyboard shortcut for save",
    "Notifications arrive an hour late",
    "Timezone of reports can't be changed",
    "API returns 500 on an empty filter",
    "Document the webhook signatures",
    "Duplicate rows after import",
    "Chart legend overlaps the axis",
    "Allow two owners per project",
    "Session ends after five minutes",
    "PDF export loses images",
    "Slow start on older phones",
    "What does status 'parked' mean?",
    "Add a health check endpoint",
    "Sorting by date is wrong in March",
    "Undo for deleted projects",
];

#[cfg(test)]
mod tests;
