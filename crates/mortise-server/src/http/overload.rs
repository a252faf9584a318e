//! A server that is too busy says so by the status as well, for proxies and clients that look no further.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use futures::{StreamExt as _, stream};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use http_body_util::{BodyExt as _, BodyStream, StreamBody};
use hyper::body::Frame;
use serde_json::Value;

use crate::ProtocolError;
use crate::frame::Refusal;
use crate::reply::OVERLOADED;

/// When a client that was turned away may try again, in seconds.
pub(super) const RETRY_SECONDS: &str = "10";
/// How long the status waits for the first message of a stream. Who is turned away is so at once.
const FIRST_MESSAGE: Duration = Duration::from_millis(100);
/// Events without a message that may come before the first one.
const EVENTS_BEFORE: usize = 4;

/// A refusal with status 503.
pub(super) fn refuse(refusal: &Refusal) -> Response {
    unavailable(StatusCode::OK.into_response(), refusal.to_text())
}

/// Gives a response whose first message says that the server is overloaded the status for it.
pub(super) async fn tell(response: Response) -> Response {
    if response.status() != StatusCode::OK {
        return response;
    }
    let kind = response.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_vec()).unwrap_or_default();
    let (parts, mut body) = response.into_parts();
    if !kind.starts_with(b"text/event-stream") {
        let Ok(whole) = body.collect().await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        let bytes = whole.to_bytes();
        let response = Response::from_parts(parts, Body::from(bytes.clone()));
        return match std::str::from_utf8(&bytes).ok().filter(|text| is_overload(text)) {
            Some(text) => unavailable(response, text.to_owned()),
            None => response,
        };
    }
    let mut begun: Vec<Frame<Bytes>> = Vec::new();
    let first = tokio::time::timeout(FIRST_MESSAGE, async {
        while begun.len() < EVENTS_BEFORE
            && let Some(Ok(frame)) = body.frame().await
        {
            let message = frame.data_ref().and_then(message);
            begun.push(frame);
            if message.is_some() {
                return message;
            }
        }
        None
    });
    let first = first.await.unwrap_or_default();
    let rest = stream::iter(begun.into_iter().map(Ok)).chain(BodyStream::new(body));
    let response = Response::from_parts(parts, Body::new(StreamBody::new(rest)));
    match first.filter(|text| is_overload(text)) {
        Some(text) => unavailable(response, text),
        None => response,
    }
}

/// The message of an event, if it has one.
fn message(event: &Bytes) -> Option<String> {
    let text = std::str::from_utf8(event).ok()?;
    let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    data.filter(|data| !data.is_empty()).map(str::to_owned).next()
}

fn is_overload(text: &str) -> bool {
    // Most messages are classified without being parsed.
    if !text.contains(OVERLOADED) {
        return false;
    }
    let message: Value = serde_json::from_str(text).unwrap_or_default();
    let error = &message["error"];
    error["code"] == ProtocolError::INTERNAL_ERROR
        && error["message"].as_str().is_some_and(|message| message.starts_with(OVERLOADED))
}

fn unavailable(response: Response, text: String) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.status = StatusCode::SERVICE_UNAVAILABLE;
    parts.headers.remove(CACHE_CONTROL);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    parts.headers.insert(RETRY_AFTER, HeaderValue::from_static(RETRY_SECONDS));
    Response::from_parts(parts, Body::from(text))
}
