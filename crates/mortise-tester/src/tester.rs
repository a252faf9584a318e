//! The tester as a set of tools.

use std::sync::Arc;

use mortise_client::secret::Secrets;
use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use mortise_contract::{RawJson, ToolCall};
use mortise_server::{
    Answer, BuildError, CallContext, Changes, RegistrationError, Reply, Server, Tool, ToolError, ToolList,
    ToolSet, Tools,
};
use serde_json::{Value, json};

use crate::callers::{Callers, Workspace};
use crate::failure::Failure;
use crate::moment::Moment;
use crate::object::Object;
use crate::options::TesterOptions;
use crate::request::{Report, Request};
use crate::tools::{FORM, Spec, specs};

/// How the tester calls itself, which gives its tools the names that assistants know.
const NAME: &str = "mcp-test-mcp";

const INSTRUCTIONS: &str = "\
Tests MCP servers. Call connect_to_server with the URL of a deployed server, or with the command of a \
local one; then list_tools, call_tool, list_resources, read_resource, list_prompts and get_prompt act on \
that connection and show exactly what the server sent, never a summary. call_tool adds `contract`: whether \
the result keeps the tool's output schema, with every violation. test_server looks at everything in one \
call. Every failure has `error.type`, `error.details` and a suggestion.";

/// Tools that connect to other servers and show what is there.
///
/// Every session has connections of its own, which end with it; [`Tester::close`] ends them all. A client
/// of protocol 2026-07-28 over HTTP has no session: its connections are known by names that hold 128
/// random bits, which only that client is given.
#[derive(Clone, Debug)]
pub struct Tester {
    tools: Tools,
    callers: Callers,
}

impl Tester {
    /// A tester without connections.
    ///
    /// # Errors
    ///
    /// Never, unless a declaration of ours is at fault.
    pub fn new(options: TesterOptions) -> Result<Self, RegistrationError> {
        let callers = Callers::new(options);
        let tools = specs().into_iter().map(|spec| tool(spec, &callers)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { tools: Tools::new(tools)?, callers })
    }

    /// A server of these tools.
    ///
    /// # Errors
    ///
    /// Never, unless its identity is at fault.
    pub fn server(&self) -> Result<Server, BuildError> {
        Server::new(NAME, env!("CARGO_PKG_VERSION"))
            .title("mortise tester")
            .instructions(INSTRUCTIONS)
            .tools(self.clone())
            .build()
    }

    /// Ends every connection, and with it every local server, within seconds.
    pub async fn close(&self) {
        self.callers.close().await;
    }
}

impl ToolSet for Tester {
    fn tools(&self) -> Arc<ToolList> {
        self.tools.tools()
    }

    async fn call(&self, call: ToolCall, context: CallContext) -> Reply {
        self.tools.call(call, context).await
    }

    fn changes(&self) -> Changes {
        self.tools.changes()
    }
}

fn tool(spec: Spec, callers: &Callers) -> Result<Tool, RegistrationError> {
    let accepted = accepted(&spec.declaration.input);
    let accepted = CompiledSchema::compile(&accepted, &SchemaOptions::default()).map_err(|source| {
        RegistrationError::BadInputSchema { tool: spec.declaration.name.clone(), source }
    })?;
    let accepted = Arc::new(accepted);
    let callers = callers.clone();
    let mut tool = Tool::raw(&spec.declaration.name)
        .description(spec.declaration.description)
        .input_schema(spec.declaration.input)
        .output_schema(spec.declaration.returns)
        .checks_arguments_itself();
    if spec.reads_only {
        tool = tool.read_only();
    }
    let run = spec.run;
    Ok(tool.handler(move |call: ToolCall, context: CallContext| {
        let (callers, accepted) = (callers.clone(), accepted.clone());
        async move {
            let started = Moment::now();
            let arguments = context.arguments().clone();
            let request = Request { arguments, raw: call.arguments, context };
            let named = request.connection().map(str::to_owned);
            let visit = callers.visit(&request);
            let workspace = &visit.workspace;
            // A connection that another call closes meanwhile has its secrets all the same.
            let known = workspace.connections.secrets();
            let outcome = match check(&accepted, &request) {
                Ok(()) => run(workspace.clone(), request).await,
                Err(failure) => Err(failure),
            };
            callers.keep(&visit, named.as_deref());
            match outcome {
                Ok(report) => answer(workspace, known, &finished(report, started)).map(Reply::from),
                Err(failure) => {
                    let object = refused(workspace, named.as_deref(), &failure, started);
                    Err(answer(workspace, known, &object).map_or_else(|error| error, ToolError::from))
                }
            }
        }
    }))
}

/// What is accepted: as advertised, but `arguments` may always be left out or be null.
fn accepted(input: &Value) -> Value {
    let mut accepted = input.clone();
    if let Some(kind) = accepted.pointer_mut("/properties/arguments/type") {
        *kind = json!([kind.clone(), "null"]);
    }
    if let Some(required) = accepted.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name != "arguments");
    }
    accepted
}

fn check(accepted: &CompiledSchema, request: &Request) -> Result<(), Failure> {
    match accepted.validate(&Value::Object(request.arguments.clone())) {
        Validation::Invalid { violations, .. } => {
            let places: Vec<String> = violations
                .iter()
                .map(|violation| format!("{}: {}", place(&violation.instance_path), violation.message))
                .collect();
            // The value at fault may be a secret.
            let shown: Vec<Value> = violations
                .iter()
                .map(|violation| json!({"instance_path": violation.instance_path, "keyword": violation.keyword}))
                .collect();
            let secret = violations.iter().any(|violation| holds_secrets(&violation.instance_path));
            let message = match secret {
                true => "the arguments do not match this tool's input schema".to_owned(),
                false => {
                    format!("the arguments do not match this tool's input schema: {}", places.join("; "))
                }
            };
            let failure = Failure::invalid(message, "Correct the arguments named in `details`.");
            Err(failure.details(Object::new().set("violations", shown)))
        }
        Validation::Valid | Validation::Unchecked { .. } => Ok(()),
    }
}

fn holds_secrets(pointer: &str) -> bool {
    ["/auth", "/headers", "/env", "/url"].iter().any(|secret| pointer.starts_with(secret))
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the arguments" } else { pointer }
}

fn finished(report: Report, started: Moment) -> Object {
    let metadata = report.metadata.set("request_time_ms", started.elapsed_ms());
    Object::new().set("success", true).and(report.members).object("metadata", &metadata)
}

fn refused(workspace: &Workspace, named: Option<&str>, failure: &Failure, started: Moment) -> Object {
    let (connection, error) = match workspace.connections.get(named) {
        Ok(connection) => (
            Object::new().set("server_url", &connection.server_url),
            failure.clone().redacted(&connection.exchanges).error(),
        ),
        Err(_) => (Object::new(), failure.error()),
    };
    Object::new()
        .set("success", false)
        .object("error", &error)
        .object("connection", &connection)
        .and(failure.members.clone())
        .object("metadata", &Object::new().set("request_time_ms", started.elapsed_ms()))
}

/// Whatever a server repeats of it, no token leaves this tester: an answer ends up in a model's context.
fn answer(workspace: &Workspace, known: Vec<Secrets>, object: &Object) -> Result<Answer, ToolError> {
    let mut text = object.text();
    for secrets in known.into_iter().chain(workspace.connections.secrets()) {
        if let Some(hidden) = secrets.hide_certain(&text, &FORM) {
            text = hidden;
        }
    }
    Ok(Answer::structured_raw(RawJson::parse(&text)?))
}
