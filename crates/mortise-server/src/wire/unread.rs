//! Answers that clients have not read yet: counted for each client, from our hands to the socket, and bounded.
//!
//! A client that asks on many connections and reads none would otherwise fill our memory with answers, which no
//! program's account holds any more.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use axum::body::Bytes;
use http::Request;
use parking_lot::Mutex;

use super::http::SESSION_HEADER;
use crate::http::HttpPeer;
use crate::members::Members;
use crate::{ProtocolError, frame};

/// Entries of clients that have gone are looked for when there are this many more.
const SWEEP: usize = 64;

/// The tallies of all clients that have unread answers or a request under way.
pub(super) struct UnreadAnswers {
    tallies: Mutex<Tallies>,
    /// Bytes that one client may leave unread.
    limit: usize,
}

#[derive(Default)]
struct Tallies {
    by_client: HashMap<String, Weak<AtomicUsize>>,
    sweep_at: usize,
}

impl UnreadAnswers {
    pub(super) fn new(limit: usize) -> Self {
        Self { tallies: Mutex::default(), limit }
    }

    /// The tally of the client that sent this request: its session, or else its name and address.
    pub(super) fn of(&self, request: &Request<Bytes>) -> Tally {
        let session = request.headers().get(SESSION_HEADER).and_then(|id| id.to_str().ok());
        let client = match session {
            Some(session) => session.to_owned(),
            None => {
                let address = request.extensions().get::<HttpPeer>().map(|peer| peer.address);
                format!("{address:?} {}", client_name(request.body()).unwrap_or_default())
            }
        };
        let mut tallies = self.tallies.lock();
        if let Some(tally) = tallies.by_client.get(&client).and_then(Weak::upgrade) {
            return Tally { bytes: tally, limit: self.limit };
        }
        if tallies.by_client.len() >= tallies.sweep_at {
            tallies.by_client.retain(|_, tally| tally.strong_count() > 0);
            tallies.sweep_at = tallies.by_client.len() + SWEEP;
        }
        let tally = Arc::default();
        tallies.by_client.insert(client, Arc::downgrade(&tally));
        Tally { bytes: tally, limit: self.limit }
    }
}

/// The name that a client without session gives itself in every request.
fn client_name(body: &[u8]) -> Option<String> {
    let request = Members::parse(std::str::from_utf8(body).ok()?).ok()?;
    let params = Members::parse(request.get("params")?.get()).ok()?;
    let meta = Members::parse(params.get("_meta")?.get()).ok()?;
    let client = Members::parse(meta.get("io.modelcontextprotocol/clientInfo")?.get()).ok()?;
    serde_json::from_str(client.get("name")?.get()).ok()
}

/// How many bytes of answers one client has not read.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    bytes: Arc<AtomicUsize>,
    limit: usize,
}

impl Tally {
    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Why the client can't ask for more now.
    pub(super) fn refusal(&self) -> Option<ProtocolError> {
        let bytes = self.bytes();
        let reason = || format!("{bytes} bytes of answers to this client have not been read");
        (bytes > self.limit / 2).then(|| ProtocolError::overloaded(&reason()))
    }

    /// Counts these bytes until they are dropped, which hyper does when they are written.
    pub(super) fn count(&self, bytes: Bytes) -> Bytes {
        self.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        Bytes::from_owner(CountedBytes { bytes, tally: self.clone() })
    }

    /// What is sent in place of an answer for which there is no room beside the unread ones; `None` if there is, and
    /// for messages that are not answers. The first unread answer always has room.
    pub(super) fn replacement(&self, message: &str) -> Option<String> {
        let unread = self.bytes();
        if unread == 0 || unread + message.len() <= self.limit {
            return None;
        }
        let members = Members::parse(message).ok()?;
        let (id, _) = (members.get("id")?.get(), members.get("result")?);
        let error = ProtocolError::overloaded(&format!(
            "the answer was dropped: {unread} bytes of earlier answers have not been read"
        ));
        Some(frame::response_text(id, "error", &error.to_json().to_string()))
    }
}

struct CountedBytes {
    bytes: Bytes,
    tally: Tally,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        self.tally.bytes.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
