//! What the inputs of the tester's tools have in common, and how a call is read.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::time::Duration;

use mortise_client::CallOptions;
use mortise_contract::schema::{CompiledSchema, SchemaError, SchemaOptions, Validation};
use mortise_contract::{RawJson, RawObject, Violation};
use mortise_server::{CallContext, absent_is_not_null};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::failure::{FailureDetails, TestFailure};
use crate::limits::TESTER_TIME_MAX;
use crate::tools::call::ArgumentViolationShown;

// The input of a tool that takes nothing.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NoInput {}

// The input of a tool that only needs to know which connection is meant.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ConnectionInput {
    pub(crate) connection: Option<ConnectionName>,
}

/// Name of the connection to use; without it the current one
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub(crate) struct ConnectionName(String);

impl ConnectionName {
    /// The name; an empty one counts as none.
    pub(crate) fn of(given: Option<&Self>) -> Option<&str> {
        given.map(|name| name.0.as_str()).filter(|name| !name.is_empty())
    }
}

/// Milliseconds to wait for the server
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("minimum" = 1, "maximum" = 600_000))]
pub(crate) struct TimeoutMs(u64);

impl TimeoutMs {
    /// The time, within what may be asked for.
    pub(crate) fn time(self) -> Duration {
        Duration::from_millis(self.0).min(TESTER_TIME_MAX)
    }
}

/// How a request to the server under test is made for a call of a tool.
pub(crate) fn call_options(context: &CallContext, timeout: Option<TimeoutMs>) -> CallOptions {
    CallOptions {
        timeout: timeout.map(TimeoutMs::time),
        cancel: context.cancellation().clone(),
        ..CallOptions::default()
    }
}

// An object as the caller wrote it.
#[derive(Clone, Debug)]
pub(crate) struct GivenObject(RawJson);

impl GivenObject {
    /// The object; `{}` when there is none.
    pub(crate) fn or_empty(given: Option<&Self>) -> RawJson {
        given.map_or_else(|| RawObject::default().into_json(), |given| given.0.clone())
    }

    pub(crate) fn json(&self) -> &RawJson {
        &self.0
    }
}

impl<'de> Deserialize<'de> for GivenObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(raw.into()))
    }
}

impl JsonSchema for GivenObject {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "GivenObject".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Map::<String, Value>::json_schema(generator)
    }
}

/// The arguments of a call, not yet read: what is wrong with them is answered in the tester's own form.
pub(crate) struct GivenArguments<Input>(RawJson, PhantomData<fn() -> Input>);

impl<'de, Input> Deserialize<'de> for GivenArguments<Input> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(raw.into(), PhantomData))
    }
}

impl<Input: JsonSchema> JsonSchema for GivenArguments<Input> {
    fn schema_name() -> Cow<'static, str> {
        Input::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Input::json_schema(generator);
        absent_is_not_null(&mut schema);
        // Some providers want it even where it is empty.
        schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
        schema
    }
}

impl<Input: DeserializeOwned + JsonSchema> GivenArguments<Input> {
    /// What is accepted: as advertised, but `arguments` may always be left out or be null.
    pub(crate) fn accepted() -> Result<CompiledSchema, SchemaError> {
        let settings = SchemaSettings::draft2020_12().for_deserialize();
        let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<Self>().to_value();
        if let Some(kind) = schema.pointer_mut("/properties/arguments/type") {
            *kind = json!([kind.clone(), "null"]);
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != "arguments");
        }
        CompiledSchema::compile(&schema, &SchemaOptions::default())
    }

    /// The input that the arguments are, if they keep `accepted`. `parsed` are the same arguments as values.
    pub(crate) fn read(
        &self,
        accepted: &CompiledSchema,
        parsed: &Map<String, Value>,
    ) -> Result<Input, TestFailure> {
        if let Validation::Invalid { violations, .. } = accepted.validate(&Value::Object(parsed.clone())) {
            return Err(refused(&violations));
        }
        serde_json::from_str(self.0.text()).map_err(|error| {
            TestFailure::invalid(
                format!("the arguments do not match this tool's input schema: {error}"),
                "Give every argument once, in the form that the schema names.",
            )
        })
    }
}

fn refused(violations: &[Violation]) -> TestFailure {
    // The value at fault may be a secret.
    let shown = violations.iter().map(|violation| ArgumentViolationShown {
        instance_path: violation.instance_path.clone(),
        keyword: violation.keyword.clone(),
        ..ArgumentViolationShown::default()
    });
    let mut message = "the arguments do not match this tool's input schema".to_owned();
    if !violations.iter().any(|violation| holds_secrets(&violation.instance_path)) {
        let places: Vec<String> = violations
            .iter()
            .map(|violation| format!("{}: {}", place(&violation.instance_path), violation.message))
            .collect();
        message = format!("{message}: {}", places.join("; "));
    }
    let details = FailureDetails { violations: Some(shown.collect()), ..FailureDetails::default() };
    TestFailure::invalid(message, "Correct the arguments named in `details`.").details(details)
}

fn holds_secrets(pointer: &str) -> bool {
    ["/auth", "/headers", "/env", "/url"].iter().any(|secret| pointer.starts_with(secret))
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the arguments" } else { pointer }
}
