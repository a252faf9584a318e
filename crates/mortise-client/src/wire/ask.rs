//! Requests that a server sends to us.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use mortise_contract::RawJson;
use parking_lot::{Mutex, MutexGuard};
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::exchange::Exchange;
use super::tap::raw_json;
use crate::limits;

/// A request of a server that waits for our answer.
#[derive(Debug)]
pub(crate) struct Ask {
    /// Its id, as the server wrote it.
    pub(crate) id: RawJson,
    pub(crate) method: String,
    pub(crate) params: Option<RawJson>,
    /// How many bytes the request had, if they are too many; nothing of it is kept but its id.
    pub(crate) oversize: Option<usize>,
    /// The request of ours that it belongs to, if that is known.
    pub(crate) exchange: Option<Arc<Exchange>>,
    pub(crate) cancelled: CancellationToken,
    answer: OnceLock<RawJson>,
}

impl Ask {
    pub(crate) fn new(
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        exchange: Option<Arc<Exchange>>,
    ) -> Self {
        Self {
            id: raw_json(id),
            method: method.to_owned(),
            params: params.map(raw_json),
            oversize: None,
            exchange,
            cancelled: CancellationToken::new(),
            answer: OnceLock::new(),
        }
    }

    /// A request over the size limit, which is only refused.
    pub(crate) fn oversize(id: &RawValue, bytes: usize) -> Self {
        Self { oversize: Some(bytes), ..Self::new(id, "", None, None) }
    }

    /// Resolves when the request of ours that it belongs to is over; never if that is not known.
    pub(crate) async fn call_over(&self) {
        match &self.exchange {
            Some(exchange) => exchange.over().await,
            None => std::future::pending().await,
        }
    }

    /// Keeps the exact answer for the transport.
    pub(crate) fn set_answer(&self, answer: RawJson) {
        let _ = self.answer.set(answer);
    }

    pub(crate) fn answer(&self) -> Option<&RawJson> {
        self.answer.get()
    }
}

/// The open requests of one server, by a number of ours.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: i64,
    by_number: HashMap<i64, Arc<Ask>>,
}

impl Asks {
    /// Takes in a request; `None` when too many are open or its id is in use.
    pub(crate) fn insert(&self, ask: Ask) -> Option<i64> {
        let mut open = self.open();
        if open.by_number.len() >= limits::UPSTREAM_ASKS
            || open.by_number.values().any(|other| other.id == ask.id)
        {
            return None;
        }
        open.next += 1;
        let number = open.next;
        open.by_number.insert(number, Arc::new(ask));
        Some(number)
    }

    pub(crate) fn get(&self, number: i64) -> Option<Arc<Ask>> {
        self.open().by_number.get(&number).cloned()
    }

    /// Removes a request that is being answered; `None` when the server has cancelled it.
    pub(crate) fn take(&self, number: i64) -> Option<Arc<Ask>> {
        let ask = self.open().by_number.remove(&number)?;
        (!ask.cancelled.is_cancelled()).then_some(ask)
    }

    /// The server no longer wants the answer to the request with this id. False if there is none.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        let open = self.open();
        let ask = open.by_number.values().find(|ask| ask.id.text() == id);
        ask.map(|ask| ask.cancelled.cancel()).is_some()
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock()
    }
}
