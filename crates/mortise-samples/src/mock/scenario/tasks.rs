//! Servers that answer a call with a task, to clients of the modern era that take tasks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::Scenario;
use crate::mock::action::MockAction;
use crate::mock::frame;
use crate::mock::plan::{MockExchange, MockPlan};
use crate::mock::tool;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("task", "`echo` answers with a task, which is done after MS milliseconds", |plan, ms| {
        with_tasks(plan, MockTasks { time: Duration::from_millis(ms), ..MockTasks::new(TaskEnd::Result) });
    })
    .number("MS", 200, 86_400_000),
    Scenario::new(
        "task-slow",
        "`echo` answers with a task, which reports three steps of a second each",
        |plan, _| {
            with_tasks(plan, MockTasks { time: Duration::from_secs(3), ..MockTasks::new(TaskEnd::Result) });
        },
    ),
    Scenario::new(
        "task-asks",
        "`echo` answers with a task, which asks the user before it is done",
        |plan, _| {
            with_tasks(plan, MockTasks { asks: true, ..MockTasks::new(TaskEnd::Result) });
        },
    ),
    Scenario::new(
        "task-fails",
        "`echo` answers with a task, which fails with a JSON-RPC error",
        |plan, _| {
            with_tasks(plan, MockTasks::new(TaskEnd::Error));
        },
    ),
    Scenario::new("task-cancelled", "`echo` answers with a task, which the server cancels", |plan, _| {
        with_tasks(plan, MockTasks::new(TaskEnd::Cancelled));
    }),
    Scenario::new(
        "task-endless",
        "`echo` answers with a task that does not end until it is cancelled",
        |plan, _| {
            with_tasks(plan, MockTasks::new(TaskEnd::Never));
        },
    ),
    Scenario::new(
        "task-stubborn",
        "`echo` answers with a task that goes on after it is cancelled",
        |plan, _| {
            with_tasks(plan, MockTasks { is_stubborn: true, ..MockTasks::new(TaskEnd::Never) });
        },
    ),
    Scenario::new(
        "task-without-result",
        "`echo` answers with a task that is completed and has no result",
        |plan, _| {
            with_tasks(plan, MockTasks::new(TaskEnd::Members(|| json!({"status": "completed"}))));
        },
    ),
    Scenario::new(
        "task-odd-status",
        "`echo` answers with a task whose status no protocol knows",
        |plan, _| {
            with_tasks(plan, MockTasks::new(TaskEnd::Members(|| json!({"status": "almost"}))));
        },
    ),
    Scenario::new(
        "task-other-id",
        "`echo` answers with a task, and its status is that of another",
        |plan, _| {
            let members =
                || json!({"taskId": "another", "status": "completed", "result": tool::text("not yours")});
            with_tasks(plan, MockTasks::new(TaskEnd::Members(members)));
        },
    ),
    Scenario::new(
        "task-forgotten",
        "`echo` answers with a task that the server then does not know",
        |plan, _| {
            with_tasks(plan, MockTasks::new(TaskEnd::Forgotten));
        },
    ),
    Scenario::new(
        "task-large",
        "`echo` answers with a task whose result has BYTES bytes of text",
        |plan, bytes| {
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            with_tasks(plan, MockTasks { bytes, ..MockTasks::new(TaskEnd::Result) });
        },
    )
    .number("BYTES", 100_000_000, 1_000_000_000),
];

/// Tasks kept; more calls are answered at once.
const KEPT: usize = 10_000;
/// How soon a client should ask again.
const POLL_MS: u64 = 50;

/// How the tasks of one mock go.
#[derive(Clone)]
struct MockTasks {
    time: Duration,
    end: TaskEnd,
    asks: bool,
    is_stubborn: bool,
    /// The size of the result's text; 0 for that of a healthy server.
    bytes: usize,
}

#[derive(Clone, Copy)]
enum TaskEnd {
    Result,
    Error,
    Cancelled,
    Never,
    /// These members stand in the answer to `tasks/get`.
    Members(fn() -> Value),
    Forgotten,
}

/// One task that a client got.
struct MockTask {
    begun: Instant,
    result: Value,
    is_cancelled: bool,
    is_answered: bool,
}

