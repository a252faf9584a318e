//! An executor over servers of a test's choosing, and clients at the other end of pipes.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::server_config::ServerConfig;
use mortise_client::tool_filter::{Glob, ToolFilter};
use mortise_client::{CatalogCache, PoolOptions, Upstream};
use mortise_contract::CompiledSchema;
use mortise_contract::lock::RecordedTools;
use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::{CheckMode, LockMode, Mode, ObserveMode};
use mortise_executor::approvals::ApprovalRules;
use mortise_executor::checker::{CheckerCommand, CheckerOptions};
use mortise_executor::expose::Exposed;
use mortise_executor::lock_policy::LockPolicy;
use mortise_executor::observed::{ShapeFiles, ShapeStore};
use mortise_executor::run::Executor;
use mortise_executor::service::{self, Service};
use mortise_executor::tools::{ANSWER_META, LEDGER_META, RunTrace};
use mortise_script::{Capacity, EngineOptions, Limits};
use mortise_server::Server;
use mortise_testkit::RawPeer;
use serde_json::{Value, json};

/// Longer than anything a test waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The shape of each tool's facts, as the reference documents it.
static SHAPES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../cases/answers.json")).unwrap());

/// Processes of the example `checker`, which Cargo builds next to the tests.
pub(crate) fn checker() -> CheckerOptions {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples").join("checker");
    CheckerOptions::new(CheckerCommand { program, name: "checker".into(), arguments: Vec::new() })
}

/// What an executor is made of.
pub(crate) struct Setup {
    servers: Vec<ServerConfig>,
    filter: ToolFilter,
    lock: LockPolicy,
    exposed: Vec<Glob>,
    trace: RunTrace,
    limits: Limits,
    mode: Mode,
    check: CheckMode,
    approvals: ApprovalRules,
    capacity: Capacity,
    checker: CheckerOptions,
    catalogs: Option<CatalogCache>,
    observe: ObserveMode,
    shapes: Option<Arc<dyn ShapeStore>>,
}

impl Setup {
    pub(crate) fn of(servers: impl IntoIterator<Item = ServerConfig>) -> Self {
        Self {
            servers: servers.into_iter().collect(),
            filter: ToolFilter::All,
            lock: LockPolicy::default(),
            exposed: Vec::new(),
            trace: RunTrace::Off,
            limits: Limits::default(),
            mode: Mode::Warn,
            check: CheckMode::Off,
            approvals: ApprovalRules::default(),
            capacity: Capacity { running: 8, ..Capacity::default() },
            checker: checker(),
            catalogs: None,
            observe: ObserveMode::Off,
            shapes: None,
        }
    }

    /// Keeps lists of tools in this directory.
    pub(crate) fn cached_in(mut self, directory: &Path) -> Self {
        self.catalogs = Some(CatalogCache::new(directory));
        self
    }

    /// Learns from results, and keeps what it learns in this directory.
    pub(crate) fn observing_in(mut self, directory: &Path) -> Self {
        self.observe = ObserveMode::On;
        self.shapes = Some(Arc::new(ShapeFiles::new(directory)));
        self
    }

    pub(crate) fn allow(mut self, globs: &[&str]) -> Self {
        self.filter = ToolFilter::Allow(globs.iter().map(|glob| Glob::new(*glob)).collect());
        self
    }

    pub(crate) fn block(mut self, globs: &[&str]) -> Self {
        self.filter = ToolFilter::Block(globs.iter().map(|glob| Glob::new(*glob)).collect());
        self
    }

    /// Compares tools with the text of a lock file.
    pub(crate) fn locked(mut self, mode: LockMode, text: &str) -> Self {
        self.lock = LockPolicy::new(mode, RecordedTools::parse(text).unwrap());
        self
    }

    pub(crate) fn expose(mut self, globs: &[&str]) -> Self {
        self.exposed = globs.iter().map(|glob| Glob::new(*glob)).collect();
        self
    }

    pub(crate) fn traced(mut self) -> Self {
        self.trace = RunTrace::Summary;
        self
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    pub(crate) fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn check(mut self, mode: CheckMode) -> Self {
        self.check = mode;
        self
    }

    /// Which calls need agreement.
    pub(crate) fn approvals(mut self, approvals: ApprovalRules) -> Self {
        self.approvals = approvals;
        self
    }

    pub(crate) fn capacity(mut self, change: impl FnOnce(&mut Capacity)) -> Self {
        change(&mut self.capacity);
        self
    }

    /// Starts it and waits until every server is there or has failed once.
    pub(crate) async fn start(self) -> Bench {
        let bench = self.start_now();
        for upstream in bench.upstreams().iter() {
            // A server that fails is what some tests are about.
            let _ = upstream.ready(PATIENCE).await;
        }
        bench
    }

    /// Starts it and waits for nothing.
    pub(crate) fn start_now(self) -> Bench {
        let environment = Environment { working_directory: std::env::temp_dir(), ..Environment::default() };
        let pool = PoolOptions {
            mode: self.mode,
            probe_timeout: Duration::from_secs(20),
            catalogs: self.catalogs.clone(),
            ..PoolOptions::new(environment)
        };
        let engine = EngineOptions {
            cache_directory: Some(env!("CARGO_TARGET_TMPDIR").into()),
            capacity: self.capacity,
            ..EngineOptions::default()
        };
        let trace = self.trace;
        let checker = self.checker.clone();
        let service = Service::start(self.into_service(), pool, engine, checker, trace).unwrap();
        let passed = service.passed_through();
        let server =
            Server::new("mortise", "0").tools(service.tools()).resources(passed.clone()).prompts(passed);
        Bench { service, server: server.build().unwrap() }
    }

    /// What the service takes, at its start and when it is reconfigured.
    pub(crate) fn into_service(self) -> service::Setup {
        service::Setup {
            servers: self.servers,
            filter: self.filter,
            lock: self.lock,
            exposed: Exposed::new(self.exposed),
            limits: self.limits,
            check: self.check,
            approvals: self.approvals,
            observe: self.observe,
            shapes: self.shapes,
        }
    }
}

/// A running executor. Its servers end with it.
pub(crate) struct Bench {
    pub(crate) service: Service,
    server: Server,
}

impl Bench {
    pub(crate) fn executor(&self) -> Arc<Executor> {
        self.service.tools().executor().clone()
    }

