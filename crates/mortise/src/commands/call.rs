//! `mortise call`: one call, its payload and its verdict.

mod input;
mod print;
mod rows;
mod save;

use std::cell::RefCell;
use std::path::PathBuf;

use clap::Args;
use mortise_client::secret::Secrets;
use mortise_client::{CallError, CallOptions, ProgressReport};
use mortise_contract::verdict::Status;
use mortise_contract::{Contract, RawJson, ToolCall, ToolOutcome, ToolResult};
use tokio::sync::mpsc;

use crate::app::App;
use crate::arguments::{self, ArgumentNames, Binding};
use crate::cli;
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::find::CallWords;
use crate::question;
use crate::servers::{self, AdHocArgs, IfNone, SameServers};
use crate::session::{self, ConnectedTool, StartFirst};
use crate::terminal::{Mark, escape, spinner};
use input::GivenArguments;

/// Arguments of `mortise call`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CallArgs {
    /// The tool: its name, server/tool, server.tool, server:tool, or mcp__server__tool
    tool: String,
    /// Arguments: name=value, --name value, name=@FILE, name:=JSON; or one JSON object, @FILE, or - for stdin; or the server's URL
    #[arg(value_name = "ARGUMENT")]
    words: Vec<String>,
    /// All arguments as one JSON object: the text, @FILE, or - for stdin
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// Send arguments that the tool's schema does not accept
    #[arg(long)]
    no_validate: bool,
    /// Call a tool that may destroy something without asking first
    #[arg(short, long)]
    yes: bool,
    /// Write images, sounds and other bytes of the result to this file or folder
    #[arg(long, value_name = "PATH")]
    save: Option<PathBuf>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
    /// Our own options that stand after the tool's name.
    #[arg(skip)]
    pub(crate) ours_after_tool: Vec<String>,
}

/// Reports of progress that may wait to be shown.
const PROGRESS: usize = 16;

/// Calls the tool, prints the payload and the verdict.
pub(crate) fn run(app: &App, args: &CallArgs) -> Result<Exit, Failure> {
    let (urls, mut words): (Vec<&str>, Vec<&str>) =
        args.words.iter().map(String::as_str).partition(|word| servers::is_url(word));
    let servers = servers::choose(app, &args.ad_hoc, urls.first().copied(), IfNone::TrySamples)?;
    if urls.len() > 1 {
        return Err(Failure::new(Exit::Usage, "more than one URL is given")
            .hint("a URL alone is the server's; name one that the tool takes: url=https://…"));
    }
    // `weather get_weather` means the tool of that server, unless a tool has the server's name.
    let of_server = words.first().copied().filter(|word| {
        input::is_bare(word) && servers.configs.iter().any(|config| config.name.as_str() == args.tool)
    });
    let qualified = of_server.map(|tool| format!("{}/{tool}", args.tool));
    let named = qualified.as_deref().unwrap_or(&args.tool);
    let same = SameServers::of(app, &args.ad_hoc, urls.first().copied());
    session::run(app, servers, StartFirst::ForTool(named), async |session| {
        let behind = CallWords::new(&words[usize::from(qualified.is_some())..]).with_servers(&same);
        let tool = match session.tool_to_call(named, behind).await {
            Err(failure) if qualified.is_some() => session.tool(&args.tool).await.map_err(|_| failure)?,
            found => {
                words.drain(..usize::from(qualified.is_some()));
                found?
            }
        };
        let given = input::read(args.args.as_deref(), &words).await?;
        let name = format!("{}/{}", tool.upstream.name(), tool.contract.name);
        let label = if args.tool.contains("__") || of_server.is_some() { &name } else { &args.tool };
        let arguments = arguments(app, args, &tool, label, given).await?;
        if !args.yes && app.terminal.is_interactive() && is_destructive(&tool.contract) {
            ask_first(app, &name).await?;
        }
        let outcome = call(app, &tool, arguments.clone()).await;
        if let (Some(path), Some(result)) = (&args.save, result(&outcome)) {
            save::save(app, path, &tool.contract.name, result)?;
        }
        finish(app, &tool, &arguments, outcome)
    })
}

/// The arguments that are sent: those given, or the answers of a person at a terminal.
async fn arguments(
    app: &App,
    args: &CallArgs,
    tool: &ConnectedTool,
    label: &str,
    given: GivenArguments,
) -> Result<RawJson, Failure> {
    let names = if args.no_validate { ArgumentNames::Free } else { ArgumentNames::Declared };
    let asks = given.is_empty() && !args.no_validate && app.terminal.is_interactive();
    let base = given.base;
    let explained =
        |failure: Failure| failure.or_hint(format!("`mortise tools {label}` shows what it takes"));
    let pairs = match asks {
        true => arguments::ask(app, label, &tool.contract).await?,
        false => {
            let our_options = cli::option_names("call");
            let binding = Binding { tool: label, contract: &tool.contract, our_options: &our_options, names };
            arguments::bind(&binding, base.as_deref(), given.words).map_err(explained)?
        }
    };
    note_ours(app, args, tool);
    let arguments = arguments::assemble(tool.contract.input_schema(), base.as_deref(), &pairs, names)
        .map_err(explained)?;
    if !args.no_validate {
        arguments::check(label, &tool.contract, &arguments)?;
    }
    Ok(arguments)
}

