//! Notifications, faults and counters of one connection.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mortise_contract::RawJson;
use mortise_contract::text::{cut_bytes, printable};
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{broadcast, mpsc, watch};

use super::tap::raw_json;
use crate::error::Skipped;
use crate::event::{ChangedList, FaultKind, LogMessage, ProgressReport, ProtocolFault, ServerEvent};
use crate::handler::CallListener;
use crate::limits;
use crate::secret::Secrets;

/// Bytes shown of a faulty message.
const EXCERPT_BYTES: usize = 200;
/// Bytes of a method, level, logger or progress token.
const NAME_BYTES: usize = 1024;

/// How often the server has announced a change of each list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListChanges {
    pub(crate) tools: u64,
}

/// What comes in without having been asked for.
#[derive(Debug)]
pub(crate) struct Inbox {
    events: broadcast::Sender<ServerEvent>,
    changes: watch::Sender<ListChanges>,
    faults: Mutex<Faults>,
    noise_in_a_row: AtomicU64,
    /// Faults that may have been meant as answers.
    skipped: AtomicU64,
    window: Mutex<Window>,
    secrets: Secrets,
}

#[derive(Debug, Default)]
struct Faults {
    /// The first ones, with the number of faults skipped before.
    kept: VecDeque<(u64, ProtocolFault)>,
    counts: HashMap<FaultKind, u64>,
}

#[derive(Debug)]
struct Window {
    start: Instant,
    seen: u32,
}

impl Inbox {
    pub(crate) fn new(events: broadcast::Sender<ServerEvent>, secrets: Secrets) -> Self {
        Self {
            events,
            changes: watch::Sender::new(ListChanges::default()),
            faults: Mutex::default(),
            noise_in_a_row: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            window: Mutex::new(Window { start: Instant::now(), seen: 0 }),
            secrets,
        }
    }

    /// The start of a text, safe to show and without secrets.
    pub(crate) fn excerpt(&self, text: &str) -> String {
        excerpt(&self.secrets.hide_start(text, EXCERPT_BYTES))
    }

    pub(crate) fn changes(&self) -> watch::Receiver<ListChanges> {
        self.changes.subscribe()
    }

    /// The server may be another one now.
    pub(crate) fn session_changed(&self) {
        self.changes.send_modify(|changes| changes.tools += 1);
    }

    /// Counts a fault and keeps the first hundred.
    pub(crate) fn fault(&self, kind: FaultKind, text: &str) {
        if matches!(kind, FaultKind::NotJson | FaultKind::NotUtf8 | FaultKind::NotAMessage) {
            self.noise_in_a_row.fetch_add(1, Ordering::Relaxed);
        }
        let before = match kind.is_skipped() {
            true => self.skipped.fetch_add(1, Ordering::Relaxed),
            false => self.skipped.load(Ordering::Relaxed),
        };
        let mut faults = self.faults();
        *faults.counts.entry(kind).or_default() += 1;
        if faults.kept.len() >= limits::FAULTS_KEPT {
            return;
        }
        let fault = ProtocolFault { kind, excerpt: self.excerpt(text) };
        faults.kept.push_back((before, fault.clone()));
        drop(faults);
        // Not what it sent: that may repeat the arguments of a call.
        tracing::debug!(fault = kind.label(), bytes = text.len(), "the server broke the protocol");
        let _ = self.events.send(ServerEvent::Fault(fault));
    }

    /// How much was skipped so far, to be compared later.
    pub(crate) fn mark(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// What was skipped since `mark`.
    pub(crate) fn skipped_since(&self, mark: u64) -> Option<Skipped> {
        let lines = self.mark().saturating_sub(mark);
        let faults = self.faults();
        let mut since =
            faults.kept.iter().filter(|(before, fault)| *before >= mark && fault.kind.is_skipped());
        let first = since.next().map(|(_, fault)| fault.clone());
        drop(faults);
        (lines > 0).then_some(Skipped { lines, first })
    }

    /// A proper message came: noise before it is forgiven.
    pub(crate) fn sound(&self) {
        self.noise_in_a_row.store(0, Ordering::Relaxed);
    }

    /// The number of noisy lines, once there are too many to go on.
    pub(crate) fn too_noisy(&self) -> Option<u64> {
        let lines = self.noise_in_a_row.load(Ordering::Relaxed);
        (lines >= limits::UPSTREAM_NOISE).then_some(lines)
    }

    /// The faults kept, oldest first.
    pub(crate) fn kept_faults(&self) -> Vec<ProtocolFault> {
        self.faults().kept.iter().map(|(_, fault)| fault.clone()).collect()
    }

    pub(crate) fn fault_counts(&self) -> HashMap<FaultKind, u64> {
        self.faults().counts.clone()
    }

    /// Hands a progress report to the request that it belongs to.
    pub(crate) fn progress(
        &self,
        params: Option<&RawValue>,
        sink: impl FnOnce(&RawValue) -> Option<mpsc::Sender<ProgressReport>>,
    ) {
        if !self.admit("notifications/progress") {
            return;
        }
        #[derive(serde::Deserialize)]
        struct ProgressParams<'a> {
            #[serde(rename = "progressToken", borrow)]
            token: &'a RawValue,
            #[serde(default, borrow)]
            progress: Option<&'a RawValue>,
            #[serde(default, borrow)]
            total: Option<&'a RawValue>,
            #[serde(default, borrow)]
            message: Option<&'a RawValue>,
        }
        let Some(Ok(params)) = params.map(|raw| serde_json::from_str::<ProgressParams<'_>>(raw.get())) else {
            return;
        };
        let Some(sink) = sink(params.token) else { return };
        let number = |raw: &RawValue| serde_json::from_str::<f64>(raw.get()).ok();
        let text = |raw: &RawValue| match oversize(raw) {
            Some(note) => Some(note),
            None => serde_json::from_str(raw.get()).ok(),
        };
        let report = ProgressReport {
            progress: params.progress.and_then(number).unwrap_or(0.0),
            total: params.total.and_then(number),
            message: params.message.and_then(text),
        };
        // A slow reader loses reports, never the connection.
        let _ = sink.try_send(report);
    }

