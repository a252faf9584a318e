//! The latest requests and answers of a connection, frame by frame.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mortise_client::RecordedExchange;
use mortise_client::secret::Secrets;
use mortise_contract::RawJson;
use tokio::sync::mpsc;

use crate::limits::{TESTER_EXCHANGE_BYTES, TESTER_EXCHANGES};
use crate::object::Object;

/// Requests that one operation may make and still be recorded in full.
const PER_OPERATION: usize = 64;

/// The frames that one connection exchanged, the latest of them.
#[derive(Debug)]
pub(crate) struct Exchanges {
    kept: Mutex<Kept>,
    secrets: Secrets,
}

#[derive(Debug, Default)]
struct Kept {
    exchanges: VecDeque<RecordedExchange>,
    bytes: usize,
    total: u64,
}

/// The recording of one operation.
#[derive(Debug)]
pub(crate) struct Recording {
    receiver: mpsc::Receiver<RecordedExchange>,
}

impl Recording {
    /// A recording, and where frames are sent to.
    pub(crate) fn start() -> (Self, mpsc::Sender<RecordedExchange>) {
        let (sender, receiver) = mpsc::channel(PER_OPERATION);
        (Self { receiver }, sender)
    }

    fn finish(mut self) -> Vec<RecordedExchange> {
        std::iter::from_fn(|| self.receiver.try_recv().ok()).collect()
    }
}

impl Exchanges {
    /// Nothing yet; `secrets` are hidden wherever a frame is shown.
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self { kept: Mutex::default(), secrets }
    }

    /// Keeps what was recorded and shows it.
    pub(crate) fn keep(&self, recording: Recording) -> Vec<Object> {
        let exchanges = recording.finish();
        let shown = exchanges.iter().map(|exchange| self.shown(exchange)).collect();
        let mut kept = self.kept();
        for exchange in exchanges {
            kept.total += 1;
            kept.bytes += size(&exchange);
            kept.exchanges.push_back(exchange);
        }
        // The last one is always there, however large.
        while kept.exchanges.len() > TESTER_EXCHANGES
            || (kept.bytes > TESTER_EXCHANGE_BYTES && kept.exchanges.len() > 1)
        {
            if let Some(oldest) = kept.exchanges.pop_front() {
                kept.bytes -= size(&oldest);
            }
        }
        shown
    }

    /// The last `count`, oldest first, and how many there were in all.
    pub(crate) fn last(&self, count: usize) -> (Vec<Object>, u64) {
        let kept = self.kept();
        let skipped = kept.exchanges.len().saturating_sub(count);
        (kept.exchanges.iter().skip(skipped).map(|exchange| self.shown(exchange)).collect(), kept.total)
    }

    fn shown(&self, exchange: &RecordedExchange) -> Object {
        let frame = |frame: &Option<String>| frame.as_ref().map(|frame| self.redacted_frame(frame));
        Object::new()
            .set("method", exchange.method)
            .set("request", frame(&exchange.request))
            .set("response", frame(&exchange.response))
            .set("duration_ms", exchange.elapsed.map(|elapsed| elapsed.as_millis()))
    }

    fn redacted_frame(&self, frame: &str) -> String {
        match RawJson::parse(frame) {
            Ok(raw) => self.secrets.hide_json(&raw).text().to_owned(),
            Err(_) => self.redacted(frame),
        }
    }

    /// The text without the secrets that the caller gave for this connection.
    pub(crate) fn redacted(&self, text: &str) -> String {
        self.secrets.hide(text).into_owned()
    }

    /// The same of JSON.
    pub(crate) fn redacted_json(&self, raw: &RawJson) -> RawJson {
        self.secrets.hide_json(raw)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(exchange: &RecordedExchange) -> usize {
    [&exchange.request, &exchange.response].into_iter().flatten().map(String::len).sum()
}

#[cfg(test)]
mod tests;
