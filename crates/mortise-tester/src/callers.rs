//! Who calls a tester: every caller has a workspace of its own, and reaches no other.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use mortise_client::secret::Form;
use mortise_contract::SchemaCache;
use mortise_server::{CallContext, ToolList};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use crate::connections::{CallerConnections, Naming};
use crate::limits::TESTER_CONNECTIONS_TOTAL;
use crate::options::TesterOptions;

/// All callers of a tester. A handle: clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct TesterCallers(Arc<CallersInner>);

#[derive(Debug)]
struct CallersInner {
    options: Arc<TesterOptions>,
    schemas: Arc<SchemaCache>,
    /// Room for the connections of all callers.
    room: Arc<Semaphore>,
    workspaces: Mutex<HashMap<Caller, Arc<Workspace>>>,
    /// What of an answer is its form, known once the tools are declared.
    form: OnceLock<Form>,
    /// Workspaces that are no longer listed and whose connections are being ended.
    ending: TaskTracker,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Caller {
    /// The session or connection of this number.
    Session(u64),
    /// A client without a session, by the name of its connection, which only that client was given.
    Handle(String),
}

/// What the tools work with when one caller calls them.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) connections: CallerConnections,
    pub(crate) schemas: Arc<SchemaCache>,
    usage: Mutex<Usage>,
    /// The task that ends it when it is not used any more.
    watcher: OnceLock<AbortOnDropHandle<()>>,
}

#[derive(Debug)]
struct Usage {
    calls: usize,
    last: Instant,
}

/// A call that uses a workspace, until it is dropped.
#[derive(Debug)]
pub(crate) struct WorkspaceVisit {
    pub(crate) workspace: Arc<Workspace>,
}

impl TesterCallers {
    pub(crate) fn new(options: TesterOptions) -> Self {
        Self(Arc::new(CallersInner {
            options: Arc::new(options),
            schemas: Arc::default(),
            room: Arc::new(Semaphore::new(TESTER_CONNECTIONS_TOTAL)),
            workspaces: Mutex::default(),
            form: OnceLock::new(),
            ending: TaskTracker::new(),
        }))
    }

    /// Takes the keys and words that the tools' output schemas name, and the numbers that they promise, as the form
    /// of answers: they are not secrets.
    pub(crate) fn set_form(&self, tools: &ToolList) {
        let mut form = Form::default();
        for contract in tools.contracts() {
            contract.output_schema().into_iter().for_each(|schema| read_form(schema, &mut form));
        }
        // A tester is declared once.
        let _ = self.0.form.set(form);
    }

    pub(crate) fn form(&self) -> &Form {
        self.0.form.get_or_init(Form::default)
    }

    /// The workspace of the client that sent this request, which may name a connection.
    ///
    /// A request without a session that names no connection of ours gets an empty one, see [`TesterCallers::keep`].
    pub(crate) fn visit(&self, context: &CallContext, named: Option<&str>) -> WorkspaceVisit {
        let mut workspaces = self.0.workspaces.lock();
        let workspace = match context.session() {
            Some(session) => workspaces
                .entry(Caller::Session(session))
                .or_insert_with_key(|caller| {
                    self.fresh(caller.clone(), Naming::ByCaller, context.client_left())
                })
                .clone(),
            None => {
                let named = named.map(|name| Caller::Handle(name.to_owned()));
                let known = named.and_then(|handle| workspaces.get(&handle).cloned());
                known.unwrap_or_else(|| Arc::new(self.empty(Naming::ByHandle)))
            }
        };
        // Under the lock, so that what looks for unused ones sees it.
        WorkspaceVisit::new(workspace)
    }

    /// Keeps what a request without a session has opened, under its handle, and forgets what it has closed.
    ///
    /// `named` is the connection that the request names.
    pub(crate) fn keep(&self, visit: &WorkspaceVisit, named: Option<&str>) {
        let workspace = &visit.workspace;
        if workspace.connections.naming != Naming::ByHandle {
            return;
        }
        let mut workspaces = self.0.workspaces.lock();
        match workspace.connections.all().first() {
            Some(connection) => {
                let handle = Caller::Handle(connection.name.clone());
                workspaces.entry(handle).or_insert_with_key(|handle| {
                    self.watch(handle.clone(), workspace, &CancellationToken::new());
                    workspace.clone()
                });
            }
            None => {
                if let Some(handle) = named.map(|name| Caller::Handle(name.to_owned()))
                    && workspaces.get(&handle).is_some_and(|known| Arc::ptr_eq(known, workspace))
                {
                    workspaces.remove(&handle);
                }
            }
        }
    }

