//! `mortise tools`: what the servers offer.

pub(crate) mod offered;
pub(crate) mod signature;
pub(crate) mod view;

use std::sync::Arc;

use clap::Args;
use mortise_client::RejectedTool;
use mortise_contract::{Contract, NameMap};
use mortise_executor::observed::Observer;
use mortise_executor::search::SearchIndex;
use serde_json::Value;

use crate::app::App;
use crate::commands::inspect::{self, NameOf};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find;
use crate::json_text::{self, JsonObject};
use crate::programs;
use crate::servers::{self, AdHocArgs, ChosenServers, IfNone};
use crate::session::{self, Connected, StartFirst};
use offered::Offered;

/// Arguments of `mortise tools`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ToolsArgs {
    /// A server or its URL to list its tools, or a tool to show what it takes and returns
    // Not named `server`: that is the global option.
    #[arg(value_name = "SERVER or TOOL", num_args = 0..=2)]
    words: Vec<String>,
    /// List only tools that have to do with these words, best first
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// List resources and their templates in place of tools
    #[arg(long, conflicts_with_all = ["search", "prompts"])]
    resources: bool,
    /// List prompts in place of tools
    #[arg(long, conflicts_with = "search")]
    prompts: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

const EXAMPLES: &str = "\
Examples:
  mortise tools
  mortise tools weather
  mortise tools get_weather
  mortise tools --search 'wind speed'
  mortise tools localhost:8080
  mortise tools -- npx -y some-weather-server";

/// One server with the tools that are listed.
pub(crate) struct ListedTools<'a> {
    /// The server.
    pub(crate) connected: &'a Connected,
    /// Its tools, or those that were searched for.
    pub(crate) contracts: Vec<Arc<Contract>>,
}

/// What the words of the command line ask for.
enum Asked {
    /// All servers, or the one that is left.
    Servers,
    /// One tool, by this name.
    Tool(String),
}

/// Lists the tools of all servers or of one, or shows one tool.
pub(crate) fn run(app: &App, args: &ToolsArgs) -> Result<Exit, Failure> {
    let addresses: Vec<Option<String>> =
        args.words.iter().map(|word| find::noted_address(app, word)).collect();
    let url = addresses.iter().flatten().next().cloned();
    let words: Vec<&str> = args
        .words
        .iter()
        .zip(&addresses)
        .filter(|(_, address)| address.is_none())
        .map(|(word, _)| word.as_str())
        .collect();
    let mut servers = servers::choose(app, &args.ad_hoc, url.as_deref(), IfNone::TrySamples)?;
    let asked = asked(&mut servers, &words)?;
    match (asked, args.resources, args.prompts) {
        (Asked::Servers, true, _) => offered::list(app, servers, Offered::Resources),
        (Asked::Servers, _, true) => offered::list(app, servers, Offered::Prompts),
        (Asked::Servers, false, false) => list(app, servers, args.search.as_deref(), words.first().copied()),
        (Asked::Tool(name), true, _) | (Asked::Tool(name), _, true) => {
            servers.keep_only(&[name])?;
            Ok(Exit::Ok)
        }
        (Asked::Tool(name), false, false) => inspect::show(app, servers, &name, NameOf::ToolOrServer),
    }
}

/// A server's name leaves that server alone; any other word is a tool.
fn asked(servers: &mut ChosenServers, words: &[&str]) -> Result<Asked, Failure> {
    let is_server = |word: &str| servers.configs.iter().any(|config| config.name.as_str() == word);
    match words {
        [] => Ok(Asked::Servers),
        [word] if is_server(word) => {
            servers.keep_only(&[(*word).to_owned()])?;
            Ok(Asked::Servers)
        }
        [word] => Ok(Asked::Tool((*word).to_owned())),
        [server, tool, ..] => Ok(Asked::Tool(format!("{server}/{tool}"))),
    }
}

/// Lists the tools of these servers; `named` is the server that was asked for.
pub(crate) fn list(
    app: &App,
    servers: ChosenServers,
    search: Option<&str>,
    named: Option<&str>,
) -> Result<Exit, Failure> {
    let observer = programs::observer(app, servers.observe);
    session::run(app, servers, StartFirst::All, async |session| {
        let connected = session.connected().await;
        let listed = listed(&connected, search);
        if let (Some(search), true) = (search, listed.is_empty()) {
            app.terminal.note(&format!("no tool has to do with `{search}`"));
        }
        print(app, &connected, &listed, &observer)?;
        note_tool(app, &connected, named);
        outcome(&connected, session)
    })
}

/// Says how to see a tool that has the name of the server that is listed.
fn note_tool(app: &App, connected: &[Connected], named: Option<&str>) {
    let has_tool =
        |server: &&Connected| named.is_some_and(|name| server.upstream.catalog().get(name).is_some());
    if let (Some(name), Some(server)) = (named, connected.iter().find(has_tool)) {
        let server = server.upstream.name();
        app.terminal.note(&format!("`{name}` is a tool too: `mortise tools {server}/{name}` shows it"));
    }
}

/// The tools of each server: all, or those that have to do with the words; then servers without any are left out.
fn listed<'a>(connected: &'a [Connected], search: Option<&str>) -> Vec<ListedTools<'a>> {
    let all = connected.iter().map(|server| ListedTools {
        connected: server,
        contracts: server.upstream.catalog().contracts.clone(),
    });
    let all: Vec<ListedTools<'_>> = all.collect();
    let Some(search) = search else { return all };
    let flat: Vec<(usize, Arc<Contract>)> = all
        .iter()
        .enumerate()
        .flat_map(|(index, server)| server.contracts.iter().map(move |contract| (index, contract.clone())))
        .collect();
    let name = |index: usize| connected[index].upstream.name().as_str();
    let found = SearchIndex::new(flat.iter().map(|(index, contract)| (name(*index), &**contract)))
        .find(search, flat.len());
    let mut servers: Vec<(usize, ListedTools<'_>)> = Vec::new();
    for (index, contract) in found.into_iter().filter_map(|position| flat.get(position)) {
        match servers.iter_mut().find(|(known, _)| known == index) {
            Some((_, server)) => server.contracts.push(contract.clone()),
            None => {
                let contracts = vec![contract.clone()];
                servers.push((*index, ListedTools { connected: &connected[*index], contracts }));
            }
        }
    }
    servers.into_iter().map(|(_, server)| server).collect()
}

fn print(
    app: &App,
    connected: &[Connected],
    listed: &[ListedTools<'_>],
    observer: &Observer,
) -> Result<(), Failure> {
    match connected {
        _ if app.global.json => app.print_json(&json(connected, listed)),
        // The failure that follows says it all.
        [Connected { error: Some(_), .. }] => Ok(()),
        [] => Ok(()),
        _ => app.print_paged(&view::view(&app.terminal, listed, observer)),
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
fn json(connected: &[Connected], listed: &[ListedTools<'_>]) -> String {
    let names = session::name_map(connected);
    let servers: Vec<String> = connected.iter().map(server_json).collect();
    let tools: Vec<String> = listed.iter().flat_map(|server| tools_json(server, &names)).collect();
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

fn tools_json(server: &ListedTools<'_>, names: &NameMap) -> Vec<String> {
    let name = server.connected.upstream.name();
    let of_tool = |contract: &Arc<Contract>| {
        let mut added = JsonObject::default();
        added.text("server", name.as_str()).text("callable", &session::callable(names, name, &contract.name));
        json_text::extend(contract.raw.text(), &mut added)
    };
    server.contracts.iter().map(of_tool).collect()
}
