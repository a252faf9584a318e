//! Calls that wait, in memory, for their client to come back with an answer.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::RunningCall;
use crate::ProtocolError;
use crate::input::AskError;
use crate::limits;
use crate::random;

/// Waiting calls by an unguessable id.
#[derive(Clone, Debug)]
pub(crate) struct Parking(Arc<Mutex<HashMap<String, RunningCall>>>);

impl Parking {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// Keeps `work` until it is asked for, its time is up, or the server stops.
    pub(crate) fn park(
        &self,
        work: RunningCall,
        shutdown: &CancellationToken,
    ) -> Result<String, ProtocolError> {
        let id = random::hex_id();
        {
            let mut parked = self.0.lock();
            if parked.len() >= limits::CALLS_PARKED {
                let error = AskError::TooMany { waiting: parked.len(), limit: limits::CALLS_PARKED };
                return Err(ProtocolError::overloaded(&error.to_string()));
            }
            parked.insert(id.clone(), work);
        }
        let (parking, shutdown, own) = (self.clone(), shutdown.clone(), id.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(limits::CALL_PARKED) => {}
                () = shutdown.cancelled() => {}
            }
            let late = parking.0.lock().remove(&own);
            if let Some(work) = late {
                work.stop().await;
            }
        });
        Ok(id)
    }

    pub(crate) fn resume(&self, id: &str) -> Result<RunningCall, ProtocolError> {
        let gone =
            || ProtocolError::invalid_params("the call that waited for this input is gone; start again");
        self.0.lock().remove(id).ok_or_else(gone)
    }
}