    pub(crate) async fn close(&self) {
        let closing: Vec<_> = self.0.workspaces.lock().drain().map(|(_, workspace)| workspace).collect();
        let closing = closing.iter().map(|workspace| workspace.connections.disconnect_all());
        futures::future::join_all(closing).await;
        // A caller that has just left: its servers get the time to end too.
        self.0.ending.close();
        self.0.ending.wait().await;
    }

    fn empty(&self, naming: Naming) -> Workspace {
        let CallersInner { options, schemas, room, .. } = &*self.0;
        Workspace {
            connections: CallerConnections::new(options.clone(), room.clone(), naming),
            schemas: schemas.clone(),
            usage: Mutex::new(Usage { calls: 0, last: Instant::now() }),
            watcher: OnceLock::new(),
        }
    }

    fn fresh(&self, caller: Caller, naming: Naming, left: &CancellationToken) -> Arc<Workspace> {
        let workspace = Arc::new(self.empty(naming));
        self.watch(caller, &workspace, left);
        workspace
    }

    /// Ends a workspace when its caller has left, or has not called for long.
    fn watch(&self, caller: Caller, workspace: &Arc<Workspace>, left: &CancellationToken) {
        let (callers, idle) = (Arc::downgrade(&self.0), self.0.options.idle);
        let watch = end_unused(callers, caller, Arc::downgrade(workspace), left.clone(), idle);
        // A workspace is watched once, when it is listed.
        let _ = workspace.watcher.set(AbortOnDropHandle::new(tokio::spawn(watch)));
    }
}

async fn end_unused(
    callers: Weak<CallersInner>,
    caller: Caller,
    workspace: Weak<Workspace>,
    left: CancellationToken,
    idle: Option<Duration>,
) {
    let (ended, _ending) = loop {
        let unused_at = match (workspace.upgrade(), idle) {
            (None, _) => return,
            (Some(workspace), Some(idle)) => Some(workspace.last_use() + idle),
            (Some(_), None) => None,
        };
        let passed = async {
            match unused_at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let has_left = tokio::select! {
            () = left.cancelled() => true,
            () = passed => false,
        };
        let Some(callers) = callers.upgrade().map(TesterCallers) else { return };
        let mut workspaces = callers.0.workspaces.lock();
        match workspaces.get(&caller) {
            None => return,
            Some(workspace) if has_left || idle.is_some_and(|idle| workspace.is_unused_for(idle)) => {
                // Under the lock, so that a tester that closes waits for it.
                break (workspaces.remove(&caller), callers.0.ending.token());
            }
            Some(_) => {}
        }
    };
    if let Some(workspace) = ended {
        // A call that is still under way and connects now ends that connection when it drops the workspace.
        workspace.connections.disconnect_all().await;
    }
}

impl Workspace {
    /// When it was used last: now, while a call is under way.
    fn last_use(&self) -> Instant {
        let usage = self.usage.lock();
        if usage.calls > 0 { Instant::now() } else { usage.last }
    }

    fn is_unused_for(&self, time: Duration) -> bool {
        let usage = self.usage.lock();
        usage.calls == 0 && usage.last.elapsed() >= time
    }
}

impl WorkspaceVisit {
    fn new(workspace: Arc<Workspace>) -> Self {
        workspace.usage.lock().calls += 1;
        Self { workspace }
    }
}

impl Drop for WorkspaceVisit {
    fn drop(&mut self) {
        let mut usage = self.workspace.usage.lock();
        usage.calls -= 1;
        usage.last = Instant::now();
    }
}

/// Adds what a schema says about the form of its values.
fn read_form(schema: &Value, form: &mut Form) {
    let words = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    form.words.extend(words.map(str::to_owned));
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        form.words.insert(name.clone());
        if property["type"].to_string().contains("\"integer\"") {
            form.numbers.insert(name.clone());
        }
        read_form(property, form);
    }
    if schema["items"].is_object() {
        read_form(&schema["items"], form);
    }
}
