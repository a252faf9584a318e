//! The latest requests and answers of a connection, frame by frame.

use std::collections::VecDeque;
use std::time::Duration;

use mortise_client::RecordedExchange;
use mortise_client::secret::Secrets;
use mortise_contract::{RawJson, RawObject};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::answer::ExchangeShown;
use crate::limits::{TESTER_EXCHANGE_BYTES, TESTER_EXCHANGES};

/// Requests that one operation may make and still be recorded in full.
const PER_OPERATION: usize = 64;

/// The frames that one connection exchanged, the latest of them.
#[derive(Debug)]
pub(crate) struct Exchanges {
    kept: Mutex<KeptExchanges>,
    secrets: Secrets,
}

#[derive(Debug, Default)]
struct KeptExchanges {
    exchanges: VecDeque<RecordedExchange>,
    bytes: usize,
    total: u64,
}

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
    pub(crate) fn keep(&self, recording: Recording) -> Vec<ExchangeShown> {
        let exchanges = recording.finish();
        let shown = exchanges.iter().map(|exchange| self.shown(exchange)).collect();
        let mut kept = self.kept.lock();
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
    pub(crate) fn last(&self, count: usize) -> (Vec<ExchangeShown>, u64) {
        let kept = self.kept.lock();
        let skipped = kept.exchanges.len().saturating_sub(count);
        (kept.exchanges.iter().skip(skipped).map(|exchange| self.shown(exchange)).collect(), kept.total)
    }

    fn shown(&self, exchange: &RecordedExchange) -> ExchangeShown {
        let frame = |frame: &Option<String>| frame.as_ref().map(|frame| self.redacted_frame(frame));
        let milliseconds = |elapsed: Duration| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        ExchangeShown {
            method: exchange.method,
            request: frame(&exchange.request),
            response: frame(&exchange.response),
            duration_ms: exchange.elapsed.map(milliseconds),
        }
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

    /// An object of ours without the secrets in any value; its keys stay.
    pub(crate) fn redacted_members(&self, object: &impl Serialize) -> RawJson {
        // Strings, numbers and JSON that was read before always have a JSON form.
        let members = RawJson::of(object).and_then(|object| object.members()).unwrap_or_default();
        let hidden = members.into_iter().map(|(key, value)| (key, self.secrets.hide_json(&value)));
        hidden.collect::<RawObject>().into_json()
    }
}

fn size(exchange: &RecordedExchange) -> usize {
    [&exchange.request, &exchange.response].into_iter().flatten().map(String::len).sum()
}

#[cfg(test)]
mod tests;
