//! What programs read of a server beside its tools: resources and prompts.
//!
//! `await read_resource("docs", "file:///a.md")` is a call like that of a tool: it is counted, limited and recorded.

use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::RawJson;
use mortise_contract::contract::Hints;
use mortise_contract::json::JsonKind;
use mortise_script::{CallRequest, CallValue, HostError, HostErrorKind, ValueForm};
use serde_json::Value;

use crate::host::Bridge;
use crate::registry::ToolSnapshot;

/// The functions under which programs call them.
pub(crate) const SERVER_FUNCTIONS: [&str; 4] = [LIST_RESOURCES, READ_RESOURCE, LIST_PROMPTS, GET_PROMPT];

const LIST_RESOURCES: &str = "list_resources";
const READ_RESOURCE: &str = "read_resource";
const LIST_PROMPTS: &str = "list_prompts";
const GET_PROMPT: &str = "get_prompt";

/// The error code for a method that a server does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// One such call.
struct ServerCall {
    upstream: Upstream,
    asked: Asked,
}

enum Asked {
    ListResources,
    ReadResource { uri: String },
    ListPrompts,
    GetPrompt { name: String, arguments: Option<RawJson> },
}

impl Bridge {
    /// Reads a resource, a prompt, or a list of them.
    pub(crate) async fn read_from_server(&self, request: &CallRequest) -> Result<CallValue, HostError> {
        let servers = self.registry.servers();
        let call = ServerCall::parse(&request.name, &request.arguments, &servers, &self.snapshot)?;
        let deadline = self.deadline(&call.upstream, request);
        let reading = Hints { read_only: true, destructive: false, idempotent: true, open_world: true };
        self.record_leaving(request, reading, &call.upstream).await?;
        self.leaves(request.id);
        let send = |options| call.call_server(options);
        let read = self.pass_on(&call.upstream, &request.name, deadline, send).await;
        let value = read.map_err(|error| self.failed(request, &error))?;
        self.received(request.id, value.json.text().len());
        Ok(value)
    }
}

impl ServerCall {
    /// Reads a call of one of [`SERVER_FUNCTIONS`]; its server must be one that the configuration allows.
    fn parse(
        function: &str,
        arguments: &RawJson,
        servers: &[Upstream],
        snapshot: &ToolSnapshot,
    ) -> Result<Self, HostError> {
        let refused = |why: String| {
            HostError::new(HostErrorKind::Arguments, format!("'{function}' was not called: {why}"))
        };
        let text = |name: &str| match arguments.member(name).and_then(|given| given.value().ok()) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(refused(format!("argument `{name}` is not a string"))),
            None => Err(refused(format!("missing argument `{name}`"))),
        };
        let server = text("server")?;
        let asked = match function {
            READ_RESOURCE => Asked::ReadResource { uri: text("uri")? },
            LIST_PROMPTS => Asked::ListPrompts,
            GET_PROMPT => Asked::GetPrompt {
                name: text("name")?,
                arguments: arguments.member("arguments").filter(|given| given.kind() != JsonKind::Null),
            },
            _ => Asked::ListResources,
        };
        let Some(upstream) = servers.iter().find(|upstream| upstream.name().as_str() == server) else {
            let names: Vec<&str> = servers.iter().map(|server| server.name().as_str()).collect();
            let names = names.join(", ");
            return Err(refused(format!("there is no server `{server}`; there are: {names}")));
        };
        let callable = format!("{}{}", upstream.name().callable_prefix(), asked.reading());
        if !snapshot.allows(&callable) {
            let message = format!("'{function}' is not available: the configuration withholds `{callable}`");
            return Err(HostError::new(HostErrorKind::Unavailable, message));
        }
        Ok(Self { upstream: upstream.clone(), asked })
    }

    async fn call_server(&self, options: CallOptions) -> Result<CallValue, CallError> {
        let upstream = &self.upstream;
        match &self.asked {
            Asked::ListResources if !self.has("resources") => Ok(RawJson::array([]).into()),
            Asked::ListResources => {
                let mut listed = upstream.resources(options.clone()).await?;
                match upstream.resource_templates(options).await {
                    Ok(templates) => listed.extend(templates),
                    Err(CallError::Rpc { error, .. }) if error.code == METHOD_NOT_FOUND => {}
                    Err(error) => return Err(error),
                }
                Ok(RawJson::array(&listed).into())
            }
            Asked::ReadResource { uri } => {
                let read = upstream.read_resource(uri, options).await?;
                let contents = read.member("contents").filter(|raw| raw.kind() == JsonKind::Array);
                let json = contents.ok_or_else(|| CallError::Protocol {
                    server: upstream.name().clone(),
                    subject: uri.clone(),
                    detail: "the result has no list `contents`".to_owned(),
                })?;
                Ok(CallValue { json, form: ValueForm::Content })
            }
            Asked::ListPrompts if !self.has("prompts") => Ok(RawJson::array([]).into()),
            Asked::ListPrompts => Ok(RawJson::array(&upstream.prompts(options).await?).into()),
            Asked::GetPrompt { name, arguments } => {
                Ok(upstream.get_prompt(name, arguments.as_ref(), options).await?.into())
            }
        }
    }

    /// Whether the server has this capability; one that is not connected yet may have it.
    fn has(&self, capability: &str) -> bool {
        self.upstream.facts().is_none_or(|facts| facts.has(capability))
    }
}

impl Asked {
    /// The function that `tools.allow` and `tools.block` name for this.
    fn reading(&self) -> &'static str {
        match self {
            Self::ListResources | Self::ReadResource { .. } => READ_RESOURCE,
            Self::ListPrompts | Self::GetPrompt { .. } => GET_PROMPT,
        }
    }
}
