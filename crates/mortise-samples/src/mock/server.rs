//! A mock that can be served: its plan, its state, and what it does with a message.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use mortise_contract::recording::Recording;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::sync::broadcast;

use super::action::{MockAction, MockEnd};
use super::frame::SUBSCRIPTION_ID;
use super::http::MockHttp;
use super::lines;
use super::memory::MockMemory;
use super::plan::{Background, MockEras, MockExchange, MockPlan};
use super::recorded::{RecordedAnswers, RecordedReply};
use super::scenario::{self, ScenarioError};
use super::{answer, frame};

/// Announcements that a slow stream may be behind.
const ANNOUNCEMENTS: usize = 1024;
/// Bytes between the two ends of [`Mock::connect`].
const PIPE: usize = 64 * 1024;

/// A server that behaves as its scenarios say. Clones share one state.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
///
/// let mock = mortise_samples::mock::Mock::parse("wrong-id")?;
/// let mut client = BufReader::new(mock.connect());
/// client.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await?;
/// let mut line = String::new();
/// client.read_line(&mut line).await?;
/// assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Mock {
    pub(crate) shared: Arc<SharedMock>,
}

pub(crate) struct SharedMock {
    pub(crate) plan: MockPlan,
    pub(crate) state: Mutex<MockMemory>,
    pub(crate) announcements: broadcast::Sender<Announcement>,
}

/// A notification for every client that wants it.
#[derive(Clone, Debug)]
pub(crate) struct Announcement {
    method: &'static str,
    params: Value,
    pub(crate) subscribed_only: bool,
}

impl Announcement {
    pub(crate) fn new(background: &Background) -> Self {
        Self {
            method: background.method,
            params: background.params.clone(),
            subscribed_only: background.subscribed_only,
        }
    }

    /// The frame for a legacy client.
    pub(crate) fn plain(&self) -> String {
        frame::notification(self.method, self.params.clone())
    }

    /// The frame for one subscription of a modern client.
    pub(crate) fn tagged(&self, subscription: &Value) -> String {
        let mut params = if self.params.is_null() { json!({}) } else { self.params.clone() };
        params["_meta"][SUBSCRIPTION_ID] = subscription.clone();
        frame::notification(self.method, params)
    }
}

impl Mock {
    /// A mock with this plan; `seed` decides everything that is left to chance.
    pub fn new(plan: MockPlan, seed: u64) -> Self {
        let announcements = broadcast::Sender::new(ANNOUNCEMENTS);
        Self {
            shared: Arc::new(SharedMock { plan, state: Mutex::new(MockMemory::new(seed)), announcements }),
        }
    }

    /// A mock with scenarios separated by spaces, such as `tools=500 slow=20`, and seed 0.
    pub fn parse(scenarios: &str) -> Result<Self, ScenarioError> {
        Ok(Self::new(scenario::plan(scenarios.split_whitespace())?, 0))
    }

    /// A mock that answers as the server of a recording did, in both eras.
    pub fn of_recording(recording: &Recording) -> Self {
        let recorded = Some(Arc::new(RecordedAnswers::new(recording)));
        Self::new(MockPlan { recorded, ..MockPlan::default() }, 0)
    }

    /// Serves one client over a line stream until either side ends.
    ///
    /// Nothing of the real process is harmed: where the mock would exit, abort or
    /// be killed, the stream closes and the [`MockEnd`] says how.
    pub async fn serve(
        &self,
        reader: impl AsyncRead + Send + Unpin,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> io::Result<MockEnd> {
        lines::serve(self, reader, writer, Box::new(tokio::io::sink())).await
    }

    /// Serves one client in a task of its own; returns the client's end of the stream.
    ///
    /// The task ends when that end is dropped. Must be called within a runtime. A
    /// second connection finds a mock that remembers the first, so a fault that
    /// happens once has happened; a new process would remember nothing.
    pub fn connect(&self) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let (reader, writer) = tokio::io::split(ours);
        let mock = self.clone();
        tokio::spawn(async move { mock.serve(reader, writer).await });
        theirs
    }

    /// Serves Streamable HTTP on a loopback address, port 0 for a free one.
    pub async fn listen(&self, address: SocketAddr) -> io::Result<MockHttp> {
        MockHttp::start(self.clone(), address).await
    }

    /// The last messages of all clients, oldest first.
    pub fn received(&self) -> Vec<Value> {
        self.shared.state.lock().received()
    }

    /// Whether a client has sent anything yet.
    pub(crate) fn has_client(&self) -> bool {
        self.shared.state.lock().has_client()
    }

    /// Sends a notification to every client as a change of the tool list.
    pub(crate) fn announce_change(&self) {
        // No client at all is fine.
        let _ = self.shared.announcements.send(Announcement {
            method: "notifications/tools/list_changed",
            params: Value::Null,
            subscribed_only: true,
        });
    }

    /// What the mock does with one message.
    pub(crate) fn respond(&self, message: &Value) -> Vec<MockAction> {
        let mut state = self.shared.state.lock();
        state.remember(message);
        let legacy = (self.shared.plan.era == MockEras::Legacy).then(|| frame::as_legacy(message));
        let message = legacy.as_ref().unwrap_or(message);
        let Some(method) = message["method"].as_str() else {
            if let Some(id) = message["id"].as_str()
                && let Some(asked) = state.asked.remove(id)
            {
                // An error means that the request was dropped meanwhile.
                let _ = asked.send(message.clone());
            }
            return Vec::new();
        };
        if message.get("id").is_none() {
            state.initialized |= method == "notifications/initialized";
            if method == "notifications/cancelled" {
                state.subscriptions.retain(|id| *id != message["params"]["requestId"]);
            }
            return Vec::new();
        }
        if method == "subscriptions/listen" {
            return answer::subscribe(&mut state, message);
        }
        let RecordedReply { before, frame: usual } = answer::usual(&self.shared.plan, &mut state, message);
        let Some(position) = self.rule_for(&mut state, message) else {
            if self.shared.plan.changeable && message["params"]["name"] == "change" {
                state.changes += 1;
                drop(state);
                self.announce_change();
            }
            return before.into_iter().chain([usual]).map(MockAction::frame).collect();
        };
        let respond = self.shared.plan.rules[position].respond.clone();
        let earlier = state.matched.get(&position).copied().unwrap_or(1) - 1;
        respond(&mut MockExchange { request: message, usual, earlier, random: &mut state.random })
    }

    fn rule_for(&self, state: &mut MockMemory, request: &Value) -> Option<usize> {
        let rules = self.shared.plan.rules.iter().enumerate();
        for (position, rule) in rules.filter(|(_, rule)| rule.concerns(request)) {
            let earlier = state.matched.entry(position).or_default();
            *earlier += 1;
            let past = earlier.saturating_sub(rule.after);
            if past > 0 && rule.times.is_none_or(|times| past <= times) {
                return Some(position);
            }
        }
        None
    }
}
