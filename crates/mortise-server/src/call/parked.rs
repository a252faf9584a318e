//! Calls that wait, in memory, for their client to come back with an answer.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::RunningCall;
use crate::ProtocolError;
use crate::input::AskError;
use crate::limits;
use crate::random;

/// Waiting calls by an unguessable id.
#[derive(Clone, Debug)]
pub(crate) struct Parking(Arc<Mutex<HashMap<String, ParkedCall>>>);

#[derive(Debug)]
struct ParkedCall {
    call: RunningCall,
    /// The size of its questions.
    bytes: usize,
    /// Ends the call when its time is up; ends itself when the call is taken out.
    timer: AbortOnDropHandle<()>,
}

impl Parking {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// Keeps a call until it is asked for, its time is up, or the server stops.
    pub(crate) fn park(
        &self,
        call: RunningCall,
        shutdown: &CancellationToken,
    ) -> Result<String, ProtocolError> {
        let mut parked = self.0.lock();
        if parked.len() >= limits::CALLS_PARKED {
            let error = AskError::TooMany { waiting: parked.len(), limit: limits::CALLS_PARKED };
            return Err(ProtocolError::overloaded(&error.to_string()));
        }
        let bytes = call.question_bytes();
        let held: usize = parked.values().map(|parked| parked.bytes).sum();
        if held + bytes > limits::CALLS_PARKED_BYTES {
            let reason = format!("calls that wait for input already hold {held} bytes of questions");
            return Err(ProtocolError::overloaded(&reason));
        }
        let id = random::hex_id();
        // The timer looks for the call under the same lock, so it can't come too early.
        let timer = tokio::spawn(self.clone().end_in_time(id.clone(), shutdown.clone()));
        parked.insert(id.clone(), ParkedCall { call, bytes, timer: AbortOnDropHandle::new(timer) });
        Ok(id)
    }

    async fn end_in_time(self, id: String, shutdown: CancellationToken) {
        tokio::select! {
            () = tokio::time::sleep(limits::CALL_PARKED) => {}
            () = shutdown.cancelled() => {}
        }
        let late = self.0.lock().remove(&id);
        if let Some(ParkedCall { call, timer, .. }) = late {
            // This task is the timer, and must not end itself before the call has ended.
            drop(timer.detach());
            call.stop().await;
        }
    }

    pub(crate) fn resume(&self, id: &str) -> Result<RunningCall, ProtocolError> {
        let gone =
            || ProtocolError::invalid_params("the call that waited for this input is gone; start again");
        self.0.lock().remove(id).map(|parked| parked.call).ok_or_else(gone)
    }
}
