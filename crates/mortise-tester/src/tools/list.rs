//! Listing what the server has, complete and in its own order.

use std::collections::{HashMap, HashSet};

use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::{Contract, RawJson};

use crate::callers::Workspace;
use crate::connection::Connection;
use crate::failure::{Subject, of_call};
use crate::fitting::Fitting;
use crate::moment::Moment;
use crate::object::Object;
use crate::request::{Report, Request};
use crate::tools::asking::{Asking, METHOD_NOT_FOUND, failed};
use crate::tools::{Outcome, returned};

/// A list of the protocol, and what it is called in an answer.
struct List {
    tool: &'static str,
    method: &'static str,
    /// The capability that a server with such a list advertises.
    capability: &'static str,
    member: &'static str,
    total: &'static str,
}

const TOOLS: List = List {
    tool: "list_tools",
    method: "tools/list",
    capability: "tools",
    member: "tools",
    total: "total_tools",
};
const RESOURCES: List = List {
    tool: "list_resources",
    method: "resources/list",
    capability: "resources",
    member: "resources",
    total: "total_resources",
};
const TEMPLATES: List = List {
    tool: "list_resource_templates",
    method: "resources/templates/list",
    capability: "resources",
    member: "resource_templates",
    total: "total_resource_templates",
};
const PROMPTS: List = List {
    tool: "list_prompts",
    method: "prompts/list",
    capability: "prompts",
    member: "prompts",
    total: "total_prompts",
};

/// What we call a member, where that is not what the protocol calls it.
const RENAMED: [(&str, &str); 2] = [("inputSchema", "input_schema"), ("outputSchema", "output_schema")];

/// `list_tools`.
pub(super) async fn tools(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.usable(request.connection())?;
    let elements = read(&connection, &TOOLS, request, Upstream::tools).await?;
    if let Read::Listed(elements) = &elements {
        keep_current(&connection, elements).await;
    }
    let mut names = HashSet::new();
    let item = |raw: &RawJson| tool_item(workspace, raw, &mut names, request.flag("verbose", false));
    let mut report = listed(&connection, &TOOLS, elements, item);
    report.metadata = report
        .metadata
        .set_some("server_name", connection.server_name())
        .set_some("server_version", connection.server_version());
    Ok(report)
}

/// Makes the tools that calls are judged by those that were just shown.
async fn keep_current(connection: &Connection, elements: &[RawJson]) {
    let catalog = connection.upstream.catalog();
    let known = catalog.contracts.iter().map(|contract| &contract.raw);
    if catalog.stale.is_some()
        || catalog.rejected.len() + catalog.contracts.len() != elements.len()
        || !known.eq(elements.iter().filter(|element| !is_rejected(&catalog.rejected, element)))
    {
        // If it fails, calls are judged by the list before, and the state says so.
        let _ = connection.upstream.refresh().await;
    }
}

fn is_rejected(rejected: &[mortise_client::RejectedTool], element: &RawJson) -> bool {
    rejected.iter().any(|rejected| rejected.raw == *element)
}

fn tool_item(workspace: &Workspace, raw: &RawJson, names: &mut HashSet<String>, verbose: bool) -> Object {
    let mut fitting = element(workspace, "list_tools", "tools", raw);
    match Contract::parse(raw.clone()) {
        Ok(contract) => {
            if !names.insert(contract.name.as_str().to_owned()) {
                fitting
                    .note(format!("a tool named `{}` was listed before; that one is called", contract.name));
            }
            let issues = contract.issues.iter().map(|issue| {
                Object::new()
                    .set("pointer", &issue.pointer)
                    .set("code", issue.code.as_str())
                    .set("severity", issue.severity.as_str())
                    .set("message", &issue.message)
            });
            fitting.put(|object| object.list("issues", issues));
        }
        Err(error) => fitting.note(format!("this is no usable tool: {error}")),
    }
    finish(fitting, raw, verbose)
}

/// `list_resources`.
pub(super) async fn resources(workspace: &Workspace, request: &Request) -> Outcome {
    plain(workspace, request, &RESOURCES, Upstream::resources).await
}

