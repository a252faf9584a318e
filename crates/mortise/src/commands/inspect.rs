//! `mortise inspect`: what one tool takes and returns.

mod view;

use clap::Args;
use mortise_contract::observed::ObservedShape;
use mortise_executor::inspect::ObservedFacts;
use serde_json::Value;

use crate::app::App;
use crate::commands::tools;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find;
use crate::json_text::{self, JsonObject};
use crate::programs;
use crate::servers::{self, AdHocArgs, ChosenServers, IfNone};
use crate::session::{self, ConnectedTool, ServerSession, StartFirst};

/// Arguments of `mortise inspect`.
#[derive(Clone, Debug, Args)]
pub(crate) struct InspectArgs {
    /// The tool: its name, server/tool, or mcp__server__tool
    tool: String,
    /// The server's URL; or the tool, if its server comes first
    #[arg(value_name = "URL")]
    target: Option<String>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// What a name on the command line may be the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameOf {
    /// A tool; of a server only where no tool has it.
    Tool,
    /// A tool: a server of this name was looked for before.
    ToolOrServer,
}

/// Shows the contract of one tool, or the tools of the server that was named in its place.
pub(crate) fn run(app: &App, args: &InspectArgs) -> Result<Exit, Failure> {
    let target = args.target.as_deref();
    let url = target.and_then(|target| find::noted_address(app, target));
    let servers = servers::choose(app, &args.ad_hoc, url.as_deref(), IfNone::TrySamples)?;
    match target.filter(|_| url.is_none()) {
        Some(tool) => show(app, servers, &format!("{}/{tool}", args.tool), NameOf::Tool),
        None => show(app, servers, &args.tool, NameOf::Tool),
    }
}

/// Shows the contract of the tool that `query` names.
pub(crate) fn show(
    app: &App,
    mut servers: ChosenServers,
    query: &str,
    name_of: NameOf,
) -> Result<Exit, Failure> {
    let is_server =
        name_of == NameOf::Tool && servers.configs.iter().any(|config| config.name.as_str() == query);
    let observer = programs::observer(app, servers.observe);
    let shown = session::run(app, servers.clone(), StartFirst::ForTool(query), async |session| {
        let found = match name_of {
            NameOf::Tool => session.tool(query).await,
            NameOf::ToolOrServer => session.tool_or_server(query).await,
        };
        match found {
            Err(_) if is_server => Ok(None),
            found => {
                let found = found?;
                let observed = observer.observed(&found.contract);
                show_found(app, session, &found, observed.as_deref()).map(Some)
            }
        }
    })?;
    match shown {
        Some(exit) => Ok(exit),
        None => {
            servers.keep_only(&[query.to_owned()])?;
            tools::list(app, servers, None, None)
        }
    }
}

fn show_found(
    app: &App,
    session: &ServerSession<'_>,
    tool: &ConnectedTool,
    observed: Option<&ObservedShape>,
) -> Result<Exit, Failure> {
    let compiled = tool.contract.compiled_output(&session.schema, &session.schemas);
    let schema = compiled.map(|compiled| compiled.map(|compiled| compiled.dialect().as_str()));
    match app.global.json {
        true => app.print_json(&json(tool, observed))?,
        false => {
            let context = view::Context {
                server: tool.upstream.name().as_str(),
                callable: &tool.callable,
                mode: tool.upstream.mode(tool.contract.name.as_str()),
                schema: &schema,
                observed,
            };
            app.print_paged(&view::view(&app.terminal, &tool.contract, &context))?;
        }
    }
    session.require_usable(&tool.upstream, &tool.contract)?;
    Ok(Exit::Ok)
}

/// The tool as its server wrote it, with what we add at the end.
fn json(tool: &ConnectedTool, observed: Option<&ObservedShape>) -> String {
    let issues: Vec<Value> = tool
        .contract
        .issues
        .iter()
        .map(|issue| {
            serde_json::json!({
                "pointer": issue.pointer,
                "severity": view::severity(issue.severity),
                "message": issue.message,
            })
        })
        .collect();
    let mut added = JsonObject::default();
    added
        .text("server", tool.upstream.name().as_str())
        .text("callable", &tool.callable)
        .value("issues", &Value::from(issues));
    if let Some(shape) = observed {
        added
            .value("observedSchema", &shape.schema().value)
            .value("observed", &serde_json::json!(ObservedFacts::of(shape)));
    }
    json_text::extend(tool.contract.raw.text(), &mut added)
}
