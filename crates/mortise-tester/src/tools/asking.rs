//! One request to the server under test: its frames kept, its failure counted.

use mortise_client::{CallError, CallOptions};
use mortise_contract::RawJson;
use serde_json::Value;

use crate::answer::ExchangeShown;
use crate::connection::{CountedEvent, TestConnection};
use crate::exchanges::Recording;

/// The JSON-RPC code of a method that a server does not have.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;

pub(super) struct Asking<'a> {
    connection: &'a TestConnection,
    recording: Recording,
}

impl<'a> Asking<'a> {
    /// Begins one, and says how it is to be sent.
    pub(super) fn start(connection: &'a TestConnection, options: CallOptions) -> (Self, CallOptions) {
        let (recording, options) = connection.recorded(options);
        (Self { connection, recording }, options)
    }

    pub(super) fn keep(self) -> Vec<ExchangeShown> {
        self.connection.exchanges.keep(self.recording)
    }
}

/// Counts a request that has failed, and waits until the end of the server shows if that was why.
pub(super) async fn count_failure(connection: &TestConnection, error: &CallError) {
    connection.statistics.count(CountedEvent::Error);
    connection.settle(error).await;
}

/// Whether a list has an element whose `key` is `wanted`; `None` if it can't be had.
pub(super) fn is_listed(listed: &Result<Vec<RawJson>, CallError>, key: &str, wanted: &str) -> Option<bool> {
    match listed {
        Ok(listed) => Some(listed.iter().any(|element| text(element, key).as_deref() == Some(wanted))),
        // A server without the method has nothing of the kind.
        Err(CallError::Rpc { error, .. }) if error.code == METHOD_NOT_FOUND => Some(false),
        Err(_) => None,
    }
}

pub(super) fn text(raw: &RawJson, key: &str) -> Option<String> {
    match raw.member(key)?.value() {
        Ok(Value::String(text)) => Some(text),
        _ => None,
    }
}
