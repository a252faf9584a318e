//! What a server sends without being asked.

use mortise_contract::RawJson;

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressReport {
    /// Grows with every report.
    pub progress: f64,
    /// What `progress` will be at the end, when the server knows.
    pub total: Option<f64>,
    /// What is being done; a note if the text was over the limit.
    pub message: Option<String>,
}

/// One of the lists a server can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangedList {
    /// `tools/list`.
    Tools,
    /// `resources/list` and `resources/templates/list`.
    Resources,
    /// `prompts/list`.
    Prompts,
}

/// A log message of a server.
#[derive(Clone, Debug)]
pub struct LogMessage {
    /// `debug`, `info` … as sent; empty when missing.
    pub level: String,
    /// Which part of the server speaks.
    pub logger: Option<String>,
    /// The message, any JSON; a note if the parameters were over the limit.
    pub data: RawJson,
}

/// Something that a server sent without being asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A log message, unless the listener of a call took it.
    Log(LogMessage),
    /// A list has changed. The tools are listed again without being asked for.
    ListChanged(ChangedList),
    /// A subscribed resource has changed.
    ResourceUpdated {
        /// Its address.
        uri: String,
    },
    /// A notification of another kind.
    Other {
        /// Its method.
        method: String,
        /// Its parameters, verbatim; a note, as a string, if they were over the limit.
        params: Option<RawJson>,
    },
    /// The catalogue was replaced.
    CatalogChanged {
        /// The new one's number.
        revision: u64,
    },
    /// The server broke the protocol; nothing else was harmed.
    Fault(ProtocolFault),
}

/// A place where a server broke the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolFault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The start of what it sent, control characters escaped.
    pub excerpt: String,
}

/// How a server can break the protocol without breaking the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[non_exhaustive]
#[strum(serialize_all = "snake_case")]
pub enum FaultKind {
    /// A line that is not JSON.
    NotJson,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// JSON that is not a JSON-RPC message, for example since a key occurs twice.
    NotAMessage,
    /// A message without `"jsonrpc": "2.0"`; it was taken all the same.
    NoVersion,
    /// A batch, which only protocol 2025-03-26 knows.
    Batch,
    /// An id that is null, fractional or longer than 256 bytes, or a number of ours as a string.
    BadId,
    /// An answer to a request that was never sent.
    UnknownResponse,
    /// An answer that came after its request was given up.
    LateResponse,
    /// A second answer to one request.
    RepeatedResponse,
    /// An answer with both `result` and `error`.
    BothResultAndError,
    /// An answer with neither `result` nor `error`.
    NeitherResultNorError,
    /// A message larger than the frame limit, a request or a changed resource's address larger than its own.
    TooLarge,
    /// A request that the negotiated protocol does not let a server send.
    UnexpectedRequest,
    /// More notifications in a second than are handed on.
    NotificationFlood,
}

impl FaultKind {
    /// Whether what was sent was put aside without failing the request that waits, so that an
    /// answer may have been meant.
    pub(crate) fn is_skipped(self) -> bool {
        matches!(
            self,
            Self::NotJson
                | Self::NotUtf8
                | Self::NotAMessage
                | Self::Batch
                | Self::BadId
                | Self::UnknownResponse
        )
    }

    /// What is wrong, as the end of a sentence about the message.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::NotJson => "is not JSON",
            Self::NotUtf8 => "is not UTF-8",
            Self::NotAMessage => "is not a JSON-RPC message",
            Self::NoVersion => "has no `jsonrpc`",
            Self::Batch => "is a batch",
            Self::BadId => "has an id that can't be used",
            Self::UnknownResponse => "answers no request of ours",
            Self::LateResponse => "came too late",
            Self::RepeatedResponse => "answers a request for the second time",
            Self::BothResultAndError => "has both a result and an error",
            Self::NeitherResultNorError => "has neither a result nor an error",
            Self::TooLarge => "is too large",
            Self::UnexpectedRequest => "is a request that may not be sent",
            Self::NotificationFlood => "is one notification too many",
        }
    }

    /// A short stable word, e.g. `not_json`.
    pub fn label(self) -> &'static str {
        self.into()
    }
}
