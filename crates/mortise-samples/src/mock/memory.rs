//! What a running mock remembers.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;

use super::plan::{ListMoment, MockPlan};
use super::tool::MockTool;
use crate::random::SeededNumbers;

/// Messages remembered for [`received`](super::Mock::received).
const REMEMBERED: usize = 10_000;
/// Sessions and subscriptions kept.
const KEPT: usize = 10_000;

/// What the mock knows about its clients and of what it has sent.
pub(crate) struct MockMemory {
    pub(crate) random: SeededNumbers,
    /// Tool lists that were begun.
    pub(crate) lists: u64,
    /// Calls of the tool `change`.
    pub(crate) changes: u64,
    /// The tools of the last moment: a list of many pages is made once.
    tools: Option<(ListMoment, Arc<[MockTool]>)>,
    /// Pages of tools served.
    pub(crate) pages: u64,
    /// Requests that matched a rule, by the rule's position.
    pub(crate) matched: HashMap<usize, u64>,
    /// How often each request of a recording was answered, by its key.
    pub(crate) replayed: HashMap<String, usize>,
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

impl MockMemory {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: SeededNumbers::new(seed),
            lists: 0,
            changes: 0,
            tools: None,
            pages: 0,
            matched: HashMap::new(),
            replayed: HashMap::new(),
            asked: HashMap::new(),
            initialized: false,
            subscriptions: Vec::new(),
            http_requests: 0,
            sessions: HashMap::new(),
            received: VecDeque::new(),
        }
    }

    /// Forgets what belonged to the client before: a new one is at the other end.
    pub(crate) fn meet(&mut self) {
        self.initialized = false;
        self.replayed.clear();
        self.subscriptions.clear();
        self.asked.clear();
    }

    /// The tools as the list that was begun last shows them.
    pub(crate) fn tools(&mut self, plan: &MockPlan) -> Arc<[MockTool]> {
        let moment = ListMoment { lists: self.lists.saturating_sub(1), changes: self.changes };
        if let Some((made, tools)) = &self.tools
            && *made == moment
        {
            return tools.clone();
        }
        let tools: Arc<[MockTool]> = (plan.tools)(moment).into();
        self.tools = Some((moment, tools.clone()));
        tools
    }

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