/// `list_resource_templates`.
pub(super) async fn templates(workspace: &Workspace, request: &Request) -> Outcome {
    plain(workspace, request, &TEMPLATES, Upstream::resource_templates).await
}

/// `list_prompts`.
pub(super) async fn prompts(workspace: &Workspace, request: &Request) -> Outcome {
    plain(workspace, request, &PROMPTS, Upstream::prompts).await
}

async fn plain(
    workspace: &Workspace,
    request: &Request,
    list: &List,
    ask: impl AsyncFnOnce(&Upstream, CallOptions) -> Result<Vec<RawJson>, CallError>,
) -> Outcome {
    let connection = workspace.connections.usable(request.connection())?;
    let elements = read(&connection, list, request, ask).await?;
    let verbose = request.flag("verbose", false);
    let item = |raw: &RawJson| finish(element(workspace, list.tool, list.member, raw), raw, verbose);
    Ok(listed(&connection, list, elements, item))
}

/// What came of asking for a list.
enum Read {
    Listed(Vec<RawJson>),
    /// The server neither advertises nor answers the method: it has nothing of the kind.
    NotOffered,
}

async fn read(
    connection: &Connection,
    list: &List,
    request: &Request,
    ask: impl AsyncFnOnce(&Upstream, CallOptions) -> Result<Vec<RawJson>, CallError>,
) -> Result<Read, crate::failure::Failure> {
    let (asking, options) = Asking::start(connection, request);
    let outcome = ask(&connection.upstream, options).await;
    asking.keep();
    match outcome {
        Ok(elements) => Ok(Read::Listed(elements)),
        Err(CallError::Rpc { error, .. })
            if error.code == METHOD_NOT_FOUND && !advertised(connection, list) =>
        {
            Ok(Read::NotOffered)
        }
        Err(error) => {
            failed(connection, &error).await;
            Err(of_call(&error, Subject::Method(list.method)))
        }
    }
}

fn advertised(connection: &Connection, list: &List) -> bool {
    connection.upstream.facts().is_some_and(|facts| facts.has(list.capability))
}

fn listed(connection: &Connection, list: &List, read: Read, item: impl FnMut(&RawJson) -> Object) -> Report {
    let (elements, warnings) = match read {
        Read::Listed(elements) => (elements, Vec::new()),
        Read::NotOffered => (
            Vec::new(),
            vec![format!("the server does not offer {}: it has no `{}`", list.capability, list.method)],
        ),
    };
    let metadata = Object::new().set(list.total, elements.len()).set("retrieved_at", Moment::now().stamp());
    let mut members =
        Object::new().object("connection", &connection.brief()).list(list.member, elements.iter().map(item));
    if !warnings.is_empty() {
        members = members.set("warnings", warnings);
    }
    Report::new(members).about(metadata)
}

/// One element with all its members, each as sent.
fn element<'a>(workspace: &'a Workspace, tool: &str, member: &str, raw: &RawJson) -> Fitting<'a> {
    let properties = returned(tool, &format!("/properties/{member}/items/properties"));
    let mut fitting = Fitting::new(properties, &workspace.schemas);
    match raw.members() {
        Ok(members) => {
            let places = members.iter().enumerate().map(|(position, (key, _))| (key.as_str(), position));
            let last: HashMap<&str, usize> = places.collect();
            for (position, (key, value)) in members.iter().enumerate() {
                // Parsers keep the last.
                if last.get(key.as_str()) != Some(&position) {
                    fitting.note(format!("`{key}` is given more than once, see raw"));
                    continue;
                }
                if matches!(key.as_str(), "raw" | "notes" | "issues") {
                    fitting.note(format!("`{key}` is in raw only"));
                    continue;
                }
                let shown = RENAMED.iter().find(|(own, _)| own == key).map_or(key.as_str(), |(_, ours)| ours);
                fitting.take(shown, value);
            }
        }
        Err(error) => fitting.note(error.to_string()),
    }
    fitting
}

/// The element; what was sent is shown beside it if that was asked for, or if the members do not show it all.
fn finish(mut fitting: Fitting<'_>, raw: &RawJson, verbose: bool) -> Object {
    if verbose || fitting.has_notes() {
        fitting.put(|object| object.verbatim("raw", raw));
    }
    fitting.finish()
}
