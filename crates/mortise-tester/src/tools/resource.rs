//! Reading a resource.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mortise_client::{CallError, CallOptions};
use mortise_contract::RawJson;
use serde_json::Value;

use crate::callers::Workspace;
use crate::connection::{Connection, Count};
use crate::failure::{ErrorType, Failure, Subject, of_call};
use crate::fitting::Fitting;
use crate::moment::Moment;
use crate::object::Object;
use crate::request::{Report, Request};
use crate::tools::asking::{Asking, failed, is_listed, text};
use crate::tools::{Outcome, returned};

/// `read_resource`.
pub(super) async fn read(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.usable(request.connection())?;
    let uri = request.arguments.get("uri").and_then(Value::as_str).unwrap_or_default();
    let (asking, options) = Asking::start(&connection, request);
    let outcome = connection.upstream.read_resource(uri, options).await;
    let frames = asking.keep();
    let result = match outcome {
        Ok(result) => result,
        Err(error) => {
            failed(&connection, &error).await;
            let is_listed = match &error {
                CallError::Rpc { .. } => is_offered(&connection, uri, request.options()).await,
                _ => None,
            };
            return Err(of_call(&error, Subject::Resource { uri, is_listed }).showing(frames));
        }
    };
    let Some(contents) = result.member("contents").and_then(|contents| contents.elements().ok()) else {
        connection.statistics.count(Count::Error);
        return Err(broken(uri, &result).showing(frames));
    };
    connection.statistics.count(Count::ResourceRead);
    let properties = returned("read_resource", "/properties/resource/properties");
    let mut resource = Fitting::new(properties, &workspace.schemas);
    let first = contents.first();
    let member = |key: &str| first.and_then(|first| first.member(key));
    match member("uri") {
        Some(sent) => resource.take("uri", &sent),
        None => resource.put(|object| object.set("uri", uri)),
    }
    if let Some(kind) = member("mimeType") {
        resource.take("mimeType", &kind);
    }
    let size = match (member("text"), member("blob")) {
        (Some(text), _) => {
            resource.take("content", &text);
            text.value().ok().and_then(|text| text.as_str().map(str::len)).unwrap_or_default()
        }
        (None, Some(blob)) => {
            resource.take("content", &blob);
            decoded(&blob).unwrap_or_else(|| {
                resource.note("`blob` is no Base64");
                0
            })
        }
        (None, None) => {
            resource.put(|object| object.set("content", ()));
            resource.note(if first.is_some() {
                "there is neither `text` nor `blob`"
            } else {
                "there are no contents"
            });
            0
        }
    };
    if let Some(all) = result.member("contents") {
        resource.take("contents", &all);
    }
    let metadata = Object::new().set("retrieved_at", Moment::now().stamp()).set("content_size", size);
    let members = Object::new()
        .object("connection", &connection.brief())
        .object("resource", &resource.finish())
        .and(frames);
    Ok(Report::new(members).about(metadata))
}

/// Bytes that a Base64 text stands for.
fn decoded(blob: &RawJson) -> Option<usize> {
    let text = blob.value().ok()?;
    STANDARD.decode(text.as_str()?).ok().map(|bytes| bytes.len())
}

fn broken(uri: &str, result: &RawJson) -> Failure {
    let details =
        Object::new().set("reason", "protocol_violation").set("uri", uri).verbatim("result", result);
    Failure::new(
        ErrorType::TransportError,
        "the server's answer to `resources/read` has no list `contents`",
        "The server breaks the protocol; `details.result` is what it sent.",
    )
    .details(details)
}

/// Whether the server lists the address or has a template that it can come from; `None` if it can't be told.
async fn is_offered(connection: &Connection, uri: &str, options: CallOptions) -> Option<bool> {
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
