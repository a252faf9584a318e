//! Listing what the server has, complete and in its own order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::{Contract, RawJson};
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answer::{AsSent, ToolReport};
use crate::callers::Workspace;
use crate::connection::{BriefConnection, TestConnection};
use crate::failure::{Subject, TestFailure, failed_call};
use crate::fitting::{Fitted, Fitter, Fitting};
use crate::input::{ConnectionName, TimeoutMs, call_options};
use crate::moment::Moment;
use crate::tools::TestOutcome;
use crate::tools::asking::{Asking, METHOD_NOT_FOUND, count_failure};

// The input of every tool that lists something.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ListServerInput {
    connection: Option<ConnectionName>,
    timeout_ms: Option<TimeoutMs>,
    /// true adds `raw`, the wire object, to every element; one with notes always has it
    #[serde(default)]
    verbose: bool,
}

/// Declares the answer of a tool that lists something, and the metadata beside it.
macro_rules! list_answer {
    ($Body:ident { $member:ident: $Element:ty }, $Metadata:ident { $total:ident $(, $more:ident)* }) => {
        #[derive(Serialize, JsonSchema)]
        #[schemars(inline)]
        pub(crate) struct $Body {
            connection: BriefConnection,
            $member: Vec<Fitted<$Element>>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            warnings: Vec<String>,
        }

        #[derive(Serialize, JsonSchema)]
        #[schemars(inline)]
        pub(crate) struct $Metadata {
            $total: usize,
            retrieved_at: String,
            $(#[serde(skip_serializing_if = "Option::is_none")]
            $more: Option<String>,)*
        }
    };
}

