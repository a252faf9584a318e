//! Connecting, disconnecting, and the state of connections.

use crate::answers::Answers;
use crate::callers::Workspace;
use crate::connection::Connection;
use crate::connections::{DEFAULT, Naming, Wanted};
use crate::object::Object;
use crate::request::{Report, Request};
use crate::target::Target;
use crate::tools::Outcome;

/// `connect_to_server`.
pub(super) async fn connect(workspace: &Workspace, request: &Request) -> Outcome {
    let mut target = Target::read(&request.arguments)?;
    let answers = Answers::read(request.raw.member("answers").as_ref())?;
    let mut warnings = std::mem::take(&mut target.warnings);
    let wanted = Wanted {
        name: request.connection().unwrap_or(DEFAULT).to_owned(),
        target,
        timeout: request.timeout().unwrap_or(workspace.connections.options.connect_timeout),
        answers,
        cancel: request.context.cancellation().clone(),
    };
    let (connection, previous) = workspace.connections.connect(wanted).await?;
    warnings.extend(
        connection.upstream.catalog().stale.iter().map(|why| format!("the tools could not be listed: {why}")),
    );
    let mut members = Object::new()
        .object("connection", &connection.full())
        .set("message", connected_message(&connection, previous.is_some(), workspace.connections.naming));
    if let Some(previous) = &previous {
        members = members.object("previous_connection", previous);
    }
    if !warnings.is_empty() {
        members = members.set("warnings", warnings);
    }
    Ok(Report::new(members))
}

fn connected_message(connection: &Connection, replaces: bool, naming: Naming) -> String {
    let server = connection.server_name().unwrap_or_else(|| connection.server_url.clone());
    let mut message = format!("Connected to `{server}` over {}", connection.kind.as_str());
    if replaces {
        message.push_str("; the connection before it was closed");
    }
    if naming == Naming::ByHandle {
        message.push_str("; pass its `name` as `connection` in every call, and keep it to yourself");
    }
    message
}

/// `disconnect`.
pub(super) async fn disconnect(workspace: &Workspace, request: &Request) -> Outcome {
    let members = match workspace.connections.disconnect(request.connection()).await {
        Some(previous) => {
            Object::new().set("message", "Disconnected").object("previous_connection", &previous)
        }
        None => Object::new().set("message", nothing_to_do(request.connection())),
    };
    Ok(Report::new(members))
}

fn nothing_to_do(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("There is no connection `{name}`; nothing to do"),
        None => "Not connected to any MCP server; nothing to do".to_owned(),
    }
}

/// `get_connection_status`.
pub(super) async fn status(workspace: &Workspace, request: &Request) -> Outcome {
    let options = &workspace.connections.options;
    let tester = Object::new()
        .set("served_over", options.served_over)
        .set("may_start_commands", options.permissions.commands)
        .set("may_reach_private_addresses", options.permissions.private_addresses);
    let members = match workspace.connections.get(request.connection()) {
        Ok(connection) => Object::new()
            .set("connected", connection.is_usable())
            .object("connection", &connection.full())
            .object("statistics", &connection.statistics.shown())
            .set("message", status_message(&connection)),
        Err(failure) if request.connection().is_some() => return Err(failure),
        Err(failure) => Object::new()
            .set("connected", false)
            .set("connection", ())
            .object("statistics", &crate::connection::Statistics::default().shown())
            .set("message", failure.message),
    };
    Ok(Report::new(members.object("tester", &tester)))
}

fn status_message(connection: &Connection) -> String {
    match connection.why_lost() {
        Some(why) => format!("Not connected to `{}` any more: {why}", connection.server_url),
        None => format!("Connected to `{}` ({})", connection.server_url, connection.upstream.state().label()),
    }
}

/// `list_connections`.
pub(super) async fn list(workspace: &Workspace, _request: &Request) -> Outcome {
    let current = workspace.connections.current();
    let connections = workspace.connections.all().into_iter().map(|connection| {
        Object::new()
            .set("name", &connection.name)
            .set("is_current", current.as_ref() == Some(&connection.name))
            .set("connected", connection.is_usable())
            .set("server_url", &connection.server_url)
            .set("transport", connection.kind.as_str())
            .set("connected_at", connection.connected_at.stamp())
            .object("statistics", &connection.statistics.shown())
    });
    Ok(Report::new(Object::new().list("connections", connections)))
}

/// `switch_connection`.
pub(super) async fn switch(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.switch(request.connection().unwrap_or_default())?;
    let message = format!("`{}` is the current connection", connection.name);
    Ok(Report::new(Object::new().object("connection", &connection.full()).set("message", message)))
}

/// `disconnect_all`.
pub(super) async fn disconnect_all(workspace: &Workspace, _request: &Request) -> Outcome {
    let closed = workspace.connections.disconnect_all().await;
    let message = match closed.len() {
        0 => "No connection was open".to_owned(),
        1 => "1 connection closed".to_owned(),
        count => format!("{count} connections closed"),
    };
    Ok(Report::new(Object::new().set("message", message).list("previous_connections", closed)))
}