impl MockTasks {
    fn new(end: TaskEnd) -> Self {
        Self { time: Duration::from_millis(200), end, asks: false, is_stubborn: false, bytes: 0 }
    }

    /// What `tasks/get` says of a task beyond what all have.
    fn status(&self, task: &MockTask) -> Value {
        if task.is_cancelled && !self.is_stubborn {
            return json!({"status": "cancelled"});
        }
        if task.begun.elapsed() < self.time || matches!(self.end, TaskEnd::Never) {
            let step = task.begun.elapsed().as_secs() + 1;
            return json!({"status": "working", "statusMessage": format!("step {step}")});
        }
        if self.asks && !task.is_answered {
            let schema =
                json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]});
            let params = json!({"mode": "form", "message": "Which word?", "requestedSchema": schema});
            let question = json!({"method": "elicitation/create", "params": params});
            return json!({"status": "input_required", "inputRequests": {"question": question}});
        }
        match self.end {
            TaskEnd::Result => json!({"status": "completed", "result": task.result}),
            TaskEnd::Error => {
                json!({"status": "failed", "error": {"code": -32603, "message": "the task broke"}})
            }
            TaskEnd::Members(members) => members(),
            TaskEnd::Cancelled | TaskEnd::Never | TaskEnd::Forgotten => {
                json!({"status": "cancelled", "statusMessage": "out of patience"})
            }
        }
    }

    fn result(&self, exchange: &MockExchange<'_>) -> Value {
        if self.bytes > 0 {
            return tool::structured(&json!({"text": "x".repeat(self.bytes)}));
        }
        let usual: Value = serde_json::from_str(&exchange.usual).unwrap_or_default();
        usual["result"].clone()
    }
}

fn with_tasks(plan: &mut MockPlan, how: MockTasks) {
    plan.has_tasks = true;
    let tasks: Arc<Mutex<HashMap<String, MockTask>>> = Arc::default();
    let (made, how_made) = (tasks.clone(), how.clone());
    plan.on_echo(move |exchange| {
        let mut tasks = made.lock();
        if !frame::takes_tasks(exchange.request) || tasks.len() >= KEPT {
            return vec![exchange.usual()];
        }
        let id = format!("task-{:016x}", exchange.random.next());
        let result = how_made.result(exchange);
        let created = described(&id, json!({"status": "working", "resultType": "task"}));
        let task = MockTask { begun: Instant::now(), result, is_cancelled: false, is_answered: false };
        tasks.insert(id, task);
        vec![exchange.result(created)]
    });
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let (tasks, how) = (tasks.clone(), how.clone());
        plan.on(method, move |exchange| vec![asked(exchange, &mut tasks.lock(), &how)]);
    }
}

/// The answer to a request about a task.
fn asked(exchange: &MockExchange<'_>, tasks: &mut HashMap<String, MockTask>, how: &MockTasks) -> MockAction {
    let params = &exchange.request["params"];
    let id = params["taskId"].as_str().unwrap_or_default();
    let Some(task) = tasks.get_mut(id).filter(|_| !matches!(how.end, TaskEnd::Forgotten)) else {
        return MockAction::frame(frame::error(exchange.request, -32602, "there is no such task", None));
    };
    match exchange.request["method"].as_str() {
        Some("tasks/get") => exchange.result(described(id, how.status(task))),
        Some("tasks/update") => {
            if let Some(answer) = params["inputResponses"].get("question") {
                task.is_answered = true;
                task.result = tool::structured(&json!({"text": answer.to_string()}));
            }
            exchange.result(json!({}))
        }
        _ => {
            task.is_cancelled = true;
            exchange.result(json!({}))
        }
    }
}

/// The members that every answer about a task has, and these.
fn described(id: &str, members: Value) -> Value {
    let mut task = json!({
        "taskId": id,
        "createdAt": "2026-07-28T09:30:00Z",
        "lastUpdatedAt": "2026-07-28T09:30:00Z",
        "ttlMs": 3_600_000,
        "pollIntervalMs": POLL_MS,
    });
    if let (Some(task), Value::Object(members)) = (task.as_object_mut(), members) {
        task.extend(members);
    }
    task
}