/// Says which options were taken as ours though the tool has an argument of that name.
fn note_ours(app: &App, args: &CallArgs, tool: &ConnectedTool) {
    let properties = tool.contract.input_schema().and_then(|schema| schema.get("properties"));
    for name in &args.ours_after_tool {
        if properties.is_some_and(|properties| properties.get(name).is_some()) {
            app.terminal.note(&format!(
                "`--{name}` is an option of mortise; for the tool's argument write `{name}=VALUE`"
            ));
        }
    }
}

/// Whether the tool itself says that it destroys something. Without a hint the user is not asked.
fn is_destructive(contract: &Contract) -> bool {
    let said = contract.raw.value().ok();
    let said = said.as_ref().and_then(|tool| tool.get("annotations")?.get("destructiveHint")?.as_bool());
    said == Some(true) && contract.hints().destructive
}

/// Asks before a tool destroys something.
async fn ask_first(app: &App, name: &str) -> Result<(), Failure> {
    let mark = app.terminal.for_stderr().mark(Mark::Warn);
    let text = format!("{mark} `{}` may destroy something. Call it?", escape::line(name));
    match question::is_yes_aside(app, &text).await? {
        true => Ok(()),
        false => Err(Failure::new(Exit::Usage, format!("`{name}` was not called"))
            .hint("answer y, or give --yes, to call it")),
    }
}

async fn call(app: &App, tool: &ConnectedTool, arguments: RawJson) -> Result<ToolOutcome, CallError> {
    let (sender, receiver) = mpsc::channel(PROGRESS);
    let receiver = RefCell::new(receiver);
    let name = format!("{}/{}", tool.upstream.name(), tool.contract.name);
    let mut latest = None;
    let message = || {
        while let Ok(progress) = receiver.borrow_mut().try_recv() {
            latest = Some(progress);
        }
        format!("calling {name}{}", latest.as_ref().map(shown).unwrap_or_default())
    };
    let call = ToolCall { tool: tool.contract.name.clone(), arguments };
    let progress = app.terminal.shows_progress().then_some(sender);
    let options = CallOptions { progress, ..CallOptions::default() };
    spinner::during(&app.terminal, message, Box::pin(tool.upstream.call(call, options))).await
}

/// `: 3 of 10, reading`.
fn shown(progress: &ProgressReport) -> String {
    let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
    let message = progress.message.as_ref().map(|message| format!(", {message}")).unwrap_or_default();
    format!(": {}{total}{message}", progress.progress)
}

/// The result, whether or not it keeps the contract.
fn result(outcome: &Result<ToolOutcome, CallError>) -> Option<&ToolResult> {
    match outcome {
        Ok(outcome) => Some(&outcome.result),
        Err(CallError::Violation { outcome, .. }) => Some(&outcome.result),
        Err(_) => None,
    }
}

/// Prints what there is and finds the exit code.
fn finish(
    app: &App,
    tool: &ConnectedTool,
    arguments: &RawJson,
    outcome: Result<ToolOutcome, CallError>,
) -> Result<Exit, Failure> {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(CallError::Violation { outcome, .. }) => *outcome,
        Err(error) => {
            if let (CallError::Rpc { error, .. }, true) = (&error, app.global.json) {
                print::print_rpc_error(app, tool, error)?;
            }
            // Servers repeat arguments in their errors, and stderr ends in logs.
            let hint = "`--json` prints the error as the server sent it";
            return Err(failure::upstream::call(&error).without(&Secrets::of_arguments(arguments), hint));
        }
    };
    print::print(app, tool, &outcome)?;
    Ok(match &outcome.verdict.status {
        _ if outcome.result.is_error => Exit::ToolFailed,
        _ if outcome.verdict.is_violation() => Exit::ContractViolated,
        Status::Unchecked { .. } if outcome.verdict.is_refused() => Exit::SchemaUnusable,
        _ => Exit::Ok,
    })
}

const EXAMPLES: &str = "\
Examples:
  mortise call get_weather city=Oslo
  mortise call get_weather --city Oslo
  mortise call query_financials '{\"ticker\": \"AMZN\", \"statement\": \"income\"}'
  mortise call send_mail to=ada@example.com body=@letter.txt
  mortise call get_weather city=Berlin -- npx -y some-weather-server";
