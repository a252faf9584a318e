//! `mortise call`: one call, its payload and its verdict.

mod input;
mod print;
mod rows;

use std::cell::RefCell;

use clap::Args;
use mortise_client::secret::Secrets;
use mortise_client::{CallError, CallOptions, ProgressReport};
use mortise_contract::verdict::Status;
use mortise_contract::{RawJson, ToolCall, ToolOutcome};
use tokio::sync::mpsc;

use crate::app::App;
use crate::arguments::{self, ArgumentNames};
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, ConnectedTool, StartFirst};
use crate::terminal::spinner;

/// Arguments of `mortise call`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CallArgs {
    /// The tool: its name, server/tool, or mcp__server__tool
    tool: String,
    /// Arguments: name=value by the declared type, name:=JSON, name:=@FILE; or the server's URL
    #[arg(value_name = "ARGUMENT")]
    words: Vec<String>,
    /// All arguments as one JSON object: the text, @FILE, or - for stdin
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// Send arguments that the tool's schema does not accept
    #[arg(long)]
    no_validate: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// Reports of progress that may wait to be shown.
const PROGRESS: usize = 16;

/// Calls the tool, prints the payload and the verdict.
pub(crate) fn run(app: &App, args: &CallArgs) -> Result<Exit, Failure> {
    let (urls, words): (Vec<&String>, Vec<&String>) =
        args.words.iter().partition(|word| servers::is_url(word));
    let url = urls.first().map(|url| url.as_str());
    let servers = servers::choose(app, &args.ad_hoc, url, IfNone::TrySamples)?;
    if urls.len() > 1 {
        return Err(Failure::new(Exit::Usage, "more than one URL is given"));
    }
    session::run(app, servers, StartFirst::ForTool(&args.tool), async |session| {
        // First, so that a mistake in a file shows at once and a pipe is drained.
        let base = match &args.args {
            Some(argument) => Some(input::base(argument).await?),
            None => None,
        };
        let mut pairs = Vec::new();
        for word in words {
            pairs.push(input::pair(word).await?);
        }
        let tool = session.tool(&args.tool).await?;
        let names = if args.no_validate { ArgumentNames::Free } else { ArgumentNames::Declared };
        let arguments = arguments::assemble(tool.contract.input_schema(), base.as_deref(), &pairs, names)?;
        if !args.no_validate {
            arguments::check(&tool.contract, &arguments)?;
        }
        let outcome = call(app, &tool, arguments.clone()).await;
        finish(app, &tool, &arguments, outcome)
    })
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
  mortise call query_financials ticker=AMZN statement=income limit=4
  mortise call get_weather city=Berlin -- npx -y some-weather-server
  mortise call search_docs --args '{\"query\": \"leave policy\"}' --json";
