//! Everything that decides how one mock behaves.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::action::{MockAction, Piece};
use super::frame;
use super::http::HttpPlan;
use super::recorded::RecordedAnswers;
use super::tool::{self, MockTool};
use crate::random::SeededNumbers;

/// How a mock behaves: a healthy server, changed by one scenario after the other.
#[derive(Clone)]
pub struct MockPlan {
    pub(crate) era: MockEras,
    pub(crate) tools: ToolSource,
    pub(crate) paging: Paging,
    /// Calls of the tool `change` change the list and are announced.
    pub(crate) changeable: bool,
    /// The answers of a recording, which stand in for those of a healthy server.
    pub(crate) recorded: Option<Arc<RecordedAnswers>>,
    /// The modern era's tasks are declared.
    pub(crate) has_tasks: bool,
    pub(crate) rules: Vec<MockRule>,
    pub(crate) on_start: Vec<MockAction>,
    pub(crate) background: Vec<Background>,
    pub(crate) line_end: &'static str,
    pub(crate) process: ProcessPlan,
    pub(crate) http: HttpPlan,
}

/// Which protocol eras the mock speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MockEras {
    Both,
    Legacy,
    Modern,
}

/// How `tools/list` is cut into pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paging {
    pub(crate) size: usize,
    pub(crate) cursors: Cursors,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cursors {
    /// A position, absent on the last page.
    Proper,
    /// Always the same cursor.
    Repeated,
    /// A new cursor on every page, without end.
    Endless,
    /// An empty string that leads to the second page.
    Empty,
    /// Null on the last page instead of nothing.
    Null,
}

/// What the process itself does wrong; of no effect in process where it can't be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessPlan {
    /// Neither the end of stdin nor SIGTERM ends the mock.
    pub(crate) ignores_end: bool,
    /// Nothing is read from stdin.
    pub(crate) deaf: bool,
    /// `notifications/cancelled` is not obeyed.
    pub(crate) ignores_cancellation: bool,
    /// A child of the mock that holds its pipes.
    pub(crate) grandchild: Option<Grandchild>,
}

/// A process that outlives the mock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grandchild {
    pub(crate) seconds: u64,
    pub(crate) own_group: bool,
}

/// A notification sent again and again once a client is there.
#[derive(Clone, Debug)]
pub(crate) struct Background {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
    pub(crate) per_second: u64,
    /// Sent to modern clients only on their subscription.
    pub(crate) subscribed_only: bool,
}

/// What the tool list depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListMoment {
    /// Lists begun before the one at hand.
    pub(crate) lists: u64,
    /// Calls of the tool `change`.
    pub(crate) changes: u64,
}

type ToolSource = Arc<dyn Fn(ListMoment) -> Vec<MockTool> + Send + Sync>;
type Responder = Arc<dyn Fn(&mut MockExchange<'_>) -> Vec<MockAction> + Send + Sync>;

/// When another answer than the usual is given.
#[derive(Clone)]
pub(crate) struct MockRule {
    pub(crate) method: String,
    /// The tool of a `tools/call`, any if absent.
    pub(crate) tool: Option<String>,
    /// Matching requests that still get the usual answer first.
    pub(crate) after: u64,
    /// How many requests it holds for, all if absent.
    pub(crate) times: Option<u64>,
    pub(crate) respond: Responder,
}

impl MockRule {
    /// Whether the rule is about this request at all.
    pub(crate) fn concerns(&self, request: &Value) -> bool {
        let tool = self.tool.as_deref().is_none_or(|tool| request["params"]["name"] == tool);
        request["method"] == self.method.as_str() && tool
    }
}

/// A request that a rule answers.
pub(crate) struct MockExchange<'a> {
    pub(crate) request: &'a Value,
    /// The frame a healthy server sends.
    pub(crate) usual: String,
    /// Requests of this rule before this one.
    pub(crate) earlier: u64,
    pub(crate) random: &'a mut SeededNumbers,
}

