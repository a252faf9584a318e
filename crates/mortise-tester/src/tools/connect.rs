//! Connecting, disconnecting, and the state of connections.

use std::collections::BTreeMap;
use std::sync::Arc;

use mortise_server::CallContext;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::ToolReport;
use crate::answers::Answers;
use crate::callers::Workspace;
use crate::connection::{ClosedConnection, FullConnection, Statistics, StatisticsShown, TestConnection};
use crate::connections::{ConnectionRequest, DEFAULT, Naming};
use crate::input::{ConnectionInput, ConnectionName, NoInput, TimeoutMs};
use crate::target::{TargetTransport, TestTarget};
use crate::tools::TestOutcome;

// One of `url` and `command` is needed. The schema does not say so: some providers take no combinator at the root.
#[derive(Default, Deserialize, JsonSchema)]
pub(crate) struct ConnectToServerInput {
    /// URL of the MCP server to connect to (e.g., https://my-server.apps.openshift.com/mcp)
    pub(crate) url: Option<String>,
    /// Program of a local server, instead of url; started directly, never by a shell
    pub(crate) command: Option<String>,
    /// Arguments of the command
    pub(crate) args: Option<Vec<String>>,
    /// Environment variables of the command; values are never shown
    pub(crate) env: Option<BTreeMap<String, String>>,
    /// Working directory of the command
    pub(crate) cwd: Option<String>,
    /// HTTP headers for every request; values are never shown
    pub(crate) headers: Option<BTreeMap<String, String>>,
    /// A bearer token; or "oauth" for a login kept by mortise; or {"type":"bearer","token":…} or {"type":"oauth","scopes":[…]}
    #[schemars(extend("type" = ["string", "object"]))]
    pub(crate) auth: Option<Value>,
    pub(crate) timeout_ms: Option<TimeoutMs>,
    /// Name of the new connection, to have several side by side; a connection of that name is closed once the new one is open
    pub(crate) connection: Option<ConnectionName>,
    pub(crate) answers: Option<Answers>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, transform = says_what_succeeds)]
pub(crate) struct ConnectedServer {
    connection: FullConnection,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_connection: Option<ClosedConnection>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Only this tool's `success` has a description.
fn says_what_succeeds(schema: &mut Schema) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let success = json!({ "type": "boolean", "description": "Whether connection was successful" });
        properties.insert("success".to_owned(), success);
    }
}

pub(super) async fn connect_to_server(
    workspace: Arc<Workspace>,
    input: ConnectToServerInput,
    context: CallContext,
) -> TestOutcome<ConnectedServer> {
    let mut target = TestTarget::read(&input)?;
    let mut warnings = std::mem::take(&mut target.warnings);
    let timeout = input.timeout_ms.map(TimeoutMs::time);
    let wanted = ConnectionRequest {
        name: ConnectionName::of(input.connection.as_ref()).unwrap_or(DEFAULT).to_owned(),
        target,
        timeout: timeout.unwrap_or(workspace.connections.options.connect_timeout),
        answers: input.answers.unwrap_or_default(),
        cancel: context.cancellation().clone(),
    };
    let (connection, previous) = workspace.connections.connect(wanted).await?;
    warnings.extend(
        connection.upstream.catalog().stale.iter().map(|why| format!("the tools could not be listed: {why}")),
    );
    Ok(ToolReport::new(ConnectedServer {
        connection: connection.full(),
        message: connected_message(&connection, previous.is_some(), workspace.connections.naming),
        previous_connection: previous,
        warnings,
    }))
}

