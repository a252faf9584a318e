//! Which request an HTTP stream or an HTTP answer belongs to.

use std::collections::VecDeque;

use rmcp::model::ServerJsonRpcMessage;

use super::{Pending, PendingKind, Tap};
use crate::event::FaultKind;
use crate::wire::envelope::{self, Envelope, ResponseBody, ResponseId};

impl Tap {
    /// Notes the id of an event on the HTTP stream that answers `wire_id`.
    pub(crate) fn note_event(&self, wire_id: u64, event: &str) {
        if let Some(Pending { kind: PendingKind::Ours(exchange), .. }) = self.pending().get(&wire_id) {
            exchange.note_event(event);
        }
    }

    /// The request whose HTTP stream goes on after the event `last_event`.
    pub(crate) fn resumed(&self, last_event: &str) -> Option<u64> {
        let goes_on = |pending: &Pending| match &pending.kind {
            PendingKind::Ours(exchange) => exchange.is_last_event(last_event),
            PendingKind::Handshake(_) => false,
        };
        self.pending().iter().find(|(_, pending)| goes_on(pending)).map(|(wire_id, _)| *wire_id)
    }

    /// Whether a text is an answer with the id of this very request.
    pub(crate) fn answers(&self, wire_id: u64, text: &str) -> bool {
        let parsed = envelope::parse(text).map(|parsed| parsed.envelope);
        matches!(parsed, Ok(Envelope::Response { id, .. }) if id == ResponseId::Number(wire_id))
    }

    /// Takes in the body of the HTTP answer to the request `wire_id`; `None` when it is not an answer.
    ///
    /// HTTP itself says which request is answered, so an error without our id is taken too: what
    /// stands in front of a server often refuses a request without reading it.
    pub(crate) fn answer_post(&self, wire_id: u64, text: &str) -> Option<ServerJsonRpcMessage> {
        let envelope = match envelope::parse(text) {
            Ok(parsed) => parsed.envelope,
            Err(kind) => {
                self.inbox.fault(kind, text);
                return None;
            }
        };
        let mut out = VecDeque::new();
        match envelope {
            Envelope::Response { id, body: body @ ResponseBody::Error(_) }
                if id != ResponseId::Number(wire_id) =>
            {
                if matches!(id, ResponseId::Number(_)) {
                    self.inbox.fault(FaultKind::UnknownResponse, text);
                }
                self.response(ResponseId::Number(wire_id), body, text, &mut out);
            }
            Envelope::Batch(items) => self.incoming_batch(&items, text, Some(wire_id), &mut out),
            envelope => self.incoming_one(envelope, text, Some(wire_id), &mut out),
        }
        out.pop_front()
    }
}
