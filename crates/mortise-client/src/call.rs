//! Options and reports of a call.

use std::sync::Arc;
use std::time::Duration;

use mortise_contract::{Contract, Mode, ToolOutcome};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::CallError;
use crate::event::ProgressReport;
use crate::handler::CallListener;
use crate::wire::RecordedExchange;

/// How one call is made. The default takes everything from the server's configuration.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// What happens when the result breaks its contract.
    pub mode: Option<Mode>,
    /// How long the call may take, waiting for its turn included.
    pub timeout: Option<Duration>,
    /// The declaration that the caller goes by. Where the server declares the tool otherwise by the time that the call
    /// would be sent, nothing is sent and the error is [`CallError::Redeclared`].
    pub declared: Option<Arc<Contract>>,
    /// Whether the list of tools must hold every change that the server has announced before the call is sent. It is
    /// read again if it does not; where that fails nothing is sent and the error is [`CallError::NotCallable`].
    pub up_to_date: bool,
    /// The caller. One caller has at most half of the calls in flight that the other callers leave; a call
    /// without a caller waits for a place alone.
    pub caller: Option<Arc<str>>,
    /// When a larger piece of work ends; the earlier of this and the timeout counts.
    pub deadline: Option<Instant>,
    /// When a call ends that its server has answered with a task, in place of timeout and deadline. Without it they
    /// count for tasks too.
    pub task_deadline: Option<Instant>,
    /// Cancels the call. The server is notified.
    pub cancel: CancellationToken,
    /// Receives progress reports, and the messages of a task as such. A full channel loses reports.
    pub progress: Option<mpsc::Sender<ProgressReport>>,
    /// Answers the server's requests for this call and receives its log messages. Without a listener the pool's
    /// handlers answer, and log messages are events.
    pub listener: Option<Arc<dyn CallListener>>,
    /// Sent in `_meta`, e.g. `traceparent`.
    pub meta: Option<Map<String, Value>>,
    /// Receives the frames of every request as soon as it has ended. A full channel loses them.
    pub record: Option<mpsc::Sender<RecordedExchange>>,
}

/// A call with every frame that was exchanged for it.
#[derive(Clone, Debug)]
pub struct CallReport {
    /// The outcome.
    pub outcome: Result<ToolOutcome, CallError>,
    /// The requests made for it, in order: one, or more if the server asked for input.
    pub exchanges: Vec<RecordedExchange>,
}
