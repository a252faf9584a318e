//! The servers of one command, connected for as long as it runs.

use std::sync::Arc;
use std::time::Duration;

use mortise_client::server_config::ServerConfig;
use mortise_client::{ConnectError, Pool, Restart, Upstream};
use mortise_contract::schema::SchemaOptions;
use mortise_contract::{CallableName, Contract, Mode, NameMap, SchemaCache, ServerName, ToolName};

use crate::app::App;
use crate::arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::failure::upstream::Unusable;
use crate::find::{self, CallWords, CorrectedCall, ToolLookup};
use crate::interrupt;
use crate::overview::short_path;
use crate::server_memory::ServerMemory;
use crate::servers::{ChosenServers, ServerPlaces, ServerSource};
use crate::terminal::spinner;

/// What a supervisor is given beyond its own time limit, so that its own error is the one that is shown.
const GRACE: Duration = Duration::from_secs(2);
/// Names of servers shown while they start.
const NAMES_SHOWN: usize = 3;

/// Connected servers.
#[derive(Debug)]
pub(crate) struct ServerSession<'a> {
    app: &'a App,
    pool: Pool,
    /// Servers that were not needed so far.
    waiting: Vec<ServerConfig>,
    /// Where each configured server is written.
    places: ServerPlaces,
    /// Where it is kept how configured servers stand.
    memory: Option<ServerMemory>,
    /// How schemas are compiled.
    pub(crate) schema: SchemaOptions,
    /// What was compiled already.
    pub(crate) schemas: SchemaCache,
}

/// A tool that was found.
#[derive(Clone, Debug)]
pub(crate) struct ConnectedTool {
    /// The server that has it.
    pub(crate) upstream: Upstream,
    /// What it declares.
    pub(crate) contract: Arc<Contract>,
    /// Its name in programs.
    pub(crate) callable: String,
}

/// One server, connected or not.
#[derive(Debug)]
pub(crate) struct Connected {
    /// The server.
    pub(crate) upstream: Upstream,
    /// Why it can't be used.
    pub(crate) error: Option<Unusable>,
    /// The file and the line of its entry: `~/.config/mortise/mortise.yaml:5`.
    pub(crate) entry: Option<String>,
}

impl Connected {
    /// Why it can't be used, and what to do about it.
    pub(crate) fn failure(&self) -> Option<Failure> {
        let failure = self.error.as_ref()?.failure(self.upstream.name());
        let failure = failure.hints(self.upstream.missed_variables().iter().map(|name| missed(name)));
        Some(failure.hints(self.shown_entry().map(|entry| format!("the server's entry is in {entry}"))))
    }

    /// Where its entry is, unless the error says that already.
    fn shown_entry(&self) -> Option<&str> {
        let is_said = matches!(self.error, Some(Unusable::NotConnected(ConnectError::Configuration { .. })));
        self.entry.as_deref().filter(|_| !is_said)
    }

    /// That it can't be used and why, on one line, for a command that goes on without it.
    pub(crate) fn warning(&self) -> String {
        let why = self.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        let entry = self.shown_entry().map(|entry| format!(" (its entry: {entry})")).unwrap_or_default();
        format!("server `{}` can't be used{why}{entry}", self.upstream.name())
    }
}

/// That a server seems to miss a variable, and how it gets it.
pub(crate) fn missed(variable: &str) -> String {
    format!(
        "it seems to miss `{variable}`, which is set here and not passed on: name it under `env:` of the server, or \
         pass `--env {variable}`"
    )
}

/// Which servers are started first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StartFirst<'a> {
    /// All of them.
    All,
    /// Those that a tool's name can mean; all if it is a bare name.
    ForTool(&'a str),
}