impl MockExchange<'_> {
    /// The response with this result, fitted to the era.
    pub(crate) fn result(&self, result: Value) -> MockAction {
        MockAction::frame(frame::result(self.request, result))
    }

    pub(crate) fn usual(&self) -> MockAction {
        MockAction::frame(self.usual.clone())
    }

    /// The usual answer in pieces of `size` bytes, with a pause before each.
    pub(crate) fn in_pieces(&self, size: usize, pause: Duration) -> MockAction {
        let pieces = self.usual.as_bytes().chunks(size.max(1));
        MockAction::Frame(pieces.map(|bytes| Piece { pause, bytes: bytes.to_vec() }).collect())
    }

    /// The first half of the usual answer, with no end to it.
    pub(crate) fn half(&self) -> MockAction {
        MockAction::raw(&self.usual.as_bytes()[..self.usual.len() / 2])
    }
}

impl Default for MockPlan {
    fn default() -> Self {
        Self {
            era: MockEras::Both,
            tools: Arc::new(|_| vec![tool::add(), tool::echo()]),
            paging: Paging { size: 100, cursors: Cursors::Proper },
            changeable: false,
            recorded: None,
            has_tasks: false,
            rules: Vec::new(),
            on_start: Vec::new(),
            background: Vec::new(),
            line_end: "\n",
            process: ProcessPlan::default(),
            http: HttpPlan::default(),
        }
    }
}

impl MockPlan {
    /// Answers every request of this method by `respond`.
    pub(crate) fn on(
        &mut self,
        method: &str,
        respond: impl Fn(&mut MockExchange<'_>) -> Vec<MockAction> + Send + Sync + 'static,
    ) {
        self.rule(method, None, respond);
    }

    /// Answers calls of the tool `echo` by `respond`.
    pub(crate) fn on_echo(
        &mut self,
        respond: impl Fn(&mut MockExchange<'_>) -> Vec<MockAction> + Send + Sync + 'static,
    ) {
        self.rule("tools/call", Some("echo"), respond);
    }

    /// Answers calls of the tool `echo` with this result.
    pub(crate) fn echo_result(&mut self, result: Value) {
        self.on_echo(move |exchange| vec![exchange.result(result.clone())]);
    }

    /// Answers calls of the tool `echo` with a result of which only the text is known.
    pub(crate) fn echo_raw_result(&mut self, result: impl Fn() -> String + Send + Sync + 'static) {
        self.on_echo(move |exchange| vec![MockAction::frame(frame::raw_result(exchange.request, &result()))]);
    }

    pub(crate) fn map_tools(
        &mut self,
        change: impl Fn(Vec<MockTool>, ListMoment) -> Vec<MockTool> + Send + Sync + 'static,
    ) {
        let before = self.tools.clone();
        self.tools = Arc::new(move |moment| change(before(moment), moment));
    }

    pub(crate) fn change_echo(&mut self, change: impl Fn(MockTool) -> MockTool + Send + Sync + 'static) {
        self.map_tools(move |tools, _| {
            tools.into_iter().map(|tool| if tool.name == "echo" { change(tool) } else { tool }).collect()
        });
    }

    /// Adds tools at the end of the list.
    pub(crate) fn add_tools(&mut self, more: impl Fn() -> Vec<MockTool> + Send + Sync + 'static) {
        self.map_tools(move |mut tools, _| {
            tools.extend(more());
            tools
        });
    }

    fn rule(
        &mut self,
        method: &str,
        tool: Option<&str>,
        respond: impl Fn(&mut MockExchange<'_>) -> Vec<MockAction> + Send + Sync + 'static,
    ) {
        self.rules.push(MockRule {
            method: method.to_owned(),
            tool: tool.map(str::to_owned),
            after: 0,
            times: None,
            respond: Arc::new(respond),
        });
    }
}
