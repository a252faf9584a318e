//! What a server said and asked on its own account, the latest of it.

use std::collections::VecDeque;
use std::sync::Arc;

use mortise_client::{ChangedList, LogMessage, ServerEvent};
use mortise_contract::RawJson;
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::answer::AsSent;
use crate::limits::{TESTER_NOTIFICATION_BYTES, TESTER_NOTIFICATIONS};
use crate::moment::Moment;

/// The latest notifications and requests of one server.
#[derive(Debug, Default)]
pub(crate) struct Notifications(Mutex<KeptNotifications>);

#[derive(Debug, Default)]
struct KeptNotifications {
    entries: VecDeque<NotificationEntry>,
    total: u64,
}

/// One thing that a server said or asked, as it is shown.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct NotificationEntry {
    received_at: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logger: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<AsSent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<AsSent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<AsSent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_bytes: Option<usize>,
}

impl Notifications {
    /// Keeps what comes until the connection ends.
    pub(crate) async fn listen(self: Arc<Self>, mut events: Receiver<ServerEvent>) {
        loop {
            match events.recv().await {
                Ok(event) => self.keep_event(&event),
                Err(RecvError::Lagged(missed)) => self.0.lock().total += missed,
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Keeps a request of the server and what it was answered.
    pub(crate) fn keep_ask(&self, method: &str, params: Option<&RawJson>, answer: &RawJson) {
        let (params, params_bytes) = whole_or_size(params);
        let (answered, answered_bytes) = whole_or_size(Some(answer));
        let entry = NotificationEntry::new("request", method);
        self.keep(NotificationEntry { params, params_bytes, answered, answered_bytes, ..entry });
    }

    /// The last `count`, oldest first, and how many there were in all.
    pub(crate) fn last(&self, count: usize) -> (Vec<NotificationEntry>, u64) {
        let kept = self.0.lock();
        let skipped = kept.entries.len().saturating_sub(count);
        (kept.entries.iter().skip(skipped).cloned().collect(), kept.total)
    }

    fn keep_event(&self, event: &ServerEvent) {
        let notification = |method: &str| NotificationEntry::new("notification", method);
        let entry = match event {
            ServerEvent::Log(LogMessage { level, logger, data }) => {
                let (data, data_bytes) = whole_or_size(Some(data));
                let (level, logger) = (Some(level.to_string()), logger.clone());
                NotificationEntry { level, logger, data, data_bytes, ..notification("notifications/message") }
            }
            ServerEvent::ListChanged(list) => notification(match list {
                ChangedList::Tools => "notifications/tools/list_changed",
                ChangedList::Resources => "notifications/resources/list_changed",
                ChangedList::Prompts => "notifications/prompts/list_changed",
            }),
            ServerEvent::ResourceUpdated { uri } => {
                let uri = Some(uri.clone());
                NotificationEntry { uri, ..notification("notifications/resources/updated") }
            }
            ServerEvent::Other { method, params } => {
                let (params, params_bytes) = whole_or_size(params.as_ref());
                NotificationEntry { params, params_bytes, ..notification(method) }
            }
            ServerEvent::Fault(fault) => NotificationEntry {
                received_at: Moment::now().stamp(),
                kind: "protocol_fault",
                fault: Some(fault.kind.label()),
                excerpt: Some(fault.excerpt.clone()),
                ..NotificationEntry::default()
            },
            // Our own doing, not the server's.
            _ => return,
        };
        self.keep(entry);
    }

    fn keep(&self, entry: NotificationEntry) {
        let mut kept = self.0.lock();
        kept.total += 1;
        if kept.entries.len() == TESTER_NOTIFICATIONS {
            kept.entries.pop_front();
        }
        kept.entries.push_back(entry);
    }
}

impl NotificationEntry {
    fn new(kind: &'static str, method: &str) -> Self {
        let (received_at, method) = (Moment::now().stamp(), Some(method.to_owned()));
        Self { received_at, kind, method, ..Self::default() }
    }
}

/// What was sent, or only its size when it is too large to keep.
fn whole_or_size(raw: Option<&RawJson>) -> (Option<AsSent>, Option<usize>) {
    match raw {
        Some(raw) if raw.text().len() <= TESTER_NOTIFICATION_BYTES => (Some(AsSent::new(raw)), None),
        Some(raw) => (None, Some(raw.text().len())),
        None => (None, None),
    }
}

#[cfg(test)]
mod tests;
