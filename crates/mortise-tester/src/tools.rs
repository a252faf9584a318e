//! The tools of the tester: how each is declared, and how a call of one is answered.

mod asking;
pub(crate) mod call;
mod complete;
pub(crate) mod connect;
mod list;
mod look;
mod prompt;
mod resource;
mod sweep;

use std::future::Future;
use std::sync::Arc;

use mortise_client::secret::{Form, Secrets};
use mortise_contract::RawJson;
use mortise_server::{Answer, CallContext, RegistrationError, Reply, Tool, ToolError};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::{FailedAnswer, NoMetadata, ToolAnswer, ToolReport};
use crate::callers::{TesterCallers, Workspace};
use crate::failure::TestFailure;
use crate::input::GivenArguments;
use crate::moment::Moment;

pub(crate) type TestOutcome<Body, Metadata = NoMetadata> = Result<ToolReport<Body, Metadata>, TestFailure>;

/// Every tool. The names, descriptions and schemas of the first nine are fixed.
pub(crate) fn all_tools(callers: &TesterCallers) -> Result<Vec<Tool>, RegistrationError> {
    Ok(vec![
        tool(
            callers,
            "connect_to_server",
            "Connects to an MCP server for testing. Supports both deployed servers\n\
             (streaming-http) and local servers (stdio). Once connected, all other\n\
             tools will operate on this connection until disconnect() is called.\n\n\
             For deployed servers, provide the full URL (e.g., https://server.apps.openshift.com/mcp)\n\
             For local servers, provide the command with its arguments, environment and working directory.",
            connect::connect_to_server,
        )?,
        tool(
            callers,
            "disconnect",
            "Disconnects from the currently active MCP server connection.\n\
             After disconnecting, you must connect to a server before using\n\
             other tools.",
            connect::disconnect,
        )?,
        tool(
            callers,
            "get_connection_status",
            "Returns detailed information about the current connection state,\n\
             including server info, connection time, and statistics.",
            connect::get_connection_status,
        )?
        .read_only(),
        tool(
            callers,
            "list_tools",
            "Retrieves all tools from the currently connected MCP server with\n\
             complete schemas. Returns full input schemas, descriptions, and\n\
             metadata to enable verification and prevent hallucination.\n\n\
             This tool provides verbose output showing exactly what the server\n\
             advertised, not a summary.",
            list::list_tools,
        )?
        .read_only(),
        tool(
            callers,
            "call_tool",
            "Calls a specific tool on the currently connected MCP server with\n\
             provided arguments. Returns verbose execution details including\n\
             the result, execution time, and metadata.\n\n\
             Use this to test that tools work correctly and return expected values.",
            call::call_tool,
        )?,
        tool(
            callers,
            "list_resources",
            "Retrieves all resources from the currently connected MCP server\n\
             with complete metadata. Returns URIs, descriptions, MIME types,\n\
             and other resource information.",
            list::list_resources,
        )?
        .read_only(),
        tool(
            callers,
            "read_resource",
            "Reads a specific resource from the currently connected MCP server.\n\
             Provide the resource URI as returned by list_resources.",
            resource::read_resource,
        )?
        .read_only(),
        tool(
            callers,
            "list_prompts",
            "Retrieves all prompts from the currently connected MCP server\n\
             with complete schemas. Returns prompt names, descriptions, and\n\
             argument schemas.",
            list::list_prompts,
        )?
        .read_only(),
        tool(
            callers,
            "get_prompt",
            "Gets a specific prompt from the currently connected MCP server.\n\
             Provide the prompt name and any required arguments.",
            prompt::get_prompt,
        )?
        .read_only(),
        tool(
            callers,
            "list_connections",
            "Lists every connection of this tester with its state and statistics, and says which is the current one.",
            connect::list_connections,
        )?
        .read_only(),
        tool(
            callers,
            "switch_connection",
            "Makes another open connection the current one, on which all other tools act.",
            connect::switch_connection,
        )?,
        tool(callers, "disconnect_all", "Closes every connection of this tester.", connect::disconnect_all)?,
        tool(
            callers,
            "validate_arguments",
            "Checks arguments against a tool's input schema without calling the tool. Returns every violation with its place; nothing is sent.",
            call::validate_arguments,
        )?
        .read_only(),
        tool(
            callers,
            "list_resource_templates",
            "Retrieves all resource templates from the currently connected MCP server, with complete metadata.",
            list::list_resource_templates,
        )?
        .read_only(),
        tool(
            callers,
            "complete_argument",
            "Asks the currently connected MCP server to complete an argument of a prompt or of a resource template.",
            complete::complete_argument,
        )?
        .read_only(),
        tool(
            callers,
            "test_server",
            "Looks at the whole currently connected MCP server in one call. quick lists everything and checks every declaration; full also calls the tools that say they only read, with arguments made from their schemas, reads the first resource and gets the first prompt. Returns pass or fail per item, and every finding with evidence and a fix.",
            sweep::test_server,
        )?,
        tool(
            callers,
            "get_server_capabilities",
            "Shows what the currently connected MCP server said about itself: capabilities, protocol version and era, instructions, and its whole answer to the handshake.",
            look::get_server_capabilities,
        )?
        .read_only(),
        tool(
            callers,
            "get_notifications",
            "Shows what the currently connected MCP server sent on its own account: log messages, changes, requests to its client with what they were answered, and breaches of the protocol.",
            look::get_notifications,
        )?
        .read_only(),
        tool(
            callers,
            "get_raw_exchange",
            "Shows the latest requests to the currently connected MCP server and its answers, frame by frame as sent and received. Secrets that were given for the connection are redacted.",
            look::get_raw_exchange,
        )?
        .read_only(),
    ])
}

