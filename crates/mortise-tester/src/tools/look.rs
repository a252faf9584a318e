//! Looking at what was exchanged: capabilities, notifications, frames.

use std::collections::BTreeMap;
use std::sync::Arc;

use mortise_contract::RawJson;
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answer::{AsSent, ExchangeShown, ToolReport};
use crate::callers::Workspace;
use crate::connection::{BriefConnection, FullConnection};
use crate::input::{ConnectionInput, ConnectionName};
use crate::tools::TestOutcome;

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct CapabilitiesShown {
    connection: BriefConnection,
    server: FullConnection,
    /// The server's answer to the handshake
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<AsSent>,
}

pub(super) async fn get_server_capabilities(
    workspace: Arc<Workspace>,
    input: ConnectionInput,
    _: CallContext,
) -> TestOutcome<CapabilitiesShown> {
    let connection = workspace.connections.get(ConnectionName::of(input.connection.as_ref()))?;
    Ok(ToolReport::new(CapabilitiesShown {
        connection: connection.brief(),
        server: connection.full(),
        raw: connection.upstream.facts().map(|facts| AsSent::new(&facts.raw)),
    }))
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct NotificationsInput {
    connection: Option<ConnectionName>,
    /// How many of the latest to show
    #[serde(default = "fifty")]
    #[schemars(range(min = 1))]
    count: usize,
}

fn fifty() -> usize {
    50
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct NotificationsShown {
    connection: BriefConnection,
    #[schemars(with = "Vec<Map<String, Value>>")]
    notifications: Vec<RawJson>,
    total: u64,
    #[schemars(with = "Map<String, Value>")]
    protocol_faults: BTreeMap<&'static str, u64>,
}

pub(super) async fn get_notifications(
    workspace: Arc<Workspace>,
    input: NotificationsInput,
    _: CallContext,
) -> TestOutcome<NotificationsShown> {
    let connection = workspace.connections.get(ConnectionName::of(input.connection.as_ref()))?;
    let (latest, total) = connection.notifications.last(input.count);
    let counts = connection.upstream.fault_counts();
    Ok(ToolReport::new(NotificationsShown {
        connection: connection.brief(),
        notifications: latest.iter().map(|entry| connection.exchanges.redacted_members(entry)).collect(),
        total,
        protocol_faults: counts.iter().map(|(kind, count)| (kind.label(), *count)).collect(),
    }))
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RawExchangeInput {
    connection: Option<ConnectionName>,
    /// How many of the latest to show
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    count: usize,
}

fn one() -> usize {
    1
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ExchangesShown {
    connection: BriefConnection,
    exchanges: Vec<ExchangeShown>,
    total: u64,
}

pub(super) async fn get_raw_exchange(
    workspace: Arc<Workspace>,
    input: RawExchangeInput,
    _: CallContext,
) -> TestOutcome<ExchangesShown> {
    let connection = workspace.connections.get(ConnectionName::of(input.connection.as_ref()))?;
    let (exchanges, total) = connection.exchanges.last(input.count);
    Ok(ToolReport::new(ExchangesShown { connection: connection.brief(), exchanges, total }))
}
