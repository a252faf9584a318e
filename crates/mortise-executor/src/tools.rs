//! The executor as a tool set: its own tools, and tools of its servers that clients may call directly.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures::future::join_all;
use mortise_client::{CallOptions, Upstream};
use mortise_contract::{ServerName, ToolCall};
use mortise_server::{
    CallContext, ChangeSignal, Changes, LogLevel, RegistrationError, Reply, TASK_PATIENCE, ToolList, ToolSet,
    Tools,
};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::declare::{declare_all, execute_program};
use crate::description::{AwayServers, ServerTools, description};
use crate::expose::Exposed;
use crate::limits::FIRST_LIST;
use crate::program_tools::ProgramTools;
use crate::registry::ToolSnapshot;
use crate::run::Executor;
use crate::starting::{away_servers, settled, starting_and_unknown};

/// The key of an answer's facts in its `_meta`, as one object for programs. Models read the text.
///
/// It is not `structuredContent`: most clients show a model that in place of the text.
pub const ANSWER_META: &str = "mortise/answer";
/// The key of the call-by-call ledger in a result's `_meta`.
pub const LEDGER_META: &str = "mortise/ledger";

/// How long a server may take to hear which log messages are wanted.
const LOG_LEVEL_TIME: Duration = Duration::from_secs(2);

/// Whether the text of a result ends with a summary of its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RunTrace {
    /// It does not: the text is exactly what the program printed.
    #[default]
    Off,
    Summary,
}

/// Serves an [`Executor`].
#[derive(Debug)]
pub struct ExecutorTools {
    own: Arc<ProgramTools>,
    /// The executor's own tools as they are declared.
    declared: Tools,
    exposed: ArcSwap<Exposed>,
    changes: ChangeSignal,
    listed: Mutex<Option<LatestList>>,
    /// Until when lists wait for servers that start: counted from the first.
    first_list: OnceLock<Instant>,
    /// The most detailed log messages that a client wants.
    log_level: Mutex<Option<LogLevel>>,
}

/// The list that was made last, and what it was made of.
#[derive(Debug)]
struct LatestList {
    snapshot: Arc<ToolSnapshot>,
    away: AwayServers,
    list: Arc<ToolList>,
}

impl ExecutorTools {
    /// The tools of this executor, with some tools of its servers offered beside them.
    ///
    /// # Errors
    ///
    /// Never, unless a declaration of ours is at fault.
    pub fn new(
        executor: Arc<Executor>,
        exposed: Exposed,
        trace: RunTrace,
    ) -> Result<Self, RegistrationError> {
        let own = Arc::new(ProgramTools { executor, trace });
        let declared = declare_all(&own, String::new())?;
        let exposed = ArcSwap::from_pointee(exposed);
        let (listed, log_level) = (Mutex::default(), Mutex::default());
        let (changes, first_list) = (ChangeSignal::new(), OnceLock::new());
        Ok(Self { own, declared, exposed, changes, listed, first_list, log_level })
    }

    /// What runs the programs.
    pub fn executor(&self) -> &Arc<Executor> {
        &self.own.executor
    }

    /// Offers other tools directly from now on, and tells clients that the list has changed.
    pub fn set_exposed(&self, exposed: Exposed) {
        self.exposed.store(Arc::new(exposed));
        *self.listed.lock() = None;
        self.changes.fire();
    }

    /// Whether a server has a tool that is offered directly.
    pub(crate) fn is_exposed(&self, server: &ServerName) -> bool {
        self.exposed.load().includes(&self.executor().registry().snapshot(), server)
    }

    /// To be fired when the tools of a server have changed: our own list shows them.
    pub fn change_signal(&self) -> ChangeSignal {
        self.changes.clone()
    }

    /// Says to a server which log messages clients want, if any has said so.
    pub(crate) async fn tell_log_level(&self, upstream: &Upstream) {
        let level = *self.log_level.lock();
        let Some(level) = level.filter(|_| upstream.state().is_usable()) else { return };
        let options = CallOptions { timeout: Some(LOG_LEVEL_TIME), ..CallOptions::default() };
        if let Err(error) = upstream.set_log_level(level.as_str(), options).await {
            tracing::warn!(server = %upstream.name(), %error, "it does not know which log messages are wanted");
        }
    }

    /// The list of the executor's own tools and of those that are exposed.
    fn make_list(&self, snapshot: &ToolSnapshot, away: &AwayServers) -> ToolList {
        let exposed = self.exposed.load().contracts(snapshot);
        let (held, direct) = (snapshot.all_held().len(), exposed.len());
        let description = description(&by_server(snapshot), held, direct, away);
        if let Err(error) = self.declared.replace(execute_program(&self.own, description)) {
            tracing::error!(%error, "execute_program keeps the description that it had");
        }
        let list = ToolList::forwarded(self.declared.tools().contracts().cloned().chain(exposed));
        let long = ["execute_program", "wait_program", "resume_program"];
        long.into_iter().fold(list, |list, name| list.task_after(name, TASK_PATIENCE))
    }
}

impl ToolSet for ExecutorTools {
    fn tools(&self) -> Arc<ToolList> {
        let snapshot = self.executor().registry().snapshot();
        let away = away_servers(&self.executor().registry().servers());
        let mut listed = self.listed.lock();
        match &*listed {
            Some(known) if Arc::ptr_eq(&known.snapshot, &snapshot) && known.away == away => {
                known.list.clone()
            }
            _ => {
                let list = Arc::new(self.make_list(&snapshot, &away));
                *listed = Some(LatestList { snapshot, away, list: list.clone() });
                list
            }
        }
    }

    /// The first list of a client may be the only one, so it waits for tools that are not known at all.
    async fn ready_to_list(&self) {
        let end = *self.first_list.get_or_init(|| Instant::now() + FIRST_LIST);
        let unknown = starting_and_unknown(&self.executor().registry().servers());
        // What is still starting then is named as such in the list.
        let _ = tokio::time::timeout_at(end, settled(&unknown)).await;
    }

    async fn call(&self, call: ToolCall, context: CallContext) -> Reply {
        match self.declared.tools().contract(call.tool.as_str()) {
            Some(_) => self.declared.call(call, context).await,
            None => self.exposed.load_full().call_exposed(self.executor(), call, &context).await,
        }
    }

    fn changes(&self) -> Changes {
        self.changes.changes()
    }

    async fn log_level(&self, level: LogLevel) {
        *self.log_level.lock() = Some(level);
        let servers = self.executor().registry().servers();
        join_all(servers.iter().map(|upstream| self.tell_log_level(upstream))).await;
    }
}

fn by_server(snapshot: &ToolSnapshot) -> Vec<ServerTools<'_>> {
    let mut servers: Vec<ServerTools<'_>> = Vec::new();
    for tool in snapshot.tools() {
        let name = tool.upstream.name().as_str();
        match servers.iter_mut().find(|server| server.server == name) {
            Some(server) => server.tools.push(tool.callable.as_str()),
            None => servers.push(ServerTools { server: name, tools: vec![tool.callable.as_str()] }),
        }
    }
    servers
}
