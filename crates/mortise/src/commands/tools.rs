//! `mortise tools`: what the servers offer.

pub(crate) mod signature;
pub(crate) mod view;

use clap::Args;
use mortise_client::RejectedTool;
use mortise_contract::NameMap;
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::json_text::{self, JsonObject};
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, Connected, StartFirst};

/// Arguments of `mortise tools`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ToolsArgs {
    /// Only this server: its name, or a URL
    // Not named `server`: that is the global option.
    #[arg(value_name = "SERVER")]
    only: Option<String>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// Lists the tools of all servers, or of one.
pub(crate) fn run(app: &App, args: &ToolsArgs) -> Result<Exit, Failure> {
    let asked = args.only.as_deref();
    let url = asked.filter(|server| servers::is_url(server));
    let mut servers = servers::choose(app, &args.ad_hoc, url, IfNone::TrySamples)?;
    if let Some(name) = asked.filter(|_| url.is_none()) {
        servers.keep_only(&[name.to_owned()])?;
    }
    session::run(app, servers, StartFirst::All, async |session| {
        let connected = session.connected().await;
        print(app, &connected)?;
        outcome(&connected, session)
    })
}

fn print(app: &App, connected: &[Connected]) -> Result<(), Failure> {
    match connected {
        _ if app.global.json => app.print_json(&json(connected)),
        // The failure that follows says it all.
        [Connected { error: Some(_), .. }] => Ok(()),
        [] => Ok(()),
        connected => app.print_paged(&view::view(&app.terminal, connected)),
    }
}

/// A server that was the only one must be there; of several, one is enough.
fn outcome(connected: &[Connected], session: &session::ServerSession<'_>) -> Result<Exit, Failure> {
    if connected.iter().all(|server| server.error.is_some())
        && let Some(failure) = connected.iter().find_map(Connected::failure)
    {
        return Err(failure);
    }
    for server in connected {
        for contract in &server.upstream.catalog().contracts {
            session.require_usable(&server.upstream, contract)?;
        }
    }
    Ok(Exit::Ok)
}

/// `{"servers": […], "tools": […]}`, every tool as its server wrote it.
fn json(connected: &[Connected]) -> String {
    let names = session::name_map(connected);
    let servers: Vec<String> = connected.iter().map(server_json).collect();
    let tools: Vec<String> = connected.iter().flat_map(|server| tools_json(server, &names)).collect();
    JsonObject::default()
        .raw("servers", &json_text::array(servers.iter().map(String::as_str)))
        .raw("tools", &json_text::array(tools.iter().map(String::as_str)))
        .finish()
}

fn server_json(server: &Connected) -> String {
    let mut object = JsonObject::default();
    object.text("name", server.upstream.name().as_str()).text("state", server.upstream.state().label());
    if let Some(error) = &server.error {
        object.text("error", &error.to_string());
    }
    let rejected: Vec<Value> = server.upstream.catalog().rejected.iter().map(rejected_json).collect();
    if !rejected.is_empty() {
        object.value("rejected", &Value::from(rejected));
    }
    object.finish()
}

fn rejected_json(rejected: &RejectedTool) -> Value {
    serde_json::json!({ "position": rejected.position, "name": rejected.name, "reason": rejected.reason })
}

fn tools_json(server: &Connected, names: &NameMap) -> Vec<String> {
    let name = server.upstream.name();
    let of_tool = |contract: &std::sync::Arc<mortise_contract::Contract>| {
        let mut added = JsonObject::default();
        added.text("server", name.as_str()).text("callable", &session::callable(names, name, &contract.name));
        json_text::extend(contract.raw.text(), &mut added)
    };
    server.upstream.catalog().contracts.iter().map(of_tool).collect()
}
