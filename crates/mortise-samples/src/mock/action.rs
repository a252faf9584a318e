//! What the mock does in answer to a message, as data.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

/// Bytes that are written after a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// How long to wait first.
    pub(crate) pause: Duration,
    /// What to write then.
    pub(crate) bytes: Vec<u8>,
}

/// One step of an answer. Steps are carried out in order.
#[derive(Clone)]
pub(crate) enum MockAction {
    /// One message in pieces; the transport adds its own framing, a newline or an SSE event.
    Frame(Vec<Piece>),
    /// Bytes in pieces, with no framing added.
    Raw(Vec<Piece>),
    /// Nothing happens for a while.
    Wait(Duration),
    /// A line on stderr, `times` times.
    Stderr {
        /// The line, without its newline.
        line: String,
        times: u64,
    },
    /// Sends a request to the client and goes on with what its answer leads to.
    Ask(MockQuestion),
    /// The request stays unanswered while the connection lives.
    Hang,
    /// The server ends.
    End(MockEnd),
}

impl MockAction {
    pub(crate) fn frame(text: impl Into<Vec<u8>>) -> Self {
        Self::Frame(vec![Piece { pause: Duration::ZERO, bytes: text.into() }])
    }

    /// Bytes written at once, with no framing added.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Raw(vec![Piece { pause: Duration::ZERO, bytes: bytes.into() }])
    }

    /// Whether other messages should be read before this step is over.
    pub(crate) fn takes_time(&self) -> bool {
        match self {
            Self::Frame(pieces) | Self::Raw(pieces) => pieces.iter().any(|piece| !piece.pause.is_zero()),
            Self::Wait(_) | Self::Ask(_) | Self::Hang | Self::Stderr { .. } => true,
            Self::End(_) => false,
        }
    }
}

/// What follows the client's answer; null stands for none.
pub(crate) type Then = Arc<dyn Fn(&Value) -> Vec<MockAction> + Send + Sync>;

/// A request to the client, and what follows its answer.
#[derive(Clone)]
pub(crate) struct MockQuestion {
    pub(crate) id: String,
    pub(crate) frame: String,
    pub(crate) then: Then,
}

/// How a mock came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MockEnd {
    /// The client closed its side.
    Closed,
    /// The mock ends with this exit code.
    Exit(u8),
    /// The mock ends by SIGABRT.
    Abort,
    /// The mock ends by SIGKILL.
    Kill,
}
