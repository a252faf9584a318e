//! The subscription to changes of lists, which the modern protocol asks for.

use std::sync::Arc;
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_contract::json::RawObject;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::error::CallError;
use crate::facts::{Era, ServerFacts};
use crate::wire::{Exchange, UpstreamConnection, Wait};

const METHOD: &str = "subscriptions/listen";
/// A subscription lasts as long as its connection.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Keeps a subscription open for as long as the connection lives.
///
/// The notifications themselves take the same way as in the legacy protocol. When a subscription
/// was lost and is opened again, the lists count as changed: what happened meanwhile is unknown.
pub(crate) async fn listen(connection: Arc<UpstreamConnection>) {
    let Some(filter) = filter(connection.facts()) else { return };
    let stop = connection.stop();
    let mut pause = FIRST_PAUSE;
    loop {
        let opened = Instant::now();
        let exchange =
            Arc::new(Exchange::new(METHOD, RawObject::default().with("notifications", filter.clone())));
        let wait = Wait { deadline: opened + FOREVER, timeout: FOREVER, cancel: stop.clone() };
        match connection.request(exchange, METHOD, &wait).await {
            // The server does not know it, or does not want it.
            Err(CallError::Rpc { .. } | CallError::Cancelled { .. } | CallError::AuthRequired { .. }) => {
                return;
            }
            _ if stop.is_cancelled() => return,
            _ => {}
        }
        if opened.elapsed() >= LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
        connection.assume_changed();
    }
}

/// What there is to hear from this server.
fn filter(facts: &ServerFacts) -> Option<RawJson> {
    if facts.era != Era::Modern {
        return None;
    }
    let mut filter = Map::new();
    for (capability, member) in [
        ("tools", "toolsListChanged"),
        ("prompts", "promptsListChanged"),
        ("resources", "resourcesListChanged"),
    ] {
        if facts.reports_changes(capability) {
            filter.insert(member.to_owned(), Value::Bool(true));
        }
    }
    if filter.is_empty() { None } else { RawJson::from_value(&Value::Object(filter)).ok() }
}
