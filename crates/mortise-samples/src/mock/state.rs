//! What a running mock remembers.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;

use super::plan::Moment;
use crate::random::Random;

/// Messages remembered for [`received`](super::Mock::received).
const REMEMBERED: usize = 10_000;
/// Sessions and subscriptions kept.
const KEPT: usize = 10_000;

#[derive(Debug)]
pub(crate) struct State {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) random: Random,
    pub(crate) moment: Moment,
    /// Pages of tools served.
    pub(crate) pages: u64,
    /// Requests that matched a rule, by the rule's position.
    pub(crate) matched: HashMap<usize, u64>,
    /// Requests of ours that the client has not answered.
    pub(crate) asked: HashMap<String, oneshot::Sender<Value>>,
    /// Whether a legacy client has introduced itself.
    pub(crate) initialized: bool,
    /// Ids of the `subscriptions/listen` requests that are open.
    pub(crate) subscriptions: Vec<Value>,
    /// HTTP requests answered so far.
    pub(crate) http_requests: u64,
    /// Open HTTP sessions and the calls made in each.
    pub(crate) sessions: HashMap<String, u64>,
    received: VecDeque<Value>,
}

impl State {
    pub(crate) fn new(seed: u64) -> Self {
        let inner = Inner {
            random: Random::new(seed),
            moment: Moment::default(),
            pages: 0,
            matched: HashMap::new(),
            asked: HashMap::new(),
            initialized: false,
            subscriptions: Vec::new(),
            http_requests: 0,
            sessions: HashMap::new(),
            received: VecDeque::new(),
        };
        Self { inner: Mutex::new(inner) }
    }

    /// The state, also after a panic elsewhere: a mock has no invariant to lose.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Remembers a message of the client; the oldest goes first.
    pub(crate) fn remember(&mut self, message: &Value) {
        if self.received.len() == REMEMBERED {
            self.received.pop_front();
        }
        self.received.push_back(message.clone());
    }

    pub(crate) fn has_client(&self) -> bool {
        !self.received.is_empty()
    }

    pub(crate) fn received(&self) -> Vec<Value> {
        self.received.iter().cloned().collect()
    }

    pub(crate) fn subscribe(&mut self, id: &Value) {
        if self.subscriptions.len() < KEPT {
            self.subscriptions.push(id.clone());
        }
    }

    /// Opens a session under an unguessable-looking but reproducible id.
    pub(crate) fn open_session(&mut self) -> String {
        let id = format!("{:016x}{:016x}", self.random.next(), self.random.next());
        if self.sessions.len() < KEPT {
            self.sessions.insert(id.clone(), 0);
        }
        id
    }
}
