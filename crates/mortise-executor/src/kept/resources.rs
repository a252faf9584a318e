//! Kept values and outputs of runs as MCP resources of the client that owns them.

use std::sync::Arc;

use mortise_contract::RawJson;
use mortise_contract::json::JsonKind;
use mortise_server::{ProtocolError, RequestStep, Resource, ResourceContent};
use serde_json::{Value, json};

use super::{KeptEntry, KeptName, KeptOwner};
use crate::journal::{KeptRun, RunEntry, RunId};
use crate::limits::KEPT_READ;
use crate::run::Executor;

/// How all our own addresses begin.
pub(crate) const OWN_URI: &str = "mortise://";
const RUN_URI: &str = "mortise://run/";
const OUTPUT: &str = "/output";

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// The values that a caller has kept, as they are listed.
pub(crate) async fn kept_by(executor: &Executor, caller: &str) -> Vec<Resource> {
    match executor.kept_values().list(KeptOwner::Caller(caller.to_owned())).await {
        Ok(entries) => entries.iter().map(listed).collect(),
        Err(error) => {
            tracing::warn!(%error, "kept values are not listed");
            Vec::new()
        }
    }
}

fn listed(entry: &KeptEntry) -> Resource {
    let mime_type = if entry.shape.starts_with("str") { TEXT } else { JSON };
    Resource::new(&entry.name.uri(), entry.name.as_str())
        .description(&entry.shape)
        .field("mimeType", json!(mime_type))
        .field("size", json!(entry.bytes))
}

/// Reads a kept value, or the output of a run.
pub(crate) async fn read_own(
    executor: &Arc<Executor>,
    uri: &str,
    caller: &str,
) -> Result<RequestStep<Vec<ResourceContent>>, ProtocolError> {
    let not_found = || ProtocolError::resource_not_found(uri);
    let content = match uri.strip_prefix(RUN_URI).and_then(|rest| rest.strip_suffix(OUTPUT)) {
        Some(run) => {
            let run = RunId::parse(run).map_err(|_| not_found())?;
            let output = output_of(executor, run, caller).await.ok_or_else(not_found)?;
            within_limit(uri, TEXT, &output)?
        }
        None => {
            let name = KeptName::from_uri(uri).ok_or_else(not_found)?;
            let value = executor.kept_values().load(caller, &name).await.map_err(|error| match error {
                super::KeptError::NoValue { .. } => not_found(),
                other => ProtocolError::new(ProtocolError::INTERNAL_ERROR, other.to_string()),
            })?;
            value_content(uri, &value)?
        }
    };
    Ok(RequestStep::Done(vec![content]))
}

/// A string is text, everything else JSON with its digits.
fn value_content(uri: &str, value: &RawJson) -> Result<ResourceContent, ProtocolError> {
    match value.kind() {
        JsonKind::String => match value.value() {
            Ok(Value::String(text)) => within_limit(uri, TEXT, &text),
            _ => within_limit(uri, JSON, value.text()),
        },
        _ => within_limit(uri, JSON, value.text()),
    }
}

fn within_limit(uri: &str, mime_type: &str, text: &str) -> Result<ResourceContent, ProtocolError> {
    if text.len() <= KEPT_READ {
        return Ok(ResourceContent::text(uri, mime_type, text));
    }
    let message = format!(
        "{uri} has {} bytes, and one answer carries {KEPT_READ}: load it in a program and print a part of it",
        text.len()
    );
    Err(ProtocolError::invalid_params(message))
}

/// What a run of this caller printed, as far as it was recorded.
async fn output_of(executor: &Arc<Executor>, run: RunId, caller: &str) -> Option<String> {
    let journal = executor.journal()?.journal.clone();
    let kept = tokio::task::spawn_blocking(move || journal.read(&run)).await.ok()?.ok()?;
    (kept.begun.caller == caller).then(|| printed(kept))
}

fn printed(run: KeptRun) -> String {
    let texts = run.entries.into_iter().filter_map(|entry| match entry {
        RunEntry::Printed(text) => Some(text),
        _ => None,
    });
    texts.collect()
}
