//! Reading a resource.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mortise_client::{CallError, CallOptions};
use mortise_contract::RawJson;
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{AsSent, ExchangeShown, FailureShown, ToolReport};
use crate::callers::Workspace;
use crate::connection::{BriefConnection, CountedEvent, TestConnection};
use crate::failure::{ErrorType, FailureDetails, Subject, TestFailure, failed_call};
use crate::fitting::{Fitted, Fitter, Fitting};
use crate::input::{ConnectionName, TimeoutMs, call_options};
use crate::moment::Moment;
use crate::tools::TestOutcome;
use crate::tools::asking::{Asking, count_failure, is_listed, text};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReadResourceInput {
    /// URI of the resource to read (as returned by list_resources)
    uri: String,
    connection: Option<ConnectionName>,
    timeout_ms: Option<TimeoutMs>,
    /// Show the frames as sent and received
    #[serde(default)]
    include_raw: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ReadResource {
    connection: BriefConnection,
    resource: Fitted<ResourceContentPromise>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_exchanges: Option<Vec<ExchangeShown>>,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
pub(crate) struct ResourceContentPromise {
    uri: String,
    #[schemars(rename = "mimeType")]
    mime_type: String,
    /// Resource content (text or base64 for binary)
    content: AsSent,
    /// Every content as sent
    contents: Vec<AsSent>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ReadMetadata {
    retrieved_at: String,
    content_size: usize,
}

pub(super) async fn read_resource(
    workspace: Arc<Workspace>,
    input: ReadResourceInput,
    context: CallContext,
) -> TestOutcome<ReadResource, ReadMetadata> {
    let connection = workspace.connections.usable(ConnectionName::of(input.connection.as_ref()))?;
    let uri = input.uri.as_str();
    let plain = call_options(&context, input.timeout_ms);
    let (asking, options) = Asking::start(&connection, plain.clone());
    let outcome = connection.upstream.read_resource(uri, options).await;
    let frames = asking.keep();
    let raw_exchanges = input.include_raw.then_some(frames);
    let result = match outcome {
        Ok(result) => result,
        Err(error) => {
            count_failure(&connection, &error).await;
            let is_listed = match &error {
                CallError::Rpc { .. } => is_offered(&connection, uri, plain).await,
                _ => None,
            };
            let failure = failed_call(&error, Subject::Resource { uri, is_listed });
            return Err(failure.showing(FailureShown { raw_exchanges, ..FailureShown::default() }));
        }
    };
    let contents = result.member("contents").and_then(|all| Some((all.elements().ok()?, all)));
    let Some((elements, contents)) = contents else {
        connection.statistics.count(CountedEvent::Error);
        return Err(without_contents(uri, &result, raw_exchanges));
    };
    connection.statistics.count(CountedEvent::ResourceRead);
    let fitter = Fitter::new(&workspace.schemas);
    let mut resource = fitter.object();
    let content_size = take_first(&mut resource, uri, elements.first());
    resource.take("contents", &contents);
    let metadata = ReadMetadata { retrieved_at: Moment::now().stamp(), content_size };
    let body = ReadResource { connection: connection.brief(), resource: resource.finish(), raw_exchanges };
    Ok(ToolReport { body, metadata })
}

/// Takes over the first content; returns its size in bytes.
fn take_first(
    resource: &mut Fitting<'_, '_, ResourceContentPromise>,
    uri: &str,
    first: Option<&RawJson>,
) -> usize {
    let member = |key: &str| first.and_then(|first| first.member(key));
    match member("uri") {
        Some(sent) => resource.take("uri", &sent),
        None => resource.put("uri", RawJson::string(uri)),
    }
    if let Some(kind) = member("mimeType") {
        resource.take("mimeType", &kind);
    }
    match (member("text"), member("blob")) {
        (Some(text), _) => {
            resource.take("content", &text);
            text.value().ok().and_then(|text| text.as_str().map(str::len)).unwrap_or_default()
        }
        (None, Some(blob)) => {
            resource.take("content", &blob);
            decoded(&blob).unwrap_or_else(|| {
                resource.note("`blob` is not Base64");
                0
            })
        }
        (None, None) => {
            resource.put("content", RawJson::null());
            resource.note(if first.is_some() {
                "there is neither `text` nor `blob`"
            } else {
                "there are no contents"
            });
            0
        }
    }
}

/// Bytes that a Base64 string stands for.
fn decoded(blob: &RawJson) -> Option<usize> {
    let text = blob.value().ok()?;
    STANDARD.decode(text.as_str()?).ok().map(|bytes| bytes.len())
}

fn without_contents(uri: &str, result: &RawJson, raw_exchanges: Option<Vec<ExchangeShown>>) -> TestFailure {
    let details = FailureDetails {
        uri: Some(uri.to_owned()),
        result: Some(AsSent::new(result)),
        ..FailureDetails::reason("protocol_violation")
    };
    TestFailure::new(
        ErrorType::TransportError,
        "the server's answer to `resources/read` has no list `contents`",
        "The server breaks the protocol; `details.result` is what it sent.",
    )
    .details(details)
    .showing(FailureShown { raw_exchanges, ..FailureShown::default() })
}

/// Whether the server lists the address or has a template that it can come from; `None` if that is not known.
async fn is_offered(connection: &TestConnection, uri: &str, options: CallOptions) -> Option<bool> {
    if is_listed(&connection.upstream.resources(options.clone()).await, "uri", uri)? {
        return Some(true);
    }
    let templates = connection.upstream.resource_templates(options).await.ok().unwrap_or_default();
    let may_come_from = |template: String| {
        let fixed = template.split('{').next().unwrap_or_default().len();
        uri.starts_with(&template[..fixed])
    };
    match templates.iter().filter_map(|template| text(template, "uriTemplate")).any(may_come_from) {
        true => None,
        false => Some(false),
    }
}
