//! Calls one tool through this crate and through bare rmcp, in turn, and prints what each batch cost.
//!
//! Usage: `bench_call ROUNDS BATCH TOOL ARGUMENTS COMMAND…`. Each client starts the server's command for itself and
//! speaks the same protocol version to it. One line per batch: `{"system": …, "wall_ns": …, "cpu_ns": …}`; the CPU time
//! is that of this process. One round is not counted.

use std::error::Error;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use mortise_client::environment::Environment;
use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_client::{CallOptions, Era, Pool, PoolOptions, Upstream};
use mortise_contract::{RawJson, ServerName, ToolCall, ToolName};
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, ClientConfig, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use serde_json::{Map, Value, json};

type Failure = Box<dyn Error + Send + Sync>;

const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let mut next = |name: &str| words.next().ok_or_else(|| format!("{name} is missing"));
    let rounds: usize = next("ROUNDS")?.parse()?;
    let batch: usize = next("BATCH")?.parse()?;
    let tool = next("TOOL")?;
    let arguments = next("ARGUMENTS")?;
    let program = next("COMMAND")?;
    let command: Vec<String> = words.collect();

    let (pool, upstream) = ours(&program, &command).await?;
    let era = upstream.facts().ok_or("the server said nothing about itself")?.era;
    let (client, _server) = bare(&program, &command, era).await?;
    let call = ToolCall { tool: ToolName::parse(&tool)?, arguments: RawJson::parse(&arguments)? };
    let object: Map<String, Value> = serde_json::from_str(&arguments)?;

    for round in 0..=rounds {
        for turn in 0..2 {
            let start = (Instant::now(), cpu());
            let system = if (round + turn) % 2 == 0 {
                call_ours(&upstream, &call, batch).await?;
                "mortise-client"
            } else {
                call_bare(&client, &tool, &object, batch).await?;
                "rmcp"
            };
            let (wall, cpu) = (start.0.elapsed(), cpu() - start.1);
            if round > 0 {
                let line =
                    json!({ "system": system, "wall_ns": nanoseconds(wall), "cpu_ns": nanoseconds(cpu) });
                writeln!(std::io::stdout(), "{line}")?;
            }
        }
    }
    client.cancel().await?;
    pool.shutdown().await;
    Ok(())
}

async fn ours(program: &str, arguments: &[String]) -> Result<(Pool, Upstream), Failure> {
    let environment = Environment {
        variables: std::env::vars_os().collect(),
        working_directory: std::env::current_dir()?,
        ..Environment::default()
    };
    let mut pool = Pool::new(PoolOptions::new(environment));
    let transport = Transport::Stdio(StdioConfig::new(program, arguments.to_vec()));
    let upstream = pool.add(ServerConfig::new(ServerName::parse("bench")?, transport))?;
    upstream.ready(PATIENCE).await?;
    Ok((pool, upstream))
}

/// rmcp with nothing around it; the child ends with its handle.
async fn bare(
    program: &str,
    arguments: &[String],
    era: Era,
) -> Result<(RunningService<RoleClient, ClientConfig>, tokio::process::Child), Failure> {
    let mut command = tokio::process::Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = command.kill_on_drop(true).spawn()?;
    let (Some(stdout), Some(stdin)) = (server.stdout.take(), server.stdin.take()) else {
        return Err("the server has no pipes".into());
    };
    let lifecycle = match era {
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] },
        Era::Legacy => ClientLifecycleMode::Initialize,
    };
    let client = ClientConfig::default().serve_with_lifecycle((stdout, stdin), lifecycle).await?;
    Ok((client, server))
}

async fn call_ours(upstream: &Upstream, call: &ToolCall, batch: usize) -> Result<(), Failure> {
    for _ in 0..batch {
        upstream.call(call.clone(), CallOptions::default()).await?;
    }
    Ok(())
}

async fn call_bare(
    client: &RunningService<RoleClient, ClientConfig>,
    tool: &str,
    arguments: &Map<String, Value>,
    batch: usize,
) -> Result<(), Failure> {
    for _ in 0..batch {
        let parameters = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
        client.call_tool(parameters).await?;
    }
    Ok(())
}

fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
