//! The executor over a pool of servers that may change while clients are served.

use std::sync::Arc;

use mortise_client::server_config::ServerConfig;
use mortise_client::tool_filter::ToolFilter;
use mortise_client::{NameTaken, Pool, PoolOptions, ServerEvent, ServerFacts, ServerState, Upstream};
use mortise_contract::{ObserveMode, ServerName};
use mortise_script::{EngineOptions, Limits};
use mortise_server::{ChangeSignal, RegistrationError};
use mortise_typecheck::CheckMode;
use tokio::sync::Mutex;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;

use crate::approvals::ApprovalRules;
use crate::asks::AskRouter;
use crate::checker::CheckerOptions;
use crate::expose::Exposed;
use crate::limits::OBSERVED_WRITE;
use crate::lock_policy::LockPolicy;
use crate::observed::{Observer, ShapeStore};
use crate::passthrough::PassThrough;
use crate::registry::Registry;
use crate::run::Executor;
use crate::tools::{ExecutorTools, RunTrace};

/// What can change while clients are served.
#[derive(Clone, Debug)]
pub struct Setup {
    pub servers: Vec<ServerConfig>,
    /// Which of their tools programs may call.
    pub filter: ToolFilter,
    /// What the lock file decides about them.
    pub lock: LockPolicy,
    /// Which are offered directly too.
    pub exposed: Exposed,
    /// What one program may use.
    pub limits: Limits,
    /// Which calls of programs need the agreement of a person.
    pub approvals: ApprovalRules,
    /// How strictly programs are checked before they run.
    pub check: CheckMode,
    /// Whether shapes of results are learned.
    pub observe: ObserveMode,
    /// Where they are kept; one that is changed later has no effect.
    pub shapes: Option<Arc<dyn ShapeStore>>,
}

/// An executor with its servers.
#[derive(Debug)]
pub struct Service {
    tools: Arc<ExecutorTools>,
    passed: PassThrough,
    asks: AskRouter,
    pool: Mutex<Pool>,
    /// Warming up, and one follower for each server.
    tasks: parking_lot::Mutex<JoinSet<()>>,
}

/// What another setup has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconfigured {
    /// Servers that were started.
    pub started: Vec<ServerName>,
    /// Servers that were ended.
    pub ended: Vec<ServerName>,
    /// Servers that were ended and started with other settings.
    pub restarted: Vec<ServerName>,
}

