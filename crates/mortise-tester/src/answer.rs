//! The one form of every answer: success or failure, what the tool shows, and how long it took.
//!
//! Here and in `tools/` a `///` comment on a type or field that is part of an input or an answer is the description
//! that callers read in the schema. What only we need to know stands in `//` comments.

use std::borrow::Cow;

use mortise_contract::RawJson;
use mortise_contract::json::measure;
use mortise_contract::limits::JSON_DEPTH;
use mortise_server::absent_is_not_null;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::exchanges::Exchanges;
use crate::failure::{ErrorShown, TestFailure};
use crate::moment::Moment;
use crate::tools::call::{ContractShown, ToolCallShown};

/// Levels that an answer of ours puts around what a server wrote.
const ROOM: usize = 16;

/// What a tool gives back when it succeeds.
#[derive(Clone, Debug)]
pub(crate) struct ToolReport<Body, Metadata = NoMetadata> {
    pub(crate) body: Body,
    pub(crate) metadata: Metadata,
}

impl<Body> ToolReport<Body> {
    pub(crate) fn new(body: Body) -> Self {
        Self { body, metadata: NoMetadata {} }
    }
}

// The metadata of a tool that has only the time.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct NoMetadata {}

// When a server was asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct RetrievedAt {
    pub(crate) retrieved_at: String,
}

// A success on the wire. Its schema also has what a failure has, see `FailedAnswer`.
#[derive(Serialize)]
pub(crate) struct ToolAnswer<Body, Metadata>(Success<Body, Metadata>);

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Success<Body, Metadata> {
    success: bool,
    #[serde(flatten)]
    body: Body,
    metadata: TimedMetadata<Metadata>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct TimedMetadata<Metadata> {
    #[serde(flatten)]
    own: Metadata,
    request_time_ms: u64,
}

impl<Body, Metadata> ToolAnswer<Body, Metadata> {
    /// The answer to a call that began at `started`.
    pub(crate) fn new(report: ToolReport<Body, Metadata>, started: Moment) -> Self {
        let metadata = TimedMetadata { own: report.metadata, request_time_ms: started.elapsed_ms() };
        Self(Success { success: true, body: report.body, metadata })
    }
}

impl<Body: JsonSchema, Metadata: JsonSchema> JsonSchema for ToolAnswer<Body, Metadata> {
    fn schema_name() -> Cow<'static, str> {
        "ToolAnswer".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Success::<Body, Metadata>::json_schema(generator);
        let mut failed = EveryFailure::json_schema(generator);
        let failed = failed.get_mut("properties").and_then(Value::as_object_mut).map(std::mem::take);
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            for (name, property) in failed.unwrap_or_default() {
                properties.entry(name).or_insert(property);
            }
        }
        promise_no_more_than_types(&mut schema);
        schema
    }
}

// A failure on the wire.
#[derive(Serialize)]
pub(crate) struct FailedAnswer {
    success: bool,
    #[serde(flatten)]
    common: EveryFailure,
    #[serde(flatten)]
    shown: FailureShown,
    metadata: TimedMetadata<NoMetadata>,
}

// What every failure has.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct EveryFailure {
    /// Present when success is false
    error: ErrorShown,
    connection: FailedConnection,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct FailedConnection {
    #[serde(skip_serializing_if = "Option::is_none")]
    server_url: Option<String>,
}

// What a failure shows of a request that was sent.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct FailureShown {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call: Option<ToolCallShown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contract: Option<ContractShown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw_exchanges: Option<Vec<ExchangeShown>>,
}

impl FailedAnswer {
    /// The answer to a call that began at `started` and names the server at `server_url`.
    pub(crate) fn new(failure: TestFailure, server_url: Option<String>, started: Moment) -> Self {
        let metadata = TimedMetadata { own: NoMetadata {}, request_time_ms: started.elapsed_ms() };
        let (error, shown) = failure.into_parts();
        let common = EveryFailure { error, connection: FailedConnection { server_url } };
        Self { success: false, common, shown, metadata }
    }

    /// Without the secrets of a connection in its error.
    pub(crate) fn redacted(mut self, exchanges: &Exchanges) -> Self {
        self.common.error = self.common.error.redacted(exchanges);
        self
    }
}

// A request to the server under test and its answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ExchangeShown {
    pub(crate) method: &'static str,
    /// The frame as sent
    pub(crate) request: Option<String>,
    /// The frame as received
    pub(crate) response: Option<String>,
    pub(crate) duration_ms: Option<u64>,
}

// JSON from another program, as it can stand in an answer: itself, or, where it nests so deeply or is written
// so oddly that clients could not read the answer, a string that holds it.
#[derive(Clone, Debug)]
pub(crate) struct AsSent(RawJson);

impl AsSent {
    pub(crate) fn new(raw: &RawJson) -> Self {
        let is_readable =
            raw.value().is_ok_and(|value| measure(&value, JSON_DEPTH).levels + ROOM <= JSON_DEPTH);
        Self(if is_readable { raw.clone() } else { RawJson::string(raw.text()) })
    }

    pub(crate) fn json(&self) -> &RawJson {
        &self.0
    }
}

impl Serialize for AsSent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for AsSent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AsSent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}

/// The `properties` of a schema that an answer promises.
pub(crate) fn promised<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    promise_no_more_than_types(&mut schema);
    schema.remove("properties").unwrap_or_default()
}

/// No member of an answer is required: a failure lacks what a success has, and a server may leave out what it likes.
fn promise_no_more_than_types(schema: &mut Schema) {
    absent_is_not_null(schema);
    RecursiveTransform(|schema: &mut Schema| drop(schema.remove("required"))).transform(schema);
}

#[cfg(test)]
mod tests;
