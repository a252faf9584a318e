//! A call of one of the tester's own tools, and what it gives back.

use std::time::Duration;

use mortise_client::CallOptions;
use mortise_contract::RawJson;
use mortise_server::CallContext;
use serde_json::{Map, Value};

use crate::limits::TESTER_TIME_MAX;
use crate::object::Object;

/// The arguments of a call, whose types are checked, and its context.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) arguments: Map<String, Value>,
    /// The same as the caller wrote them.
    pub(crate) raw: RawJson,
    pub(crate) context: CallContext,
}

impl Request {
    /// A text; an empty one counts as none.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.arguments.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// A switch.
    pub(crate) fn flag(&self, key: &str, default: bool) -> bool {
        self.arguments.get(key).and_then(Value::as_bool).unwrap_or(default)
    }

    /// A number of things.
    pub(crate) fn count(&self, key: &str, default: usize) -> usize {
        let given = self.arguments.get(key).and_then(Value::as_u64);
        given.map_or(default, |count| usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Which connection is meant.
    pub(crate) fn connection(&self) -> Option<&str> {
        self.text("connection")
    }

    /// `timeout_ms`, within what may be asked for.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        let given = self.arguments.get("timeout_ms").and_then(Value::as_u64)?;
        Some(Duration::from_millis(given).min(TESTER_TIME_MAX))
    }

    /// The object of that name as the caller wrote it; `{}` when there is none.
    pub(crate) fn object(&self, key: &str) -> RawJson {
        let given = self.raw.member(key).filter(|given| given.text() != "null");
        given.or_else(|| RawJson::parse("{}").ok()).unwrap_or_else(|| self.raw.clone())
    }

    /// How a request to the server under test is made for this call.
    pub(crate) fn options(&self) -> CallOptions {
        CallOptions {
            timeout: self.timeout(),
            cancel: self.context.cancellation().clone(),
            ..CallOptions::default()
        }
    }
}

/// What a call gives back when it succeeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) members: Object,
    /// Members of `metadata` besides the time.
    pub(crate) metadata: Object,
}

impl Report {
    /// A report with nothing to say about itself.
    pub(crate) fn new(members: Object) -> Self {
        Self { members, metadata: Object::new() }
    }

    /// Adds what is known about the report itself.
    pub(crate) fn about(mut self, metadata: Object) -> Self {
        self.metadata = metadata;
        self
    }
}
