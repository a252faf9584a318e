//! Who calls a tester: every caller has a workspace of its own, and reaches no other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mortise_contract::SchemaCache;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connections::{Connections, Naming};
use crate::limits::TESTER_CONNECTIONS_TOTAL;
use crate::options::TesterOptions;
use crate::request::Request;

/// All callers of a tester. A handle: clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Callers(Arc<CallersInner>);

#[derive(Debug)]
struct CallersInner {
    options: Arc<TesterOptions>,
    schemas: Arc<SchemaCache>,
    /// Room for the connections of all callers.
    room: Arc<Semaphore>,
    workspaces: Mutex<HashMap<Caller, Arc<Workspace>>>,
    /// Workspaces that are no longer listed and whose connections are being ended.
    ending: TaskTracker,
}

/// Who calls.
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
    pub(crate) connections: Connections,
    pub(crate) schemas: Arc<SchemaCache>,
    usage: Mutex<Usage>,
}

#[derive(Debug)]
struct Usage {
    calls: usize,
    last: Instant,
}

/// A call that uses a workspace, until it is dropped.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) workspace: Arc<Workspace>,
}

impl Callers {
    pub(crate) fn new(options: TesterOptions) -> Self {
        Self(Arc::new(CallersInner {
            options: Arc::new(options),
            schemas: Arc::default(),
            room: Arc::new(Semaphore::new(TESTER_CONNECTIONS_TOTAL)),
            workspaces: Mutex::default(),
            ending: TaskTracker::new(),
        }))
    }

    /// The workspace of whoever sent this request.
    ///
    /// A request without a session that names no connection of ours gets an empty one, see [`Callers::keep`].
    pub(crate) fn visit(&self, request: &Request) -> Visit {
        let mut workspaces = self.workspaces();
        let workspace = match request.context.session() {
            Some(session) => workspaces
                .entry(Caller::Session(session))
                .or_insert_with_key(|caller| {
                    self.fresh(caller.clone(), Naming::ByCaller, request.context.client_left())
                })
                .clone(),
            None => {
                let named = request.connection().map(|name| Caller::Handle(name.to_owned()));
                let known = named.and_then(|handle| workspaces.get(&handle).cloned());
                known.unwrap_or_else(|| Arc::new(self.empty(Naming::ByHandle)))
            }
        };
        // Under the lock, so that what looks for unused ones sees it.
        Visit::new(workspace)
    }

    /// Keeps what a request without a session has opened, under its handle, and forgets what it has closed.
    ///
    /// `named` is the connection that the request names.
    pub(crate) fn keep(&self, visit: &Visit, named: Option<&str>) {
        let workspace = &visit.workspace;
        if workspace.connections.naming != Naming::ByHandle {
            return;
        }
        let mut workspaces = self.workspaces();
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

    /// Ends every connection of every caller.
    pub(crate) async fn close(&self) {
        let closing: Vec<_> = self.workspaces().drain().map(|(_, workspace)| workspace).collect();
        let closing = closing.iter().map(|workspace| workspace.connections.disconnect_all());
        futures::future::join_all(closing).await;
        // A caller that has just left: its servers get the time to end too.
        self.0.ending.close();
        self.0.ending.wait().await;
    }

    fn empty(&self, naming: Naming) -> Workspace {
        let CallersInner { options, schemas, room, .. } = &*self.0;
        Workspace {
            connections: Connections::new(options.clone(), room.clone(), naming),
            schemas: schemas.clone(),
            usage: Mutex::new(Usage { calls: 0, last: Instant::now() }),
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
        tokio::spawn(end_unused(callers, caller, Arc::downgrade(workspace), left.clone(), idle));
    }

    fn workspaces(&self) -> MutexGuard<'_, HashMap<Caller, Arc<Workspace>>> {
        self.0.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
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
        let Some(callers) = callers.upgrade().map(Callers) else { return };
        let mut workspaces = callers.workspaces();
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
        let usage = self.usage();
        if usage.calls > 0 { Instant::now() } else { usage.last }
    }

    fn is_unused_for(&self, time: Duration) -> bool {
        let usage = self.usage();
        usage.calls == 0 && usage.last.elapsed() >= time
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit {
    fn new(workspace: Arc<Workspace>) -> Self {
        workspace.usage().calls += 1;
        Self { workspace }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut usage = self.workspace.usage();
        usage.calls -= 1;
        usage.last = Instant::now();
    }
}