/// A tool whose schemas are those of the function's types.
fn tool<Input, Body, Metadata, F, Fut>(
    callers: &TesterCallers,
    name: &str,
    description: &str,
    function: F,
) -> Result<Tool, RegistrationError>
where
    Input: DeserializeOwned + JsonSchema + Send + 'static,
    Body: Serialize + JsonSchema + Send,
    Metadata: Serialize + JsonSchema + Send,
    F: Fn(Arc<Workspace>, Input, CallContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = TestOutcome<Body, Metadata>> + Send + 'static,
{
    let accepted = GivenArguments::<Input>::accepted()
        .map_err(|source| RegistrationError::BadInputSchema { tool: name.to_owned(), source })?;
    let shared = Arc::new((callers.clone(), accepted, function));
    let handler = move |given: GivenArguments<Input>, context: CallContext| {
        let shared = Arc::clone(&shared);
        async move {
            let (callers, accepted, function) = &*shared;
            let started = Moment::now();
            let named = context.arguments().get("connection").and_then(Value::as_str);
            let named = named.filter(|name| !name.is_empty()).map(str::to_owned);
            let visit = callers.visit(&context, named.as_deref());
            let workspace = &visit.workspace;
            // A connection that another call closes meanwhile has its secrets all the same.
            let known = workspace.connections.secrets();
            let outcome = match given.read(accepted, context.arguments()) {
                Ok(input) => function(workspace.clone(), input, context).await,
                Err(failure) => Err(failure),
            };
            callers.keep(&visit, named.as_deref());
            let hide = known.into_iter().chain(workspace.connections.secrets());
            match outcome {
                Ok(report) => {
                    answer(&ToolAnswer::new(report, started), hide, callers.form()).map(Reply::from)
                }
                Err(failure) => {
                    let failed = failed_answer(workspace, named.as_deref(), failure, started);
                    let answer = answer(&failed, hide, callers.form());
                    Err(answer.map_or_else(|error| error, ToolError::from))
                }
            }
        }
    };
    let tool = Tool::new(name, handler).description(description);
    Ok(tool.returns::<ToolAnswer<Body, Metadata>>().checks_arguments_itself())
}

fn failed_answer(
    workspace: &Workspace,
    named: Option<&str>,
    failure: TestFailure,
    started: Moment,
) -> FailedAnswer {
    match workspace.connections.get(named) {
        Ok(connection) => FailedAnswer::new(failure, Some(connection.server_url.clone()), started)
            .redacted(&connection.exchanges),
        Err(_) => FailedAnswer::new(failure, None, started),
    }
}

/// Whatever a server repeats of it, no token leaves this tester: an answer ends up in a model's context.
fn answer(
    answer: &impl Serialize,
    hide: impl Iterator<Item = Secrets>,
    form: &Form,
) -> Result<Answer, ToolError> {
    let mut json = RawJson::of(answer)?;
    for secrets in hide {
        if let Some(hidden) = secrets.hide_certain(json.text(), form) {
            json = RawJson::parse(&hidden)?;
        }
    }
    Ok(Answer::structured_raw(json))
}
