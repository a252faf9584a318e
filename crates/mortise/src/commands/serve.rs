//! `mortise serve`: the executor as an MCP server.

mod reload;
mod trim;

use clap::{Args, Subcommand};
use mortise_client::tool_filter::Glob;
use mortise_config::{Execution, Trace as ConfiguredTrace};
use mortise_contract::LockMode;
use mortise_executor::expose::Exposed;
use mortise_executor::service::{Service, ServiceError, Setup};
use mortise_executor::tools::RunTrace;
use mortise_script::{Share, Spare};
use mortise_server::Server;

use crate::app::App;
use crate::cli::modes;
use crate::commands::{mock, sample, tester};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt;
use crate::journal;
use crate::known_tools;
use crate::locking::{self, Locking};
use crate::programs;
use crate::servers::{self, AdHocArgs, ChosenServers, IfNone};
use crate::serving::{self, ServingArgs};
use reload::Watch;

/// Arguments of `mortise serve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct ServeArgs {
    /// A server of our own in place of the gateway
    #[command(subcommand)]
    own: Option<OwnServer>,
    /// Offer these tools directly too (repeatable): a glob over mcp__server__tool
    #[arg(long, value_name = "GLOB")]
    expose: Vec<String>,
    /// What happens to tools that are not as mortise.lock.json records them [default: as configured, else warn]
    #[arg(long, value_name = "MODE", value_parser = modes::lock())]
    lock: Option<LockMode>,
    /// End every result with a summary of its calls
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    serving: ServingArgs,
}

/// Servers that are built in.
#[derive(Clone, Debug, Subcommand)]
enum OwnServer {
    /// Serve tools with which an agent tests other MCP servers
    Tester(tester::TesterArgs),
    /// Serve a built-in sample server
    Sample(sample::SampleArgs),
    /// Serve a scripted server that misbehaves, or a recording
    Mock(mock::MockArgs),
}

const EXAMPLES: &str = "\
Examples:
  claude mcp add mortise -- mortise serve
  mortise serve --config ~/.config/mortise/work.yaml
  mortise serve --http 8080";

/// What the model that uses the server reads first.
const INSTRUCTIONS: &str = "execute_program runs one Python program over the tools of all connected MCP servers and \
returns only what it prints. Find tools with search_tools, see what one takes and returns with inspect_tool, then write \
the program: tools are async functions called by their namespaced names with keyword arguments.";

/// Serves until the client goes or a signal asks to stop.
pub(crate) fn run(app: &App, args: &ServeArgs) -> Result<Exit, Failure> {
    match &args.own {
        Some(OwnServer::Tester(args)) => return tester::run(app, args),
        Some(OwnServer::Sample(args)) => return sample::run(app, args),
        Some(OwnServer::Mock(args)) => return mock::run(app, args),
        None => {}
    }
    // From this look on a change counts, also one that is made while the files are read.
    let watch = Watch::new(app);
    let servers = servers::choose(app, &AdHocArgs::default(), None, IfNone::Refuse)?;
    let watch = watch.over(app, &servers);
    let locking = locking::read(app, args.lock, &servers)?;
    locking.print_warnings(app);
    interrupt::block_on_many_threads(async |stop| {
        let (journal, on_failure) = (journal::open(app, &servers.journal)?, servers.journal.on_failure);
        let service = start(app, args, servers, locking)?;
        journal::attach(app, service.tools().executor(), journal, on_failure);
        let server = Server::new("mortise", env!("CARGO_PKG_VERSION"))
            .title("mortise")
            .instructions(INSTRUCTIONS)
            .tools(service.tools())
            .resources(service.passed_through())
            .prompts(service.passed_through());
        let server = server.build().map_err(|error| Failure::from_error(Exit::Bug, &error))?;
        let served = tokio::select! {
            served = serving::until_asked(app, &server, &args.serving, stop) => served,
            never = reload::on_change(app, args, &service, watch) => match never {},
            never = trim::after_programs(&service) => match never {},
        };
        stop.tidy_up(service.shutdown()).await;
        served
    })
}

/// Starts the servers without waiting for them. Their tools are those of the last time until they are up.
fn start(app: &App, args: &ServeArgs, servers: ChosenServers, locking: Locking) -> Result<Service, Failure> {
    let mut pool = servers.pool_options(app);
    pool.catalogs = known_tools::cache(&app.environment);
    let mut engine = programs::engine(app, &servers.execution, Spare::Always);
    if args.serving.is_http() {
        engine.capacity.share = Share::Half;
    }
    let trace = trace(args, &servers.execution);
    Service::start(setup(app, args, servers, locking), pool, engine, programs::checker(app), trace).map_err(
        |error| match &error {
            ServiceError::NameTaken(taken) => Failure::from_error(Exit::Usage, taken),
            ServiceError::Declaration(fault) => Failure::from_error(Exit::Bug, fault),
        },
    )
}

/// What is configured of the things that may change while we serve.
fn setup(app: &App, args: &ServeArgs, mut servers: ChosenServers, mut locking: Locking) -> Setup {
    servers.spell_out_checks();
    for (configured, marked) in servers.mark_samples() {
        locking.policy.rename(configured.as_str(), marked.as_str());
    }
    let globs = args.expose.iter().map(|glob| Glob::new(glob.as_str()));
    Setup {
        limits: programs::limits(&servers.execution),
        exposed: Exposed::new(servers.expose.into_iter().chain(globs).collect()),
        approvals: programs::approvals(servers.approvals),
        check: servers.execution.check,
        observe: servers.observe,
        shapes: programs::shapes(app),
        servers: servers.configs,
        filter: servers.tools,
        lock: locking.policy,
    }
}

fn trace(args: &ServeArgs, execution: &Execution) -> RunTrace {
    match args.trace || execution.trace == ConfiguredTrace::Summary {
        true => RunTrace::Summary,
        false => RunTrace::Off,
    }
}
