//! `mortise inspect`: what one tool takes and returns.

mod view;

use clap::Args;
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::json_text::{self, JsonObject};
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, ConnectedTool, StartFirst};

/// Arguments of `mortise inspect`.
#[derive(Clone, Debug, Args)]
pub(crate) struct InspectArgs {
    /// The tool: its name, server/tool, or mcp__server__tool
    tool: String,
    /// The server's URL
    #[arg(value_name = "URL")]
    target: Option<String>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// Shows the contract of one tool.
pub(crate) fn run(app: &App, args: &InspectArgs) -> Result<Exit, Failure> {
    if let Some(target) = args.target.as_deref().filter(|target| !servers::is_url(target)) {
        return Err(Failure::new(Exit::Usage, format!("`{target}` is not a URL"))
            .hint("after the tool comes only a server's URL; `server/tool` names a tool of one server"));
    }
    let servers = servers::choose(app, &args.ad_hoc, args.target.as_deref(), IfNone::TrySamples)?;
    session::run(app, servers, StartFirst::ForTool(&args.tool), async |session| {
        let tool = session.tool(&args.tool).await?;
        let compiled = tool.contract.compiled_output(&session.schema, &session.schemas);
        let schema = compiled.map(|compiled| compiled.map(|compiled| compiled.dialect().as_str()));
        match app.global.json {
            true => app.print_json(&json(&tool))?,
            false => {
                let context = view::Context {
                    server: tool.upstream.name().as_str(),
                    callable: &tool.callable,
                    mode: tool.upstream.mode(tool.contract.name.as_str()),
                    schema: &schema,
                };
                app.print_paged(&view::view(&app.terminal, &tool.contract, &context))?;
            }
        }
        session.require_usable(&tool.upstream, &tool.contract)?;
        Ok(Exit::Ok)
    })
}

/// The tool as its server wrote it, with what we add at the end.
fn json(tool: &ConnectedTool) -> String {
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
    json_text::extend(tool.contract.raw.text(), &mut added)
}
