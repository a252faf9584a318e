//! Many servers, started at once and looked after one by one.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::limits::SCHEMAS_CACHED;
use mortise_contract::name::NameLength;
use mortise_contract::schema::SchemaOptions;
use mortise_contract::text::nearest;
use mortise_contract::{Mode, NameMap, RawJson, SchemaCache, ServerName, ToolCall, ToolOutcome};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::call::CallOptions;
use crate::catalog_cache::CatalogCache;
use crate::environment::Environment;
use crate::era_memory::EraMemory;
use crate::error::CallError;
use crate::handler::Handlers;
use crate::limits;
use crate::places::CallPlaces;
use crate::server_config::ServerConfig;
use crate::supervisor;
#[cfg(feature = "http")]
use crate::token::TokenSource;
use crate::upstream::Upstream;
use crate::wire::Identity;

/// How a pool treats all its servers.
#[derive(Clone, Debug)]
pub struct PoolOptions {
    /// What the process was started with.
    pub environment: Environment,
    /// The name we give ourselves.
    pub client_name: String,
    /// The version we give ourselves.
    pub client_version: String,
    /// What happens when a result breaks its contract, unless configured per server or tool.
    pub mode: Mode,
    /// Structured content from a tool without output schema counts as a violation.
    pub forbid_unschematised: bool,
    /// How schemas are compiled.
    pub schema: SchemaOptions,
    /// Answers the requests of servers.
    pub handlers: Handlers,
    /// Where bearer tokens come from, for servers whose configuration holds none.
    #[cfg(feature = "http")]
    pub tokens: Option<Arc<dyn TokenSource>>,
    /// Whether a server that fails is started again.
    pub restart: Restart,
    /// How long a server may take to say which era it speaks. The time of a process counts from its first read.
    pub probe_timeout: Duration,
    /// The largest message that is taken in.
    pub frame_limit: usize,
    /// Which addresses may be contacted over HTTP.
    #[cfg(feature = "http")]
    pub reach: Reach,
    /// Where lists of tools are kept, so that a server's tools are known while it starts. `None` keeps none.
    pub catalogs: Option<CatalogCache>,
    /// Where it is kept which era each server speaks. `None` keeps nothing.
    pub eras: Option<EraMemory>,
}

/// Which addresses may be contacted over HTTP.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reach {
    /// Any address: an operator configured it.
    #[default]
    Any,
    /// Public addresses only. Every connection is judged after its name is resolved. For servers that strangers name.
    /// Proxies are not used, since they resolve names themselves.
    Public,
}

/// What happens when a server fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Restart {
    /// It is started again, and a list of tools that could not be read is read again, after a growing pause.
    #[default]
    Always,
    /// It stays down until [`Upstream::reconnect`], and its tools as they were until they change or
    /// [`Upstream::refresh`].
    Never,
}

impl PoolOptions {
    /// Strict, without handlers, restarting, everything else at its default.
    pub fn new(environment: Environment) -> Self {
        Self {
            environment,
            client_name: "mortise".to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            mode: Mode::Strict,
            forbid_unschematised: false,
            schema: SchemaOptions::default(),
            handlers: Handlers::default(),
            #[cfg(feature = "http")]
            tokens: None,
            restart: Restart::Always,
            probe_timeout: limits::UPSTREAM_PROBE,
            frame_limit: limits::FRAME_BYTES,
            #[cfg(feature = "http")]
            reach: Reach::Any,
            catalogs: None,
            eras: None,
        }
    }
}

/// A pool has a server of that name already.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a server named `{server}` is already in the pool")]
pub struct NameTaken {
    /// The name.
    pub server: ServerName,
}

/// What all servers of a pool share.
#[derive(Debug)]
pub(crate) struct PoolShared {
    pub(crate) options: PoolOptions,
    pub(crate) identity: Arc<Identity>,
    pub(crate) schemas: SchemaCache,
    /// For results whose check takes much memory and time.
    pub(crate) judgements: CallPlaces,
}