fn connected_message(connection: &TestConnection, replaces: bool, naming: Naming) -> String {
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

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Disconnected {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_connection: Option<ClosedConnection>,
}

pub(super) async fn disconnect(
    workspace: Arc<Workspace>,
    input: ConnectionInput,
    _: CallContext,
) -> TestOutcome<Disconnected> {
    let name = ConnectionName::of(input.connection.as_ref());
    let previous_connection = workspace.connections.disconnect(name).await;
    let message = match (&previous_connection, name) {
        (Some(_), _) => "Disconnected".to_owned(),
        (None, Some(name)) => format!("There is no connection `{name}`; nothing to do"),
        (None, None) => "Not connected to any MCP server; nothing to do".to_owned(),
    };
    Ok(ToolReport::new(Disconnected { message, previous_connection }))
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ConnectionStatus {
    connected: bool,
    connection: Option<FullConnection>,
    statistics: StatisticsShown,
    message: String,
    tester: TesterShown,
}

/// How this tester itself is served
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct TesterShown {
    served_over: &'static str,
    may_start_commands: bool,
    may_reach_private_addresses: bool,
}

pub(super) async fn get_connection_status(
    workspace: Arc<Workspace>,
    input: ConnectionInput,
    _: CallContext,
) -> TestOutcome<ConnectionStatus> {
    let name = ConnectionName::of(input.connection.as_ref());
    let options = &workspace.connections.options;
    let tester = TesterShown {
        served_over: options.served_over,
        may_start_commands: options.permissions.commands,
        may_reach_private_addresses: options.permissions.private_addresses,
    };
    Ok(ToolReport::new(match workspace.connections.get(name) {
        Ok(connection) => ConnectionStatus {
            connected: connection.is_usable(),
            connection: Some(connection.full()),
            statistics: connection.statistics.shown(),
            message: status_message(&connection),
            tester,
        },
        Err(failure) if name.is_some() => return Err(failure),
        Err(failure) => ConnectionStatus {
            connected: false,
            connection: None,
            statistics: Statistics::default().shown(),
            message: failure.message,
            tester,
        },
    }))
}

fn status_message(connection: &TestConnection) -> String {
    match connection.why_lost() {
        Some(why) => format!("Not connected to `{}` any more: {why}", connection.server_url),
        None => format!("Connected to `{}` ({})", connection.server_url, connection.upstream.state().label()),
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ListedConnections {
    connections: Vec<ConnectionSummary>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ConnectionSummary {
    name: String,
    is_current: bool,
    connected: bool,
    server_url: String,
    transport: TargetTransport,
    connected_at: String,
    statistics: StatisticsShown,
}

pub(super) async fn list_connections(
    workspace: Arc<Workspace>,
    _: NoInput,
    _: CallContext,
) -> TestOutcome<ListedConnections> {
    let current = workspace.connections.current();
    let connections = workspace.connections.all().into_iter().map(|connection| ConnectionSummary {
        name: connection.name.clone(),
        is_current: current.as_ref() == Some(&connection.name),
        connected: connection.is_usable(),
        server_url: connection.server_url.clone(),
        transport: connection.kind,
        connected_at: connection.connected_at.stamp(),
        statistics: connection.statistics.shown(),
    });
    Ok(ToolReport::new(ListedConnections { connections: connections.collect() }))
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SwitchConnectionInput {
    /// Name of the connection (as returned by list_connections)
    connection: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Switched {
    connection: FullConnection,
    message: String,
}

pub(super) async fn switch_connection(
    workspace: Arc<Workspace>,
    input: SwitchConnectionInput,
    _: CallContext,
) -> TestOutcome<Switched> {
    let connection = workspace.connections.switch(&input.connection)?;
    let message = format!("`{}` is the current connection", connection.name);
    Ok(ToolReport::new(Switched { connection: connection.full(), message }))
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct AllDisconnected {
    message: String,
    previous_connections: Vec<ClosedConnection>,
}

pub(super) async fn disconnect_all(
    workspace: Arc<Workspace>,
    _: NoInput,
    _: CallContext,
) -> TestOutcome<AllDisconnected> {
    let previous_connections = workspace.connections.disconnect_all().await;
    let message = match previous_connections.len() {
        0 => "No connection was open".to_owned(),
        1 => "1 connection closed".to_owned(),
        count => format!("{count} connections closed"),
    };
    Ok(ToolReport::new(AllDisconnected { message, previous_connections }))
}
