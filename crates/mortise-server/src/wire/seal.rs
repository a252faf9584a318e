//! `requestState`: readable by the client, but not changeable, and bound to its request.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde_json::{Map, Value, json};

use crate::{ProtocolError, random};

/// How long a client may take to come back.
const SEAL_TIME: Duration = Duration::from_secs(3_600);

/// What a sealed state carries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sealed {
    /// State of the handler's own.
    State(Option<Value>),
    /// The id of a parked call.
    Parked(String),
}

/// Seals with a key that lives as long as the process.
pub(crate) struct Sealer(RequestStateCodec);

impl Sealer {
    pub(crate) fn new() -> Self {
        Self(RequestStateCodec::new_unchecked(random::bytes::<32>()))
    }

    pub(crate) fn seal(&self, sealed: &Sealed, binding: &[u8]) -> String {
        let payload = match sealed {
            Sealed::State(state) => json!({ "state": state }),
            Sealed::Parked(id) => json!({ "parked": id }),
        };
        let options = SealOptions::new().associated_data(binding).ttl(SEAL_TIME);
        self.0.seal_with(payload.to_string().as_bytes(), &options)
    }

    pub(crate) fn open(&self, sealed: &str, binding: &[u8]) -> Result<Sealed, ProtocolError> {
        // One message for every cause: which check failed is nobody's business.
        let refuse =
            || ProtocolError::invalid_params("`requestState` is not one of ours, or not for this request");
        let payload: Map<String, Value> = self.0.open_json_with(sealed, binding).map_err(|_| refuse())?;
        match (payload.get("state"), payload.get("parked").and_then(Value::as_str)) {
            (None, Some(id)) => Ok(Sealed::Parked(id.to_owned())),
            (Some(state), None) => Ok(Sealed::State(Some(state.clone()).filter(|state| !state.is_null()))),
            _ => Err(refuse()),
        }
    }
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Sealer")
    }
}
