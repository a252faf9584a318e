//! Media types in headers: what a body is, and what the client can read.

use std::str::FromStr as _;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use mime::Mime;

/// What rmcp looks for in `Accept` and `Content-Type`, letter for letter.
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// The body is not declared as JSON.
    Body,
    /// The client does not read what we would answer with.
    Answer,
}

/// Checks the headers of a request, and spells them as rmcp wants them.
pub(crate) fn check_media(method: &Method, headers: &mut HeaderMap) -> Result<(), Unreadable> {
    let answers: &[Mime] = match *method {
        Method::POST => &[mime::APPLICATION_JSON, mime::TEXT_EVENT_STREAM],
        Method::GET => &[mime::TEXT_EVENT_STREAM],
        _ => return Ok(()),
    };
    if *method == Method::POST && !is_json(headers) {
        return Err(Unreadable::Body);
    }
    if !answers.iter().all(|answer| accepts(headers, answer)) {
        return Err(Unreadable::Answer);
    }
    headers.insert(ACCEPT, BOTH);
    if *method == Method::POST {
        headers.insert(CONTENT_TYPE, JSON);
    }
    Ok(())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| Mime::from_str(kind.to_str().ok()?).ok());
    kind.is_some_and(|kind| kind.essence_str() == mime::APPLICATION_JSON.essence_str())
}

/// Whether `Accept` admits a media type: of the ranges that match, the narrowest decides. A client
/// that sends no `Accept` takes anything.
fn accepts(headers: &HeaderMap, wanted: &Mime) -> bool {
    let mut lines = headers.get_all(ACCEPT).iter().peekable();
    if lines.peek().is_none() {
        return true;
    }
    let ranges = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    let matching = ranges.filter_map(|range| Mime::from_str(range.trim()).ok()).filter_map(|range| {
        let narrow = match (range.type_(), range.subtype()) {
            (mime::STAR, mime::STAR) => 0,
            (kind, mime::STAR) if kind == wanted.type_() => 1,
            (kind, subtype) if (kind, subtype) == (wanted.type_(), wanted.subtype()) => 2,
            _ => return None,
        };
        let weight = range.get_param("q").and_then(|weight| weight.as_str().parse::<f32>().ok());
        Some((narrow, weight.is_none_or(|weight| weight > 0.0)))
    });
    matching.max().is_some_and(|(_, wanted)| wanted)
}

#[cfg(test)]
mod tests;