/// Connects to `servers`, does the work, and ends every server again, whatever happens.
pub(crate) fn run<T>(
    app: &App,
    servers: ChosenServers,
    start: StartFirst<'_>,
    work: impl AsyncFnOnce(&mut ServerSession<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    interrupt::block_on(async |stop| {
        let mut session = ServerSession::start(app, servers, start)?;
        let outcome = stop.unless_asked(work(&mut session)).await;
        stop.tidy_up(session.pool.shutdown()).await;
        outcome
    })
}

impl<'a> ServerSession<'a> {
    fn start(app: &'a App, servers: ChosenServers, start: StartFirst<'_>) -> Result<Self, Failure> {
        let mut options = servers.pool_options(app);
        options.restart = Restart::Never;
        let schema = options.schema.clone();
        let is_configured = matches!(servers.source, ServerSource::Files(_));
        let memory = ServerMemory::open(app).filter(|_| is_configured);
        let (first, waiting) = match start {
            StartFirst::All => (servers.configs, Vec::new()),
            StartFirst::ForTool(query) => narrowed(query, servers.configs),
        };
        let pool = Pool::start(first, options).map_err(|error| Failure::from_error(Exit::Usage, &error))?;
        Ok(Self {
            app,
            pool,
            waiting,
            places: servers.places,
            memory,
            schema,
            schemas: SchemaCache::default(),
        })
    }

    /// The servers that were started.
    pub(crate) fn upstreams(&self) -> &[Upstream] {
        self.pool.servers()
    }

    /// Waits for every server that was started; those that fail are listed separately.
    pub(crate) async fn connected(&self) -> Vec<Connected> {
        let upstreams = self.pool.servers();
        let message = || {
            let pending = upstreams.iter().filter(|upstream| upstream.state().label() == "starting");
            format!("connecting to {}", names(pending.map(|upstream| upstream.name().as_str())))
        };
        spinner::during(&self.app.terminal, message, async {
            let mut connected = Vec::new();
            for upstream in upstreams {
                let limit = upstream.config().start_timeout + GRACE;
                let ready = upstream.ready(limit).await.map_err(Unusable::NotConnected);
                let listed = || upstream.catalog().stale.clone().map(Unusable::NotListed);
                let error = ready.err().or_else(listed);
                if let Some(memory) = &self.memory {
                    memory.remember(upstream, error.as_ref());
                }
                let entry = self.entry_of(upstream.name());
                connected.push(Connected { upstream: upstream.clone(), error, entry });
            }
            connected
        })
        .await
    }

    fn entry_of(&self, server: &ServerName) -> Option<String> {
        let (_, place) = self.places.iter().find(|(name, _)| name == server)?;
        Some(format!("{}:{}", short_path(self.app, &place.path), place.position.line))
    }

    /// Finds the tool that a name means; servers that can't be reached matter only if it is not found.
    pub(crate) async fn tool(&mut self, query: &str) -> Result<ConnectedTool, Failure> {
        self.find(query, Wanted::Tool).await
    }

    /// Finds the tool that `mortise call` names before these words.
    pub(crate) async fn tool_to_call(
        &mut self,
        query: &str,
        words: CallWords<'_>,
    ) -> Result<ConnectedTool, Failure> {
        self.find(query, Wanted::Call(words)).await
    }

    /// Finds the tool that a name means where it could have been a server's name too.
    pub(crate) async fn tool_or_server(&mut self, query: &str) -> Result<ConnectedTool, Failure> {
        self.find(query, Wanted::ToolOrServer).await
    }

    async fn find(&mut self, query: &str, wanted: Wanted<'_>) -> Result<ConnectedTool, Failure> {
        loop {
            let connected = self.connected().await;
            match lookup(query, &connected, wanted) {
                Lookup::ConnectedTool(tool) => return Ok(tool),
                Lookup::Failed(failure) => return Err(failure),
                Lookup::Nothing(_) if !self.waiting.is_empty() => {
                    for config in std::mem::take(&mut self.waiting) {
                        self.pool.add(config).map_err(|error| Failure::from_error(Exit::Usage, &error))?;
                    }
                }
                Lookup::Nothing(failure) => return Err(failure),
            }
        }
    }

    /// Fails for a tool in strict mode whose output schema can't be used: no call of it would be sent.
    pub(crate) fn require_usable(&self, upstream: &Upstream, contract: &Contract) -> Result<(), Failure> {
        if upstream.mode(contract.name.as_str()) != Mode::Strict {
            return Ok(());
        }
        match contract.compiled_output(&self.schema, &self.schemas) {
            Some(Err(error)) => {
                let message = format!("the output schema of `{}` can't be used", contract.name);
                Err(Failure::new(Exit::SchemaUnusable, message).because(&error))
            }
            _ => Ok(()),
        }
    }
}

/// The callable names of all tools of all connected servers.
pub(crate) fn name_map(connected: &[Connected]) -> NameMap {
    let catalogs: Vec<_> =
        connected.iter().map(|server| (server.upstream.name(), server.upstream.catalog())).collect();
    NameMap::new(
        catalogs
            .iter()
            .flat_map(|(server, catalog)| catalog.contracts.iter().map(|contract| (*server, &contract.name))),
    )
}

/// The callable name of one tool; its own name if it has none.
pub(crate) fn callable(names: &NameMap, server: &ServerName, tool: &ToolName) -> String {
    names.callable(server, tool).map_or(tool.as_str(), CallableName::as_str).to_owned()
}

/// What a name may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted<'a> {
    Tool,
    ToolOrServer,
    /// A tool that is called with these words.
    Call(CallWords<'a>),
}

enum Lookup {
    ConnectedTool(ConnectedTool),
    Nothing(Failure),
    Failed(Failure),
}

fn lookup(query: &str, connected: &[Connected], wanted: Wanted<'_>) -> Lookup {
    let names = name_map(connected);
    let catalogs: Vec<_> =
        connected.iter().map(|server| (&server.upstream, server.upstream.catalog())).collect();
    let tools: Vec<(&ServerName, &ToolName)> = catalogs
        .iter()
        .flat_map(|(upstream, catalog)| {
            catalog.contracts.iter().map(|contract| (upstream.name(), &contract.name))
        })
        .collect();
    match find::find(query, &tools, &names) {
        ToolLookup::Tool(server, tool) => {
            let found = catalogs.iter().find_map(|(upstream, catalog)| {
                let contract = catalog.get(tool.as_str()).filter(|_| upstream.name() == server)?;
                Some(((*upstream).clone(), contract.clone()))
            });
            match found {
                Some((upstream, contract)) => Lookup::ConnectedTool(ConnectedTool {
                    upstream,
                    contract,
                    callable: callable(&names, server, tool),
                }),
                None => Lookup::Nothing(not_found(query, connected, wanted, Vec::new())),
            }
        }
        ToolLookup::Ambiguous(names) => Lookup::Failed(
            Failure::new(Exit::Usage, format!("several servers have a tool `{query}`"))
                .hint(format!("use one of {}", names.join(", "))),
        ),
        ToolLookup::Nothing(near) => {
            let failure = unreached(query, connected);
            Lookup::Nothing(failure.unwrap_or_else(|| not_found(query, connected, wanted, near)))
        }
    }
}

/// Tools of a server that are named in a message.
const TOOLS_NAMED: usize = 5;

fn not_found(query: &str, connected: &[Connected], wanted: Wanted<'_>, near: Vec<String>) -> Failure {
    if let Some(server) = connected.iter().find(|server| server.upstream.name().as_str() == query) {
        return server_not_tool(server);
    }
    if let Some(failure) = corrected(query, connected, wanted, &near) {
        return failure;
    }
    let what = if wanted == Wanted::ToolOrServer { "server and no tool" } else { "tool" };
    let failure = Failure::new(Exit::Usage, format!("there is no {what} `{query}`"));
    let servers = connected.iter().map(|server| server.upstream.name().as_str());
    let server = find::nearest(query, servers);
    let meant: Vec<String> = server
        .filter(|_| wanted == Wanted::ToolOrServer)
        .map(str::to_owned)
        .into_iter()
        .chain(near)
        .collect();
    let failure = match (meant.is_empty(), server) {
        (false, _) => failure.hint(format!("did you mean `{}`?", meant.join("` or `"))),
        (true, Some(server)) => {
            failure.hint(format!("did you mean the server `{server}`? Then write {server}/TOOL"))
        }
        (true, None) => failure.hint("`mortise tools` lists what there is"),
    };
    let names: Vec<&ServerName> = connected.iter().map(|server| server.upstream.name()).collect();
    if !find::named_servers(query, &names).is_empty() {
        return failure;
    }
    let broken: Vec<&str> = connected
        .iter()
        .filter(|server| server.error.is_some())
        .map(|server| server.upstream.name().as_str())
        .collect();
    match broken.as_slice() {
        [] => failure,
        [server] => failure.hint(format!(
            "server `{server}` can't be used, so its tools are unknown; `mortise doctor` says why"
        )),
        several => failure.hint(format!(
            "these servers can't be used, so their tools are unknown: {}; `mortise doctor` says why",
            several.join(", ")
        )),
    }
}

/// The command as it was most likely meant, if that is one tool: `call wether get_weather city=Oslo`, `call get_wether`.
fn corrected(query: &str, connected: &[Connected], wanted: Wanted<'_>, near: &[String]) -> Option<Failure> {
    let Wanted::Call(words) = wanted else { return None };
    let with_hint = |what: &str, call: &CorrectedCall| {
        Failure::new(Exit::Usage, format!("there is no {what} `{query}`"))
            .typed_hint(format!("did you mean: {}", call.typed), format!("did you mean: {}", call.elsewhere))
    };
    if let [tool] = near {
        return Some(with_hint("tool", &words.call(tool)));
    }
    let (tool, rest) = words.split_tool().filter(|_| near.is_empty())?;
    let servers = connected.iter().map(|server| server.upstream.name().as_str());
    let server = find::nearest(query, servers)?;
    let server = connected.iter().find(|connected| connected.upstream.name().as_str() == server)?;
    let catalog = server.upstream.catalog();
    let tool = find::nearest(tool, catalog.contracts.iter().map(|contract| contract.name.as_str()))?;
    Some(with_hint("server", &rest.call(&format!("{}/{tool}", server.upstream.name()))))
}

/// The name of a server stands where a tool is wanted.
fn server_not_tool(server: &Connected) -> Failure {
    let name = server.upstream.name();
    let catalog = server.upstream.catalog();
    let failure = Failure::new(Exit::Usage, format!("`{name}` is a server, not a tool"));
    let Some(first) = catalog.contracts.first() else {
        return failure.hint("it has no tools");
    };
    let tools = catalog.contracts.iter().map(|contract| contract.name.as_str());
    let listed = tools.take(TOOLS_NAMED).collect::<Vec<_>>().join(", ");
    let more = if catalog.contracts.len() > TOOLS_NAMED { ", …" } else { "" };
    failure.hint(format!("its tools are {listed}{more}")).hint(format!(
        "call one with its server: {}",
        arguments::example(&format!("{name}/{}", first.name), first)
    ))
}

/// The tool is on a server that did not answer: the only one, or the one that is named, or all of them.
fn unreached(query: &str, connected: &[Connected]) -> Option<Failure> {
    let names: Vec<&ServerName> = connected.iter().map(|server| server.upstream.name()).collect();
    let named = find::named_servers(query, &names);
    let is_meant = |server: &&Connected| {
        let name = server.upstream.name();
        named.contains(&name) || name.as_str() == query
    };
    let failed: Vec<&Connected> = connected.iter().filter(|server| server.error.is_some()).collect();
    if let Some(meant) = failed.iter().copied().find(is_meant) {
        return meant.failure();
    }
    if failed.len() < connected.len() {
        return None;
    }
    let (first, others) = failed.split_first()?;
    let others: Vec<&str> = others.iter().map(|server| server.upstream.name().as_str()).collect();
    first.failure().map(|failure| match others.is_empty() {
        true => failure,
        false => failure.hint(format!("these can't be used either: {}", others.join(", "))),
    })
}

/// The servers that a qualified name can mean, and the rest.
fn narrowed(query: &str, configs: Vec<ServerConfig>) -> (Vec<ServerConfig>, Vec<ServerConfig>) {
    let names: Vec<&ServerName> = configs.iter().map(|config| &config.name).collect();
    let named: Vec<ServerName> = find::named_servers(query, &names).into_iter().cloned().collect();
    match named.is_empty() {
        true => (configs, Vec::new()),
        false => configs.into_iter().partition(|config| named.contains(&config.name)),
    }
}

/// `a, b, c and 4 more`.
fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let shown = names.iter().take(NAMES_SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES_SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