    /// Hands a log message to the listener of the request that it belongs to, else to all listeners of events.
    pub(crate) fn log(&self, params: Option<&RawValue>, listener: Option<&dyn CallListener>) {
        if !self.admit("notifications/message") {
            return;
        }
        let message = log_message(params);
        match listener {
            Some(listener) => listener.log(message),
            None => {
                let _ = self.events.send(ServerEvent::Log(message));
            }
        }
    }

    /// Takes in any other notification.
    pub(crate) fn notification(&self, method: &str, params: Option<&RawValue>) {
        let list = match method {
            "notifications/tools/list_changed" => Some(ChangedList::Tools),
            "notifications/resources/list_changed" => Some(ChangedList::Resources),
            "notifications/prompts/list_changed" => Some(ChangedList::Prompts),
            _ => None,
        };
        // A change is never lost, however fast notifications come.
        if list == Some(ChangedList::Tools) {
            self.changes.send_modify(|changes| changes.tools += 1);
        }
        if !self.admit(method) {
            return;
        }
        let event = match (method, list) {
            (_, Some(list)) => ServerEvent::ListChanged(list),
            // A part of an address would be another address.
            ("notifications/resources/updated", _) if params.and_then(oversize).is_some() => {
                return self.fault(FaultKind::TooLarge, method);
            }
            ("notifications/resources/updated", _) => ServerEvent::ResourceUpdated {
                uri: member(params, "uri")
                    .and_then(|uri| uri.as_str().map(str::to_owned))
                    .unwrap_or_default(),
            },
            _ => {
                let kept = |raw| oversize(raw).map_or_else(|| raw_json(raw), |note| RawJson::string(&note));
                ServerEvent::Other { method: cut_bytes(method, NAME_BYTES), params: params.map(kept) }
            }
        };
        let _ = self.events.send(event);
    }

    /// Whether one more notification is handed on in this second.
    fn admit(&self, method: &str) -> bool {
        let mut window = self.window.lock();
        if window.start.elapsed() >= Duration::from_secs(1) {
            *window = Window { start: Instant::now(), seen: 0 };
        }
        window.seen = window.seen.saturating_add(1);
        let admitted = window.seen <= limits::NOTIFICATIONS_PER_SECOND;
        drop(window);
        if !admitted {
            self.fault(FaultKind::NotificationFlood, method);
        }
        admitted
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock()
    }
}

fn member(params: Option<&RawValue>, name: &str) -> Option<Value> {
    serde_json::from_str::<Value>(params?.get()).ok()?.get(name).cloned()
}

fn log_message(params: Option<&RawValue>) -> LogMessage {
    #[derive(serde::Deserialize)]
    struct Params<'a> {
        #[serde(default, borrow)]
        level: Option<&'a RawValue>,
        #[serde(default, borrow)]
        logger: Option<&'a RawValue>,
        #[serde(default, borrow)]
        data: Option<&'a RawValue>,
    }
    let parsed = params.and_then(|raw| serde_json::from_str::<Params<'_>>(raw.get()).ok());
    let null = || raw_json(RawValue::NULL);
    let note = params.and_then(oversize).map(|note| RawJson::string(&note));
    match parsed {
        Some(parsed) => LogMessage {
            level: parsed.level.and_then(short_text).unwrap_or_default(),
            logger: parsed.logger.and_then(short_text),
            data: note.unwrap_or_else(|| parsed.data.map_or_else(null, raw_json)),
        },
        None => {
            let data = note.unwrap_or_else(|| params.map_or_else(null, raw_json));
            LogMessage { level: String::new(), logger: None, data }
        }
    }
}

/// What stands in the place of a text that is too large to be handed on; `None` if it is not.
fn oversize(raw: &RawValue) -> Option<String> {
    let (bytes, limit) = (raw.get().len(), limits::NOTIFICATION_BYTES);
    (bytes > limit).then(|| format!("[{bytes} bytes were left out: a notification may have {limit}]"))
}

/// The string, if it is one and no longer than a name.
pub(super) fn short_text(raw: &RawValue) -> Option<String> {
    (raw.get().len() <= NAME_BYTES).then(|| serde_json::from_str(raw.get()).ok())?
}

/// The start of a text, safe to show.
pub(crate) fn excerpt(text: &str) -> String {
    printable(&cut_bytes(text, EXCERPT_BYTES))
}
