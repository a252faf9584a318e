//! Looking at what was exchanged: capabilities, notifications, frames.

use serde_json::{Map, Value, json};

use crate::callers::Workspace;
use crate::object::Object;
use crate::request::{Report, Request};
use crate::tools::Outcome;

/// `get_server_capabilities`.
pub(super) async fn capabilities(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.get(request.connection())?;
    let mut members =
        Object::new().object("connection", &connection.brief()).object("server", &connection.full());
    if let Some(facts) = connection.upstream.facts() {
        members = members.verbatim("raw", &facts.raw);
    }
    Ok(Report::new(members))
}

/// `get_notifications`.
pub(super) async fn notifications(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.get(request.connection())?;
    let (latest, total) = connection.notifications.last(request.count("count", 50));
    let counts = connection.upstream.fault_counts();
    let mut faults: Vec<(&str, u64)> = counts.iter().map(|(kind, count)| (kind.label(), *count)).collect();
    faults.sort_unstable();
    let faults: Map<String, Value> =
        faults.into_iter().map(|(kind, count)| (kind.to_owned(), json!(count))).collect();
    let members = Object::new()
        .object("connection", &connection.brief())
        .list("notifications", latest.iter().map(|entry| entry.redacted(&connection.exchanges)))
        .set("total", total)
        .set("protocol_faults", faults);
    Ok(Report::new(members))
}

/// `get_raw_exchange`.
pub(super) async fn exchanges(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.get(request.connection())?;
    let (latest, total) = connection.exchanges.last(request.count("count", 1));
    let members =
        Object::new().object("connection", &connection.brief()).list("exchanges", latest).set("total", total);
    Ok(Report::new(members))
}