list_answer!(ListedTools { tools: ToolPromise }, ToolsMetadata { total_tools, server_name, server_version });
list_answer!(ListedResources { resources: ResourcePromise }, ResourcesMetadata { total_resources });
list_answer!(
    ListedTemplates { resource_templates: TemplatePromise },
    TemplatesMetadata { total_resource_templates }
);
list_answer!(ListedPrompts { prompts: PromptPromise }, PromptsMetadata { total_prompts });

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
pub(crate) struct ToolPromise {
    name: String,
    description: String,
    /// Complete JSON schema for tool input
    input_schema: Map<String, Value>,
    title: String,
    /// Complete JSON schema for the tool's structured output
    output_schema: AsSent,
    annotations: AsSent,
    icons: AsSent,
    execution: AsSent,
    _meta: AsSent,
    /// What is wrong with the declaration
    issues: Vec<DeclarationIssue>,
    /// The element as the server sent it
    raw: AsSent,
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct DeclarationIssue {
    pointer: String,
    code: &'static str,
    severity: &'static str,
    message: String,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
pub(crate) struct ResourcePromise {
    uri: String,
    name: String,
    description: String,
    #[schemars(rename = "mimeType")]
    mime_type: String,
    /// The element as the server sent it
    raw: AsSent,
    notes: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
pub(crate) struct TemplatePromise {
    /// The element as the server sent it
    raw: AsSent,
    notes: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
pub(crate) struct PromptPromise {
    name: String,
    description: String,
    arguments: Vec<PromptArgumentPromise>,
    /// The element as the server sent it
    raw: AsSent,
    notes: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its schema is used: the members are the server's")]
struct PromptArgumentPromise {
    name: String,
    description: String,
    required: bool,
}

/// What we call a member, where that is not what the protocol calls it.
const RENAMED: [(&str, &str); 2] = [("inputSchema", "input_schema"), ("outputSchema", "output_schema")];

struct ProtocolList {
    name: &'static str,
    /// The capability that a server with such a list advertises.
    capability: &'static str,
}

pub(super) async fn list_tools(
    workspace: Arc<Workspace>,
    input: ListServerInput,
    context: CallContext,
) -> TestOutcome<ListedTools, ToolsMetadata> {
    let connection = input.connection(&workspace)?;
    let method = ProtocolList { name: "tools/list", capability: "tools" };
    let listing = input.read(&connection, &method, &context, Upstream::tools).await?;
    if listing.is_offered {
        keep_current(&connection, &listing.elements).await;
    }
    let fitter = Fitter::new(&workspace.schemas);
    let mut names = HashSet::new();
    let mut tool = |raw: &RawJson| tool_item(&fitter, raw, &mut names, input.verbose);
    let metadata = ToolsMetadata {
        total_tools: listing.elements.len(),
        retrieved_at: listing.retrieved_at,
        server_name: connection.server_name(),
        server_version: connection.server_version(),
    };
    let tools = listing.elements.iter().map(&mut tool).collect();
    let body = ListedTools { connection: connection.brief(), tools, warnings: listing.warnings };
    Ok(ToolReport { body, metadata })
}

/// Makes the tools that calls are judged by those that were just shown.
async fn keep_current(connection: &TestConnection, elements: &[RawJson]) {
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

fn tool_item(
    fitter: &Fitter<'_, ToolPromise>,
    raw: &RawJson,
    names: &mut HashSet<String>,
    verbose: bool,
) -> Fitted<ToolPromise> {
    let mut fitting = element(fitter, raw);
    match Contract::parse(raw.clone()) {
        Ok(contract) => {
            if !names.insert(contract.name.as_str().to_owned()) {
                fitting
                    .note(format!("a tool named `{}` was listed before; that one is called", contract.name));
            }
            let issues = contract.issues.iter().map(|issue| DeclarationIssue {
                pointer: issue.pointer.clone(),
                code: issue.code.as_str(),
                severity: issue.severity.as_str(),
                message: issue.message.clone(),
            });
            // Strings always have a JSON form.
            let issues = RawJson::of(&issues.collect::<Vec<_>>());
            issues.into_iter().for_each(|issues| fitting.put("issues", issues));
        }
        Err(error) => fitting.note(format!("this is not a usable tool: {error}")),
    }
    finish(fitting, raw, verbose)
}

pub(super) async fn list_resources(
    workspace: Arc<Workspace>,
    input: ListServerInput,
    context: CallContext,
) -> TestOutcome<ListedResources, ResourcesMetadata> {
    let connection = input.connection(&workspace)?;
    let method = ProtocolList { name: "resources/list", capability: "resources" };
    let listing = input.read(&connection, &method, &context, Upstream::resources).await?;
    let resources = listing.fitted(&workspace, input.verbose);
    let Listing { elements, warnings, retrieved_at, .. } = listing;
    let body = ListedResources { connection: connection.brief(), resources, warnings };
    Ok(ToolReport { body, metadata: ResourcesMetadata { total_resources: elements.len(), retrieved_at } })
}

pub(super) async fn list_resource_templates(
    workspace: Arc<Workspace>,
    input: ListServerInput,
    context: CallContext,
) -> TestOutcome<ListedTemplates, TemplatesMetadata> {
    let connection = input.connection(&workspace)?;
    let method = ProtocolList { name: "resources/templates/list", capability: "resources" };
    let listing = input.read(&connection, &method, &context, Upstream::resource_templates).await?;
    let resource_templates = listing.fitted(&workspace, input.verbose);
    let Listing { elements, warnings, retrieved_at, .. } = listing;
    let body = ListedTemplates { connection: connection.brief(), resource_templates, warnings };
    let metadata = TemplatesMetadata { total_resource_templates: elements.len(), retrieved_at };
    Ok(ToolReport { body, metadata })
}

pub(super) async fn list_prompts(
    workspace: Arc<Workspace>,
    input: ListServerInput,
    context: CallContext,
) -> TestOutcome<ListedPrompts, PromptsMetadata> {
    let connection = input.connection(&workspace)?;
    let method = ProtocolList { name: "prompts/list", capability: "prompts" };
    let listing = input.read(&connection, &method, &context, Upstream::prompts).await?;
    let prompts = listing.fitted(&workspace, input.verbose);
    let Listing { elements, warnings, retrieved_at, .. } = listing;
    let body = ListedPrompts { connection: connection.brief(), prompts, warnings };
    Ok(ToolReport { body, metadata: PromptsMetadata { total_prompts: elements.len(), retrieved_at } })
}

/// What came of asking for a list.
struct Listing {
    elements: Vec<RawJson>,
    /// Whether the server has such a list: it neither advertises nor answers the method otherwise.
    is_offered: bool,
    warnings: Vec<String>,
    retrieved_at: String,
}

impl Listing {
    fn fitted<Promise: JsonSchema>(&self, workspace: &Workspace, verbose: bool) -> Vec<Fitted<Promise>> {
        let fitter = Fitter::new(&workspace.schemas);
        self.elements.iter().map(|raw| finish(element(&fitter, raw), raw, verbose)).collect()
    }
}

impl ListServerInput {
    fn connection(&self, workspace: &Workspace) -> Result<Arc<TestConnection>, TestFailure> {
        workspace.connections.usable(ConnectionName::of(self.connection.as_ref()))
    }

    async fn read(
        &self,
        connection: &TestConnection,
        method: &ProtocolList,
        context: &CallContext,
        ask: impl AsyncFnOnce(&Upstream, CallOptions) -> Result<Vec<RawJson>, CallError>,
    ) -> Result<Listing, TestFailure> {
        let (asking, options) = Asking::start(connection, call_options(context, self.timeout_ms));
        let outcome = ask(&connection.upstream, options).await;
        asking.keep();
        let (elements, warnings) = match outcome {
            Ok(elements) => (Some(elements), Vec::new()),
            Err(CallError::Rpc { error, .. })
                if error.code == METHOD_NOT_FOUND && !is_advertised(connection, method) =>
            {
                let ProtocolList { name, capability } = method;
                (None, vec![format!("the server does not offer {capability}: it has no `{name}`")])
            }
            Err(error) => {
                count_failure(connection, &error).await;
                return Err(failed_call(&error, Subject::Method(method.name)));
            }
        };
        let (is_offered, retrieved_at) = (elements.is_some(), Moment::now().stamp());
        Ok(Listing { elements: elements.unwrap_or_default(), is_offered, warnings, retrieved_at })
    }
}

fn is_advertised(connection: &TestConnection, method: &ProtocolList) -> bool {
    connection.upstream.facts().is_some_and(|facts| facts.has(method.capability))
}

/// One element with all its members, each as sent.
fn element<'f, 'a, Promise: JsonSchema>(
    fitter: &'f Fitter<'a, Promise>,
    raw: &RawJson,
) -> Fitting<'f, 'a, Promise> {
    let mut fitting = fitter.object();
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
fn finish<Promise: JsonSchema>(
    mut fitting: Fitting<'_, '_, Promise>,
    raw: &RawJson,
    verbose: bool,
) -> Fitted<Promise> {
    if verbose || fitting.has_notes() {
        fitting.put_raw(raw);
    }
    fitting.finish()
}
