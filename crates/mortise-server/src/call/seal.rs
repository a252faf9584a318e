//! `requestState`: readable by the client, but not changeable, and bound to its request.
//!
//! A sealed state is `BODY.TAG` in Base64. The body is the second at which it expires, then JSON; the tag is an
//! HMAC-SHA256 of the request and the body. rmcp has such a seal as well, which brings twelve crates.

use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use hmac_sha256::HMAC;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::{ProtocolError, random};

/// How long a client may take to come back.
const SEAL_TIME: Duration = Duration::from_secs(3_600);

/// Bytes of the expiry before the JSON.
const EXPIRY_BYTES: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sealed {
    /// State that the handler gave.
    State(Option<Value>),
    /// The id of a parked call.
    Parked(String),
}

/// Seals with a key that lives as long as the server.
pub(crate) struct Sealer {
    key: [u8; 32],
    /// Expiries count from here, on a clock that never jumps.
    start: Instant,
}

impl Sealer {
    pub(crate) fn new() -> Self {
        Self { key: random::bytes(), start: Instant::now() }
    }

    pub(crate) fn seal(&self, sealed: &Sealed, binding: &[u8]) -> String {
        let payload = match sealed {
            Sealed::State(state) => json!({ "state": state }),
            Sealed::Parked(id) => json!({ "parked": id }),
        };
        let expiry = (self.start.elapsed() + SEAL_TIME).as_secs();
        let body = [&expiry.to_be_bytes()[..], payload.to_string().as_bytes()].concat();
        let tag = self.mac(binding, &body).finalize();
        format!("{}.{}", BASE64URL_NOPAD.encode(&body), BASE64URL_NOPAD.encode(&tag))
    }

    pub(crate) fn open(&self, sealed: &str, binding: &[u8]) -> Result<Sealed, ProtocolError> {
        // One message for every cause: a client must not learn which check failed.
        self.opened(sealed, binding).ok_or_else(|| {
            ProtocolError::invalid_params("`requestState` is not one of ours, or not for this request")
        })
    }

    fn opened(&self, sealed: &str, binding: &[u8]) -> Option<Sealed> {
        let (body, tag) = sealed.split_once('.')?;
        let body = BASE64URL_NOPAD.decode(body.as_bytes()).ok()?;
        let tag: [u8; 32] = BASE64URL_NOPAD.decode(tag.as_bytes()).ok()?.try_into().ok()?;
        if !self.mac(binding, &body).finalize_verify(&tag) {
            return None;
        }
        let (expiry, payload) = body.split_first_chunk::<EXPIRY_BYTES>()?;
        if self.start.elapsed().as_secs() >= u64::from_be_bytes(*expiry) {
            return None;
        }
        let payload: Map<String, Value> = serde_json::from_slice(payload).ok()?;
        match (payload.get("state"), payload.get("parked").and_then(Value::as_str)) {
            (None, Some(id)) => Some(Sealed::Parked(id.to_owned())),
            (Some(state), None) => Some(Sealed::State(Some(state.clone()).filter(|state| !state.is_null()))),
            _ => None,
        }
    }

    /// The length keeps the end of the binding apart from the beginning of the body.
    fn mac(&self, binding: &[u8], body: &[u8]) -> HMAC {
        let mut mac = HMAC::new(self.key);
        mac.update((binding.len() as u64).to_be_bytes());
        mac.update(binding);
        mac.update(body);
        mac
    }
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Sealer")
    }
}

#[cfg(test)]
mod tests;
