//! A tester behind its own server, and a client that checks every answer.

use std::path::PathBuf;
use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::server_config::{EraChoice, InProcess, ServerConfig, Transport};
use mortise_client::{CallOptions, Pool, PoolOptions, Upstream};
use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::{Mode, RawJson, SchemaCache, ServerName, ToolCall, ToolName};
use mortise_tester::{Tester, TesterOptions};
use serde_json::{Value, json};

/// Longer than anything a test waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A client of a tester.
pub(crate) struct Assistant {
    pub(crate) tester: Tester,
    pub(crate) upstream: Upstream,
    pool: Pool,
}

pub(crate) fn environment() -> Environment {
    Environment {
        variables: std::env::vars_os().collect(),
        working_directory: std::env::temp_dir(),
        ..Environment::default()
    }
}

/// The child program, built with the tests.
pub(crate) fn tested_server() -> String {
    let mut path: PathBuf = std::env::current_exe().expect("a test knows itself");
    path.pop();
    path.pop();
    path.join("examples").join("tested_server").to_string_lossy().into_owned()
}

impl Assistant {
    /// An assistant that started its own tester.
    pub(crate) async fn new() -> Self {
        Self::with(TesterOptions::local(environment())).await
    }

    pub(crate) async fn with(options: TesterOptions) -> Self {
        Self::of(Tester::new(options).expect("declarations are right")).await
    }

    /// Another caller of the same tester, with a session of its own.
    pub(crate) async fn neighbour(&self) -> Self {
        Self::of(self.tester.clone()).await
    }

    async fn of(tester: Tester) -> Self {
        let server = tester.server().expect("an identity");
        let transport = Transport::InProcess(InProcess::new(move || {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let server = server.clone();
            tokio::spawn(async move {
                let (reader, writer) = tokio::io::split(ours);
                server.serve(reader, writer, std::future::pending()).await;
            });
            theirs
        }));
        Self::reached(tester, transport, EraChoice::default()).await
    }

    /// Another caller of the same tester, who reaches it over this transport.
    pub(crate) async fn over(&self, transport: Transport, era: EraChoice) -> Self {
        Self::reached(self.tester.clone(), transport, era).await
    }

    async fn reached(tester: Tester, transport: Transport, era: EraChoice) -> Self {
        let name = ServerName::parse("tester").expect("a name");
        let mut pool_options = PoolOptions::new(environment());
        pool_options.mode = Mode::Warn;
        let mut pool = Pool::new(pool_options);
        let mut config = ServerConfig::new(name, transport);
        config.era = era;
        let upstream = pool.add(config).expect("the first of its name");
        upstream.ready(PATIENCE).await.expect("the tester serves");
        Self { tester, upstream, pool }
    }

    /// Ends this caller's session.
    pub(crate) async fn leave(self) {
        self.pool.shutdown().await;
    }

    /// Calls a tool of the tester; whatever comes back must be as advertised.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let call = ToolCall {
            tool: ToolName::parse(tool).expect("a name"),
            arguments: RawJson::from_value(&arguments).expect("JSON"),
        };
        let outcome = self.upstream.call(call, CallOptions::default()).await.expect("the tester answers");
        let result = &outcome.result;
        let structured = result.structured.as_ref().expect("structured content").clone();
        let answer = structured.value().expect("readable");
        let catalog = self.upstream.catalog();
        let contract = catalog.get(tool).expect("listed");
        let compiled = contract.compiled_output(&SchemaOptions::default(), &SchemaCache::default());
        let compiled = compiled.expect("an output schema").expect("usable");
        assert_eq!(compiled.validate(&answer), Validation::Valid, "{tool}: {answer:#}");
        let texts: Vec<&str> = result.texts().collect();
        assert_eq!(texts, [structured.text()], "the text is the JSON of the structured content");
        assert!(answer["metadata"]["request_time_ms"].is_u64(), "{answer:#}");
        assert_eq!(result.is_error, answer["success"] == json!(false), "{answer:#}");
        if result.is_error {
            for key in ["type", "message", "suggestion"] {
                assert!(answer["error"][key].as_str().is_some_and(|text| !text.is_empty()), "{answer:#}");
            }
            assert!(answer["error"]["details"].is_object(), "{answer:#}");
        }
        answer
    }

    /// The same for a call that must succeed.
    pub(crate) async fn ok(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments).await;
        assert_eq!(answer["success"], true, "{tool}: {answer:#}");
        answer
    }

    /// The same for a call that must fail with this type.
    pub(crate) async fn fails(&self, tool: &str, arguments: Value, kind: &str) -> Value {
        let answer = self.call(tool, arguments).await;
        assert_eq!(answer["error"]["type"], kind, "{tool}: {answer:#}");
        answer
    }

    /// Starts the mock with these scenarios and connects to it.
    pub(crate) async fn connect(&self, scenarios: &str) -> Value {
        self.ok("connect_to_server", command(scenarios)).await
    }
}

/// The arguments that start the mock with these scenarios.
pub(crate) fn command(scenarios: &str) -> Value {
    let args: Vec<&str> = scenarios.split_whitespace().collect();
    json!({"command": tested_server(), "args": args})
}