/// Why a service does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Two servers have the same name.
    #[error(transparent)]
    NameTaken(#[from] NameTaken),
    /// A tool of ours is declared wrongly, which is a bug.
    #[error(transparent)]
    Declaration(#[from] RegistrationError),
}

impl Service {
    /// Starts the servers and the interpreter without waiting for either.
    ///
    /// Must be called inside a tokio runtime. Questions of servers go to the client whose call caused them.
    ///
    /// # Errors
    ///
    /// When two servers have the same name, or when a declaration of ours is at fault.
    pub fn start(
        setup: Setup,
        mut pool: PoolOptions,
        engine: EngineOptions,
        checker: CheckerOptions,
        trace: RunTrace,
    ) -> Result<Self, ServiceError> {
        let asks = AskRouter::default();
        let offered = !setup.exposed.is_empty();
        pool.handlers = asks.handlers();
        let pool = Pool::start(setup.servers, pool)?;
        let registry = Arc::new(Registry::new(pool.servers().to_vec(), setup.filter));
        registry.set_lock(setup.lock);
        registry.set_observer(Observer::new(setup.observe, setup.shapes));
        let executor = Arc::new(Executor::new(registry, asks.clone(), setup.limits, engine, checker));
        executor.set_check_mode(setup.check);
        executor.approvals().set_rules(setup.approvals);
        let warming = executor.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            if let Err(error) = warming.warm_up().await {
                tracing::error!(error = &error as &dyn std::error::Error, "programs can't run");
            }
        });
        let passed = PassThrough::new(executor.clone());
        passed.offer(offered);
        let tools = Arc::new(ExecutorTools::new(executor, setup.exposed, trace)?);
        let tasks = parking_lot::Mutex::new(tasks);
        let service = Self { tools, passed, asks, pool: Mutex::new(pool), tasks };
        for upstream in service.tools.executor().registry().servers().iter() {
            service.follow(upstream);
        }
        Ok(service)
    }

    /// The tools to serve.
    pub fn tools(&self) -> Arc<ExecutorTools> {
        self.tools.clone()
    }

    /// Resources and prompts to serve beside them.
    pub fn passed_through(&self) -> PassThrough {
        self.passed.clone()
    }

    /// Takes another setup. Servers whose settings stay as they are keep running.
    pub async fn reconfigure(&self, setup: Setup) -> Reconfigured {
        let mut pool = self.pool.lock().await;
        let mut changes = Reconfigured::default();
        for upstream in pool.servers().to_vec() {
            let name = upstream.name();
            match setup.servers.iter().find(|config| config.name == *name) {
                Some(config) if config == upstream.config() => continue,
                Some(_) => changes.restarted.push(name.clone()),
                None => changes.ended.push(name.clone()),
            }
            self.passed.forget(name);
            pool.remove(name).await;
        }
        let mut servers = Vec::new();
        for config in setup.servers {
            let name = config.name.clone();
            let upstream = match pool.server(&name) {
                Some(upstream) => upstream,
                None => {
                    // The name is free: the pool is ours until this function ends.
                    let Ok(upstream) = pool.add(config) else { continue };
                    if !changes.restarted.contains(&name) {
                        changes.started.push(name);
                    }
                    self.follow(&upstream);
                    upstream
                }
            };
            servers.push(upstream);
        }
        let executor = self.tools.executor();
        executor.set_limits(setup.limits);
        executor.set_check_mode(setup.check);
        executor.approvals().set_rules(setup.approvals);
        executor.registry().replace(servers.clone(), setup.filter);
        executor.registry().set_lock(setup.lock);
        executor.registry().observer().set_mode(setup.observe);
        self.passed.offer(!setup.exposed.is_empty());
        self.tools.set_exposed(setup.exposed);
        for upstream in servers.iter().filter(|upstream| upstream.state().is_usable()) {
            self.follower(upstream).pass_through().await;
        }
        changes
    }

    /// Ends all servers, and writes what was learned from their results.
    pub async fn shutdown(&self) {
        self.pool.lock().await.shutdown().await;
        let observer = self.tools.executor().registry().observer();
        // A thread that failed has nothing left to write.
        let _ = tokio::task::spawn_blocking(move || observer.flush(OBSERVED_WRITE)).await;
    }

    fn follow(&self, upstream: &Upstream) {
        let mut tasks = self.tasks.lock();
        // Those of servers that have ended.
        while tasks.try_join_next().is_some() {}
        // Listening begins before the task does, so that nothing is missed.
        tasks.spawn(self.follower(upstream).run(upstream.events()));
    }

    fn follower(&self, upstream: &Upstream) -> Follower {
        Follower {
            upstream: upstream.clone(),
            tools: self.tools.clone(),
            passed: self.passed.clone(),
            asks: self.asks.clone(),
            changed: self.tools.change_signal(),
        }
    }
}

/// Hands on what one server says on its own account.
struct Follower {
    upstream: Upstream,
    tools: Arc<ExecutorTools>,
    passed: PassThrough,
    asks: AskRouter,
    changed: ChangeSignal,
}

impl Follower {
    async fn run(self, mut events: Receiver<ServerEvent>) {
        let (mut state, mut first) = (self.upstream.watch_state(), self.upstream.watch_state());
        // Every connection has facts of its own, and begins with the server's own idea of what to log.
        let mut told: Option<Arc<ServerFacts>> = None;
        let mut is_starting = state.borrow().is_first_start();
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                _ = first.wait_for(|state| !state.is_first_start()), if is_starting => {
                    is_starting = false;
                    // The list names it as starting. One that came up fires with its tools.
                    if !self.upstream.state().is_usable() {
                        self.changed.fire();
                    }
                    continue;
                }
                stopped = state.wait_for(|state| matches!(state, ServerState::Stopped)) => {
                    // An error means that the state can't change any more.
                    let _ = stopped;
                    return;
                }
            };
            match event {
                Ok(ServerEvent::Log(message)) => self.asks.log(self.upstream.name(), message),
                Ok(ServerEvent::ListChanged(_)) => self.pass_through().await,
                // Something was missed; it may have been a change.
                Ok(ServerEvent::CatalogChanged { .. }) | Err(RecvError::Lagged(_)) => {
                    self.changed.fire();
                    let facts = self.upstream.facts();
                    if told.as_ref().map(Arc::as_ptr) != facts.as_ref().map(Arc::as_ptr) {
                        self.tools.tell_log_level(&self.upstream).await;
                        told = facts;
                    }
                    self.pass_through().await;
                }
                Ok(_) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Offers the server's resources and prompts if it has a tool that is offered.
    async fn pass_through(&self) {
        let server = self.upstream.name();
        match self.tools.is_exposed(server) {
            true => self.passed.refresh(&self.upstream).await,
            false => self.passed.forget(server),
        }
    }
}