    pub(crate) fn upstreams(&self) -> Arc<Vec<Upstream>> {
        self.executor().registry().servers()
    }

    /// The server of that name.
    pub(crate) fn upstream(&self, name: &str) -> Upstream {
        self.upstreams().iter().find(|upstream| upstream.name().as_str() == name).unwrap().clone()
    }

    /// A stream to the executor on which nothing was said yet.
    pub(crate) fn connect(&self) -> RawPeer {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let server = self.server.clone();
        tokio::spawn(async move { server.serve(reader, writer, std::future::pending()).await });
        RawPeer::over(ours).waiting(PATIENCE)
    }

    pub(crate) async fn client(&self) -> Client {
        self.client_with(json!({})).await
    }

    /// A client that can answer what these capabilities say.
    pub(crate) async fn client_with(&self, capabilities: Value) -> Client {
        let mut peer = self.connect();
        peer.initialize_as("2025-11-25", capabilities).await.unwrap();
        Client { peer }
    }

    /// A client that calls itself this.
    pub(crate) async fn client_called(&self, name: &str) -> Client {
        let mut peer = self.connect();
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": name, "version": "0" },
        });
        peer.request("initialize", params).await.unwrap();
        peer.notify("notifications/initialized", Value::Null).await.unwrap();
        Client { peer }
    }

    /// Calls one of the tools as a client of its own.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.client().await.call(tool, arguments).await
    }

    /// Runs a program as a client of its own.
    pub(crate) async fn run(&self, code: &str) -> Outcome {
        self.call("execute_program", json!({ "code": code })).await
    }

    /// Runs a program that succeeds; what it printed.
    pub(crate) async fn prints(&self, code: &str) -> String {
        let outcome = self.run(code).await;
        assert!(!outcome.is_error, "{}", outcome.text);
        outcome.facts["output"].as_str().unwrap().to_owned()
    }
}

/// A client with an open session.
pub(crate) struct Client {
    pub(crate) peer: RawPeer,
}

impl Client {
    /// Calls a tool; its facts are checked against their documented shape.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Outcome {
        let id = self.start(tool, arguments).await;
        self.outcome(tool, id).await
    }

    /// Begins a call.
    pub(crate) async fn start(&mut self, tool: &str, arguments: Value) -> i64 {
        self.peer.start("tools/call", json!({ "name": tool, "arguments": arguments })).await.unwrap()
    }

    /// The end of a call.
    pub(crate) async fn outcome(&mut self, tool: &str, id: i64) -> Outcome {
        let outcome = Outcome::new(&self.peer.response(id).await.unwrap());
        outcome.assert_documented(tool);
        outcome
    }

    pub(crate) async fn tools(&mut self) -> Vec<Value> {
        let listed = self.peer.request("tools/list", json!({})).await.unwrap();
        listed["result"]["tools"].as_array().unwrap().clone()
    }
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) is_error: bool,
    /// The first text block.
    pub(crate) text: String,
    /// What its `_meta` holds for programs.
    pub(crate) facts: Value,
    pub(crate) result: Value,
}

impl Outcome {
    #[track_caller]
    pub(crate) fn new(response: &Value) -> Self {
        let result = response.get("result").unwrap_or_else(|| panic!("no result: {response}")).clone();
        Self {
            is_error: result["isError"] == true,
            text: result["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
            facts: result["_meta"][ANSWER_META].clone(),
            result,
        }
    }

    /// An answer of ours has no structured content, which clients would show in place of its text. Its facts have the
    /// documented shape; an error may come without them.
    #[track_caller]
    fn assert_documented(&self, tool: &str) {
        let shape = match tool {
            "wait_program" | "cancel_program" | "resume_program" => "execute_program",
            tool => tool,
        };
        let Some(schema) = SHAPES.get(shape) else { return };
        assert_eq!(self.result.get("structuredContent"), None, "{tool}");
        if self.is_error && self.facts.is_null() {
            return;
        }
        let compiled = CompiledSchema::compile(schema, &SchemaOptions::default()).unwrap();
        let validation = compiled.validate(&self.facts);
        assert!(matches!(validation, Validation::Valid), "{validation:?}: {}", self.facts);
    }

    /// The calls one by one.
    pub(crate) fn calls(&self) -> Vec<Value> {
        self.result["_meta"][LEDGER_META]["calls"].as_array().cloned().unwrap_or_default()
    }

    /// The only call.
    #[track_caller]
    pub(crate) fn only_call(&self) -> Value {
        let calls = self.calls();
        assert_eq!(calls.len(), 1, "{}", self.text);
        calls[0].clone()
    }
}

/// The description of `execute_program`, which shows the catalogue.
pub(crate) fn described(tools: &[Value]) -> String {
    let program = tools.iter().find(|tool| tool["name"] == "execute_program").unwrap();
    program["description"].as_str().unwrap().to_owned()
}
