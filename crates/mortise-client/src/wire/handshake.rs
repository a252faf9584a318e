//! The first answers of a server, read tolerantly and kept whole.

use std::collections::HashMap;

use mortise_contract::RawJson;
use mortise_contract::json::JsonError;
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{
    DiscoverResult, ErrorCode, ErrorData, InitializeResult, ProtocolVersion, ServerCapabilities, ServerResult,
};
use serde_json::Value;
use serde_json::value::RawValue;

use super::envelope::ResponseBody;
use super::exchange::ExchangeAnswer;
use super::tap::{error_data, raw_json};
use crate::error::RpcError;

/// What the server answered to `server/discover` and `initialize`.
#[derive(Debug, Default)]
pub(crate) struct Handshake {
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    /// The methods of requests that we gave up, by their ids.
    abandoned: HashMap<u64, String>,
    last: Option<HandshakeAnswer>,
    late_discover: bool,
    refused_probe: bool,
    batches: bool,
}

/// The last answer in the handshake.
#[derive(Clone, Debug)]
pub(crate) enum HandshakeAnswer {
    Result(RawJson),
    Error(RpcError),
    Unusable(String),
    Other(ExchangeAnswer),
}

impl Handshake {
    /// Notes an answer and gives rmcp one that it can read.
    pub(crate) fn record(&self, method: &str, answer: ExchangeAnswer) -> Result<ServerResult, ErrorData> {
        let mut record = self.lock();
        let (kept, stand_in) = match answer {
            ExchangeAnswer::Result(raw) => match stand_in(method, &raw) {
                Ok(stand_in) => (HandshakeAnswer::Result(raw), Ok(stand_in)),
                Err(unusable) => {
                    let detail = unusable.to_string();
                    let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, detail.clone(), None);
                    (HandshakeAnswer::Unusable(detail), Err(error))
                }
            },
            ExchangeAnswer::Error(error) => {
                let stand_in = error_data(&error);
                (HandshakeAnswer::Error(error), Err(stand_in))
            }
            ExchangeAnswer::Malformed { detail } => {
                let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, detail.clone(), None);
                (HandshakeAnswer::Unusable(detail), Err(error))
            }
            // What answers the probe with a plain HTTP error may still know `initialize`.
            ExchangeAnswer::Http { status, .. } if method == "server/discover" => {
                let detail = format!("HTTP status {status}");
                let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, detail.clone(), None);
                (HandshakeAnswer::Unusable(detail), Err(error))
            }
            other => {
                let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, "no usable answer", None);
                (HandshakeAnswer::Other(other), Err(error))
            }
        };
        if let HandshakeAnswer::Result(raw) = &kept {
            record.batches = method == "initialize" && version_of(raw).as_deref() == Some("2025-03-26");
        }
        record.last = Some(kept);
        stand_in
    }

    /// Notes a request that is given up, so that its late answer is known for what it is.
    pub(crate) fn abandon(&self, wire_id: u64, method: &str) {
        self.lock().abandoned.insert(wire_id, method.to_owned());
    }

    /// Takes in the late answer to a request that was given up; false where this was none.
    pub(crate) fn take_abandoned(&self, wire_id: u64, body: &ResponseBody<'_>) -> bool {
        let mut record = self.lock();
        let Some(method) = record.abandoned.remove(&wire_id) else { return false };
        if method == "server/discover" {
            let is_modern = matches!(body, ResponseBody::Result(result) if names_modern_version(result));
            record.late_discover |= is_modern;
            record.refused_probe |= !is_modern;
        }
        true
    }

    /// Notes that the server answered the probe and does not speak the modern era.
    pub(crate) fn refused_probe(&self) {
        self.lock().refused_probe = true;
    }

    /// Whether the server answered the probe and does not speak the modern era.
    pub(crate) fn has_refused_probe(&self) -> bool {
        self.lock().refused_probe
    }

    /// Whether the server turned out to be modern after we had stopped waiting for it.
    pub(crate) fn late_discover(&self) -> bool {
        self.lock().late_discover
    }

    pub(crate) fn last(&self) -> Option<HandshakeAnswer> {
        self.lock().last.clone()
    }

    /// Only protocol 2025-03-26 knows batches.
    pub(crate) fn allows_batches(&self) -> bool {
        self.lock().batches
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock()
    }
}

fn names_modern_version(result: &RawValue) -> bool {
    match stand_in("server/discover", &raw_json(result)) {
        Ok(ServerResult::DiscoverResult(discovered)) => {
            discovered.supported_versions.iter().any(|version| !version.has_initialize())
        }
        _ => false,
    }
}

fn version_of(raw: &RawJson) -> Option<String> {
    raw.value().ok()?.get("protocolVersion")?.as_str().map(str::to_owned)
}

/// Why an answer in the handshake can't be used.
#[derive(Debug, thiserror::Error)]
enum UnusableAnswer {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("the result is not an object")]
    NotAnObject,
    #[error("`/supportedVersions` is missing or not an array")]
    SupportedVersions,
    #[error("`/protocolVersion` is missing or not a string")]
    ProtocolVersion,
    #[error("unknown protocol version `{version}`")]
    UnknownVersion { version: String },
}

/// A minimal result of the right type with the versions the server named.
fn stand_in(method: &str, raw: &RawJson) -> Result<ServerResult, UnusableAnswer> {
    let value = raw.value()?;
    if !value.is_object() {
        return Err(UnusableAnswer::NotAnObject);
    }
    if method == "server/discover" {
        let versions = value
            .get("supportedVersions")
            .and_then(Value::as_array)
            .ok_or(UnusableAnswer::SupportedVersions)?;
        let versions = versions.iter().filter_map(|version| parse_version(version.as_str()?)).collect();
        return Ok(ServerResult::DiscoverResult(DiscoverResult::new(
            versions,
            ServerCapabilities::default(),
        )));
    }
    let version =
        value.get("protocolVersion").and_then(Value::as_str).ok_or(UnusableAnswer::ProtocolVersion)?;
    let mut result = InitializeResult::new(ServerCapabilities::default());
    result.protocol_version = parse_version(version)
        .ok_or_else(|| UnusableAnswer::UnknownVersion { version: version.to_owned() })?;
    Ok(ServerResult::InitializeResult(result))
}

fn parse_version(version: &str) -> Option<ProtocolVersion> {
    ProtocolVersion::KNOWN_VERSIONS.iter().find(|known| known.as_str() == version).cloned()
}
