//! The engine that the tests share, and tools to call.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_script::{
    CallRequest, CallValue, Capacity, Engine, EngineOptions, HostError, HostErrorKind, Limits, Program,
    RunReport, Spare, ToolHost,
};
use tokio_util::sync::CancellationToken;

/// One engine for all tests, as in production; roomy, since hostile programs run beside small ones. Some get the spare
/// guest, some a fresh one, and there must be no difference.
pub(crate) static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let capacity = Capacity { running: 64, ..Capacity::default() };
    Engine::new(EngineOptions { capacity, spare: Spare::Always, ..EngineOptions::default() })
        .expect("the interpreter loads")
});

/// The tools of [`Tools`].
pub(crate) const TOOLS: [&str; 7] = ["echo", "value", "fail", "never", "big", "panics", "mcp__s__t"];

/// Simple tools: `echo` gives its arguments back, `value` the JSON text in `json`, `fail` fails, `never` never
/// answers, `big` gives a string of `bytes` bytes, `panics` panics.
pub(crate) struct Tools;

impl ToolHost for Tools {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        let argument = |name: &str| request.arguments.value().expect("JSON")[name].clone();
        match request.name.as_str() {
            "echo" | "mcp__s__t" => Ok(request.arguments.into()),
            "value" => Ok(json(argument("json").as_str().expect("a string")).into()),
            "fail" => Err(HostError {
                said: Some("no such row".to_owned()),
                structured: Some(json(r#"{"code": 12345678901234567890123}"#)),
                ..HostError::new(HostErrorKind::Tool, "'fail' returned an error: no such row")
            }),
            "never" => std::future::pending().await,
            "big" => Ok(json(&format!(
                "\"{}\"",
                "x".repeat(argument("bytes").as_u64().expect("a number") as usize - 2)
            ))
            .into()),
            "panics" => panic!("a tool that panics"),
            name => panic!("unexpected call of {name}"),
        }
    }

    async fn inspect_tool(&self, tool_name: String) -> Result<RawJson, HostError> {
        if TOOLS.contains(&tool_name.as_str()) {
            return Ok(json(&format!(r#"{{"name":"{tool_name}","outputSchema":null}}"#)));
        }
        let message = format!("[Tool not found] '{tool_name}' is not available in execute_program");
        Err(HostError::new(HostErrorKind::Unavailable, message))
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Ok(json(r#"["echo","fail"]"#))
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        Ok(json(r#"{"s":{"connected":true}}"#))
    }
}

pub(crate) fn json(text: &str) -> RawJson {
    RawJson::parse(text).expect("JSON")
}

/// A program with the tools of [`Tools`] and generous time.
pub(crate) fn program(source: &str) -> Program {
    let mut program = Program::new(source);
    program.tools = TOOLS.into_iter().collect();
    program.limits = Limits { wall: Duration::from_secs(60), ..Limits::default() };
    program
}

/// Runs a program on a host.
pub(crate) async fn run_on(program: Program, host: impl ToolHost) -> RunReport {
    ENGINE.run_program(program, Arc::new(host), (), &CancellationToken::new()).await.expect("there is room")
}

/// Runs a program on [`Tools`].
pub(crate) fn run(program: Program) -> RunReport {
    block_on(run_on(program, Tools))
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// The program prints this and ends well.
#[track_caller]
pub(crate) fn prints(source: &str, expected: &str) {
    let report = run(program(source));
    assert_eq!(report.error.map(|error| error.traceback), None, "output: {}", report.output);
    assert_eq!(report.output, expected);
}

/// The program fails with this text; what it printed before.
#[track_caller]
pub(crate) fn fails(source: &str, traceback: &str) -> String {
    let report = run(program(source));
    let error = report.error.expect("the program fails");
    assert_eq!(error.traceback, traceback, "output: {}", report.output);
    report.output
}
