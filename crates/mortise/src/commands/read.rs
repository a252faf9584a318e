//! `mortise read`: one resource.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::RawJson;
use serde_json::Value;

use crate::app::App;
use crate::commands::tools::offered::{self, Offered, OfferedList};
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::find;
use crate::json_text::{self, JsonObject};
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, StartFirst};
use crate::terminal::{Tint, escape, units};

/// Arguments of `mortise read`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReadArgs {
    /// The resource, as `mortise tools --resources` lists it
    uri: String,
    /// Only this server: its name, or a URL
    #[arg(value_name = "SERVER")]
    only: Option<String>,
    /// Write the resource to this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

const EXAMPLES: &str = "\
Examples:
  mortise tools --resources
  mortise read file:///notes.txt
  mortise read image://logo --save logo.png";

/// Reads the resource from the server that lists it, else from the first that has it.
pub(crate) fn run(app: &App, args: &ReadArgs) -> Result<Exit, Failure> {
    let url = args.only.as_deref().and_then(|server| find::noted_address(app, server));
    let mut servers = servers::choose(app, &args.ad_hoc, url.as_deref(), IfNone::TrySamples)?;
    if let Some(name) = args.only.as_ref().filter(|_| url.is_none()) {
        servers.keep_only(std::slice::from_ref(name))?;
    }
    session::run(app, servers, StartFirst::All, async |session| {
        let connected = session.connected().await;
        let lists = offered::lists(app, &connected, Offered::Resources).await?;
        let (upstream, result) = read(&args.uri, &lists).await?;
        print(app, args, &upstream, &result)?;
        Ok(Exit::Ok)
    })
}

/// Asks the server that lists the resource, else all that have resources: it may fit a template.
async fn read(uri: &str, lists: &[OfferedList]) -> Result<(Upstream, RawJson), Failure> {
    let is_listed =
        |list: &&OfferedList| list.elements.iter().any(|element| address(element) == Some(uri.to_owned()));
    let owner = lists.iter().find(is_listed);
    let mut refusal: Option<CallError> = None;
    for list in owner.map_or(lists, std::slice::from_ref) {
        match list.upstream.read_resource(uri, CallOptions::default()).await {
            Ok(result) => return Ok((list.upstream.clone(), result)),
            Err(error) => refusal = Some(error),
        }
    }
    match (owner, refusal) {
        (Some(_), Some(error)) => Err(failure::upstream::call(&error)),
        (None, refusal) => Err(not_found(uri, lists, refusal.as_ref())),
        (Some(_), None) => Err(not_found(uri, lists, None)),
    }
}

fn not_found(uri: &str, lists: &[OfferedList], refusal: Option<&CallError>) -> Failure {
    let exit = if refusal.is_some() { Exit::ToolFailed } else { Exit::Usage };
    let failure = Failure::new(exit, format!("no server has a resource `{uri}`"));
    let failure = match refusal {
        Some(error) => failure.because(error),
        None => failure,
    };
    let known: Vec<String> = lists.iter().flat_map(|list| &list.elements).filter_map(address).collect();
    match find::nearest(uri, known.iter().map(String::as_str)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`mortise tools --resources` lists what there is"),
    }
}

fn address(resource: &RawJson) -> Option<String> {
    Some(resource.value().ok()?.get("uri")?.as_str()?.to_owned())
}

fn print(app: &App, args: &ReadArgs, upstream: &Upstream, result: &RawJson) -> Result<(), Failure> {
    if app.global.json {
        let mut added = JsonObject::default();
        added.text("server", upstream.name().as_str());
        return app.print_json(&json_text::extend(result.text(), &mut added));
    }
    let value = result.value().unwrap_or_default();
    let contents = value.get("contents").and_then(Value::as_array).cloned().unwrap_or_default();
    let parts: Vec<Vec<u8>> = contents.iter().filter_map(bytes).collect();
    if let Some(path) = &args.save {
        let whole = parts.concat();
        std::fs::write(path, &whole).map_err(|error| {
            Failure::new(Exit::Usage, format!("cannot write `{}`", path.display())).because(&error)
        })?;
        let size = units::size(whole.len() as u64);
        app.terminal.note(&format!("saved `{}`: {size}", path.display()));
        return Ok(());
    }
    for (content, part) in contents.iter().zip(&parts) {
        print_part(app, content, part)?;
    }
    Ok(())
}

/// Text as it is; other bytes as they are in a pipe, and described on a terminal.
fn print_part(app: &App, content: &Value, part: &[u8]) -> Result<(), Failure> {
    let is_terminal = app.terminal.stdout_is_terminal();
    match (content.get("text").and_then(Value::as_str), is_terminal) {
        (Some(text), true) if !text.ends_with('\n') => {
            app.print(&format!("{}\n", app.terminal.verbatim(text)))
        }
        (Some(text), _) => app.print(&app.terminal.verbatim(text)),
        (None, false) => app.print_bytes(part),
        (None, true) => {
            let kind = content.get("mimeType").and_then(Value::as_str).unwrap_or("bytes");
            let size = units::size(part.len() as u64);
            let text = format!("[{}, {size}; --save FILE writes it]", escape::line(kind));
            app.print(&format!("{}\n", app.terminal.paint(Tint::Dim, &text)))
        }
    }
}

/// The text of a part, or what its base64 stands for.
fn bytes(content: &Value) -> Option<Vec<u8>> {
    match content.get("text").and_then(Value::as_str) {
        Some(text) => Some(text.as_bytes().to_vec()),
        None => STANDARD.decode(content.get("blob")?.as_str()?.trim()).ok(),
    }
}
