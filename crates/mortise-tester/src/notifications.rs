//! What a server said and asked on its own account, the latest of it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mortise_client::{ChangedList, LogMessage, ServerEvent};
use mortise_contract::RawJson;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::limits::{TESTER_NOTIFICATION_BYTES, TESTER_NOTIFICATIONS};
use crate::moment::Moment;
use crate::object::Object;

/// The latest notifications and requests of one server.
#[derive(Debug, Default)]
pub(crate) struct Notifications(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    entries: VecDeque<Object>,
    total: u64,
}

impl Notifications {
    /// Keeps what comes until the connection ends.
    pub(crate) async fn listen(self: Arc<Self>, mut events: Receiver<ServerEvent>) {
        loop {
            match events.recv().await {
                Ok(event) => self.keep_event(&event),
                Err(RecvError::Lagged(missed)) => self.kept().total += missed,
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Keeps a request of the server and what it was answered.
    pub(crate) fn keep_ask(&self, method: &str, params: Option<&RawJson>, answer: &RawJson) {
        let entry = entry(method, "request");
        self.keep(bounded(bounded(entry, "params", params), "answered", Some(answer)));
    }

    /// The last `count`, oldest first, and how many there were in all.
    pub(crate) fn last(&self, count: usize) -> (Vec<Object>, u64) {
        let kept = self.kept();
        let skipped = kept.entries.len().saturating_sub(count);
        (kept.entries.iter().skip(skipped).cloned().collect(), kept.total)
    }

    fn keep_event(&self, event: &ServerEvent) {
        let notification = |method: &str| entry(method, "notification");
        let entry = match event {
            ServerEvent::Log(LogMessage { level, logger, data }) => {
                let entry = notification("notifications/message").set("level", level);
                bounded(entry.set_some("logger", logger.as_ref()), "data", Some(data))
            }
            ServerEvent::ListChanged(list) => notification(match list {
                ChangedList::Tools => "notifications/tools/list_changed",
                ChangedList::Resources => "notifications/resources/list_changed",
                ChangedList::Prompts => "notifications/prompts/list_changed",
            }),
            ServerEvent::ResourceUpdated { uri } => {
                notification("notifications/resources/updated").set("uri", uri)
            }
            ServerEvent::Other { method, params } => bounded(notification(method), "params", params.as_ref()),
            ServerEvent::Fault(fault) => Object::new()
                .set("received_at", Moment::now().stamp())
                .set("kind", "protocol_fault")
                .set("fault", fault.kind.label())
                .set("excerpt", &fault.excerpt),
            // Our own doing, not the server's.
            _ => return,
        };
        self.keep(entry);
    }

    fn keep(&self, entry: Object) {
        let mut kept = self.kept();
        kept.total += 1;
        if kept.entries.len() == TESTER_NOTIFICATIONS {
            kept.entries.pop_front();
        }
        kept.entries.push_back(entry);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry(method: &str, kind: &str) -> Object {
    Object::new().set("received_at", Moment::now().stamp()).set("kind", kind).set("method", method)
}

/// A member verbatim, or only its size when it is too large to keep.
fn bounded(entry: Object, key: &str, raw: Option<&RawJson>) -> Object {
    match raw {
        Some(raw) if raw.text().len() <= TESTER_NOTIFICATION_BYTES => entry.verbatim(key, raw),
        Some(raw) => entry.set(&format!("{key}_bytes"), raw.text().len()),
        None => entry,
    }
}

#[cfg(test)]
mod tests;