/// A set of servers. Dropping it ends them all.
pub struct Pool {
    shared: Arc<PoolShared>,
    upstreams: Vec<Upstream>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Pool {
    /// A pool without servers; see [`Pool::add`].
    pub fn new(options: PoolOptions) -> Self {
        let identity = Arc::new(Identity {
            name: options.client_name.clone(),
            version: options.client_version.clone(),
            handlers: options.handlers.clone(),
        });
        let schemas = SchemaCache::new(SCHEMAS_CACHED);
        let judgements = CallPlaces::new(limits::LARGE_RESULTS_JUDGED);
        let shared = Arc::new(PoolShared { options, identity, schemas, judgements });
        Self { shared, upstreams: Vec::new(), stop: CancellationToken::new(), tasks: TaskTracker::new() }
    }

    /// Starts all servers at once and returns without waiting for any of them.
    ///
    /// Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// When two servers have the same name; then none is started.
    pub fn start(configs: Vec<ServerConfig>, options: PoolOptions) -> Result<Self, NameTaken> {
        let mut names = HashSet::new();
        if let Some(second) = configs.iter().find(|config| !names.insert(&config.name)) {
            return Err(NameTaken { server: second.name.clone() });
        }
        let mut pool = Self::new(options);
        for config in configs {
            pool.add(config)?;
        }
        Ok(pool)
    }

    /// Starts one more server. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// When the pool has a server of this name; it stays as it is.
    pub fn add(&mut self, config: ServerConfig) -> Result<Upstream, NameTaken> {
        if self.server(&config.name).is_some() {
            return Err(NameTaken { server: config.name });
        }
        let upstream =
            supervisor::start_supervisor(config, self.shared.clone(), self.stop.child_token(), &self.tasks);
        self.upstreams.push(upstream.clone());
        Ok(upstream)
    }

    /// Ends one server and forgets it.
    pub async fn remove(&mut self, name: &ServerName) {
        if let Some(position) = self.upstreams.iter().position(|upstream| upstream.name() == name) {
            self.upstreams.remove(position).stop().await;
        }
    }

    /// All servers, in the order in which they were configured.
    pub fn servers(&self) -> &[Upstream] {
        &self.upstreams
    }

    /// The server of that name.
    pub fn server(&self, name: &ServerName) -> Option<Upstream> {
        self.upstreams.iter().find(|upstream| upstream.name() == name).cloned()
    }

    /// The names by which programs or LLM providers call the tools that are listed now.
    ///
    /// They are those of [`NameMap`], and those that `mortise-declare` gives to the same tools.
    pub fn callable_names(&self, length: NameLength) -> NameMap {
        let catalogs: Vec<_> =
            self.upstreams.iter().map(|upstream| (upstream.name(), upstream.catalog())).collect();
        let tools = catalogs.iter().flat_map(|(server, catalog)| {
            catalog.contracts.iter().map(move |contract| (*server, &contract.name))
        });
        NameMap::with_length(tools, length)
    }

    /// Calls a tool by the name that a model used for it.
    ///
    /// `names` are those under which the tools were declared to the model: of [`Pool::callable_names`], or of the
    /// `ProviderTools` that `mortise-declare` rendered. They stay good when servers list other tools later.
    ///
    /// ```no_run
    /// use mortise_client::{CallOptions, Pool};
    /// use mortise_contract::RawJson;
    /// use mortise_contract::name::NameLength;
    ///
    /// # async fn example(pool: Pool) -> Result<(), Box<dyn std::error::Error>> {
    /// let names = pool.callable_names(NameLength::Provider);
    /// let arguments = RawJson::parse(r#"{"status": "open"}"#)?;
    /// let outcome = pool.call_named(&names, "mcp__shop__list_orders", arguments, CallOptions::default()).await?;
    /// println!("{}", outcome.result.raw.text());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`CallError::UnknownName`] when no tool has this name, else as [`Upstream::call`]. As there, a result that says
    /// `isError` is an outcome.
    pub async fn call_named(
        &self,
        names: &NameMap,
        name: &str,
        arguments: RawJson,
        options: CallOptions,
    ) -> Result<ToolOutcome, CallError> {
        let target = names.target(name).and_then(|(server, tool)| Some((self.server(server)?, tool.clone())));
        let Some((upstream, tool)) = target else {
            let known = names.iter().map(|(_, _, callable)| callable.as_str());
            let nearest = nearest(name, known).map(str::to_owned);
            return Err(CallError::UnknownName { name: name.to_owned(), nearest });
        };
        upstream.call(ToolCall { tool, arguments }, options).await
    }

    /// Ends all servers and waits until nothing of them is left: at most a few seconds.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("servers", &self.upstreams).finish_non_exhaustive()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
