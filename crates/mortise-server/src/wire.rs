//! The one place where rmcp's types become ours. No other module names rmcp.
#![expect(deprecated, reason = "clients up to 2025-11-25 need what the modern era has dropped")]

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mortise_contract::text::{cut, printable};
use mortise_contract::{Era, RawJson};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, DetailedTask, ErrorCode, ErrorData, Extensions,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetTaskParams, GetTaskResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    Task as TaskInfo, TaskPayload, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio_util::task::AbortOnDropHandle;

use crate::call::Ends;
use crate::client::{Client, UNNAMED};
use crate::completion::{CompletionReference, CompletionRequest};
use crate::context::Origin;
use crate::dispatch::{Incoming, List};
use crate::limits::RESOURCES_WATCHED;
use crate::log::LogLevels;
use crate::tasks::{TASKS_EXTENSION, TaskOwner};
use crate::{LogLevel, ProtocolError, ResourceReader, Server};

#[cfg(feature = "http")]
pub(crate) mod http;
mod line;
mod listen;
pub(crate) mod raw;
#[cfg(feature = "http")]
mod session;
#[cfg(feature = "http")]
mod sessions;
pub(crate) mod stdio;
mod transport;
#[cfg(feature = "http")]
mod unread;

use line::PeerLine;
use listen::Events;
use raw::carry;

/// The text of a call's arguments as the client wrote it, put into a request's extensions by the transport.
#[derive(Clone, Debug)]
pub(crate) struct VerbatimArguments(pub(crate) RawJson);

/// One connection or session, or one request where there are none.
pub(crate) struct Connection {
    server: Server,
    session: Arc<Session>,
    clients: Box<dyn Clients>,
    ends: Ends,
    /// What changed since the connection began, for a legacy session.
    events: Mutex<Option<Events>>,
    /// What changed since a subscription was accepted, for subscriptions about to begin.
    accepted: Mutex<VecDeque<Events>>,
    /// Tells a legacy session what changed; ends when rmcp lets go of the connection.
    telling: Mutex<Option<AbortOnDropHandle<()>>>,
}

/// What a transport knows about its clients and their requests.
pub(crate) trait Clients: Send + Sync {
    /// Where a request of this connection comes from, but for the log level.
    fn origin(&self, connection: u64, era: Era, request: &Extensions) -> Origin;

    /// The text of a call's arguments as the client wrote it.
    fn verbatim_arguments(&self, request: &Extensions) -> Option<RawJson>;
}

/// What is remembered between the requests of a legacy session.
#[derive(Debug)]
pub(crate) struct Session {
    number: u64,
    /// What the client has asked for.
    log_level: Mutex<Option<LogLevel>>,
    levels: Arc<LogLevels>,
    watched: Mutex<HashSet<String>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.levels.forget(self.number);
    }
}

/// Sessions and connections are numbered through the process.
static SESSIONS: AtomicU64 = AtomicU64::new(1);

/// Subscriptions that may be between acceptance and begin.
const ACCEPTED_LIMIT: usize = 64;

impl Connection {
    pub(crate) fn new(server: Server, clients: impl Clients + 'static, ends: Ends) -> Self {
        let session = Session {
            number: SESSIONS.fetch_add(1, Ordering::Relaxed),
            log_level: Mutex::default(),
            levels: Arc::clone(&server.0.running.levels),
            watched: Mutex::default(),
        };
        // Listening begins now, so that no change between a client's first list and its
        // first notification is missed.
        let events = Mutex::new(Some(Events::of(&server)));
        let (session, accepted) = (Arc::new(session), Mutex::default());
        Self {
            server,
            session,
            clients: Box::new(clients),
            ends,
            events,
            accepted,
            telling: Mutex::default(),
        }
    }

    /// What came with a request, and the client's answers to what an earlier one asked.
    fn incoming(
        &self,
        context: &RequestContext<RoleServer>,
        answers: Option<BTreeMap<String, Value>>,
        state: Option<String>,
    ) -> Incoming {
        let client = client(context);
        let origin = self.origin(&client, context);
        let meta = context.meta.0.0.clone();
        Incoming { client, meta, answers: answers.unwrap_or_default(), state, origin }
    }

    fn origin(&self, client: &Client, context: &RequestContext<RoleServer>) -> Origin {
        let log_level = match client.era() {
            Era::Legacy => *self.session.log_level.lock(),
            Era::Modern => line::wanted_level(context),
        };
        let origin = self.clients.origin(self.session.number, client.era(), &context.extensions);
        Origin { log_level, stopping: self.ends.stopping.clone(), ..origin }
    }

    fn line(&self, context: &RequestContext<RoleServer>) -> PeerLine {
        PeerLine::new(context, client(context), &self.session, self.ends.stopping.clone())
    }

    /// Who asks about a task; only the modern era has this method.
    fn task_asker(
        &self,
        method: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Client, TaskOwner), ErrorData> {
        let client = client(context);
        if client.era() == Era::Legacy {
            return Err(error(ProtocolError::method_not_found(method)));
        }
        let owner = TaskOwner::of(&self.origin(&client, context));
        Ok((client, owner))
    }

    fn list(
        &self,
        list: List,
        request: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<RawJson, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.server.list(list, &client(context), cursor.as_deref()).map_err(error)
    }
}

impl Session {
    /// The lowest level that the client gets: `info` unless it asked for another.
    pub(crate) fn log_level(&self) -> LogLevel {
        self.log_level.lock().unwrap_or(LogLevel::Info)
    }

    fn watches(&self, uri: &str) -> bool {
        self.watched.lock().contains(uri)
    }

    fn watched(&self) -> Vec<String> {
        self.watched.lock().iter().cloned().collect()
    }
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let inner = &self.server.0;
        let mut capabilities = Map::new();
        let mut declare = |name: &str, value: Value| capabilities.insert(name.to_owned(), value);
        declare("logging", json!({}));
        if let Some(tools) = &inner.tools {
            declare("tools", json!({ "listChanged": tools.changes().is_possible() }));
        }
        if let Some(prompts) = inner.prompts.as_ref().filter(|prompts| prompts.is_offered()) {
            declare("prompts", json!({ "listChanged": prompts.changes().is_possible() }));
        }
        if let Some(resources) = inner.resources.as_ref().filter(|resources| resources.is_offered()) {
            let (subscribe, list_changed) =
                (resources.updates().is_possible(), resources.changes().is_possible());
            declare("resources", json!({ "subscribe": subscribe, "listChanged": list_changed }));
        }
        if inner.completer.is_some() {
            declare("completions", json!({}));
        }
        if self.server.has_tasks() {
            declare("extensions", json!({ TASKS_EXTENSION: {} }));
        }
        let capabilities: ServerCapabilities =
            serde_json::from_value(Value::Object(capabilities)).unwrap_or_default();
        let mut config = ServerConfig::new(capabilities);
        config.server_info = serde_json::from_value(self.server.identity())
            .unwrap_or_else(|_| Implementation::new(self.server.name(), ""));
        config.instructions.clone_from(&inner.instructions);
        config
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.server.ready_to_list().await;
        let text = self.list(List::Tools, request, &context)?;
        Ok(ListToolsResult { meta: Some(carry(&text)), ..ListToolsResult::default() })
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let client = client(&context);
        let peer = self.origin(&client, &context).peer;
        let reader = ResourceReader { client, peer };
        let text = self.server.list_resources(reader, cursor.as_deref()).await.map_err(error)?;
        Ok(ListResourcesResult { meta: Some(carry(&text)), ..ListResourcesResult::default() })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let text = self.list(List::Templates, request, &context)?;
        Ok(ListResourceTemplatesResult { meta: Some(carry(&text)), ..ListResourceTemplatesResult::default() })
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let text = self.list(List::Prompts, request, &context)?;
        Ok(ListPromptsResult { meta: Some(carry(&text)), ..ListPromptsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let incoming = self.incoming(&context, request.input_responses, request.request_state);
        let arguments = self
            .clients
            .verbatim_arguments(&context.extensions)
            .unwrap_or_else(|| RawJson::from(&Value::Object(request.arguments.unwrap_or_default())));
        let line = self.line(&context);
        let text = self.server.call_tool(&request.name, arguments, incoming, &line).await.map_err(error)?;
        let mut result = CallToolResult::success(Vec::new());
        result.meta = Some(carry(&text));
        Ok(result.into())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let incoming = self.incoming(&context, request.input_responses, request.request_state);
        let text =
            self.server.read_resource(request.uri, incoming, &self.line(&context)).await.map_err(error)?;
        let mut result = ReadResourceResult::new(Vec::new());
        result.meta = Some(carry(&text));
        Ok(result.into())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let incoming = self.incoming(&context, request.input_responses, request.request_state);
        let arguments = request.arguments.unwrap_or_default();
        let line = self.line(&context);
        let text = self.server.get_prompt(request.name, arguments, incoming, &line).await.map_err(error)?;
        let mut result = GetPromptResult::new(Vec::new());
        result.meta = Some(carry(&text));
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let reference = match request.r#ref {
            Reference::Prompt(prompt) => CompletionReference::Prompt(prompt.name),
            Reference::Resource(resource) => CompletionReference::Resource(resource.uri),
            _ => return Err(malformed("completion/complete")),
        };
        let resolved = request.context.and_then(|context| context.arguments).unwrap_or_default();
        let completion = CompletionRequest {
            reference,
            argument: request.argument.name,
            value: request.argument.value,
            resolved: resolved.into_iter().collect(),
        };
        let line = self.line(&context);
        let text = self
            .server
            .complete(completion, self.incoming(&context, None, None), &line)
            .await
            .map_err(error)?;
        let mut result = CompleteResult::default();
        result.meta = Some(carry(&text));
        Ok(result)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let (client, owner) = self.task_asker("tasks/get", &context)?;
        let text = self.server.get_task(&request.task_id, &client, owner).map_err(error)?;
        let shell = DetailedTask::new(TaskInfo::default(), TaskPayload::Working);
        let mut result = GetTaskResult::new(shell);
        result.meta = Some(carry(&text));
        Ok(result)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let (_, owner) = self.task_asker("tasks/update", &context)?;
        let tasks = &self.server.0.running.tasks;
        tasks.update(&request.task_id, owner, request.input_responses).map_err(error)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let (_, owner) = self.task_asker("tasks/cancel", &context)?;
        self.server.0.running.tasks.cancel(&request.task_id, owner).map_err(error)
    }

    /// Lets rmcp compare `Mcp-Param-*` headers with the arguments.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = self.server.0.tools.as_ref()?.tools();
        let schema = tools.contract(name)?.input_schema()?.as_object()?.clone();
        Some(Tool::new_with_raw(name.to_owned(), None, Arc::new(schema)))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !is_legacy(&context) {
            return Err(error(ProtocolError::method_not_found("logging/setLevel")));
        }
        let name = serde_json::to_value(request.level).unwrap_or_default();
        let level = name.as_str().and_then(LogLevel::parse).ok_or_else(|| malformed("logging/setLevel"))?;
        *self.session.log_level.lock() = Some(level);
        self.server.set_log_level(self.session.number, level).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.server.0.resources.as_ref().is_some_and(|resources| resources.updates().is_possible()) {
            return Err(error(ProtocolError::method_not_found("resources/subscribe")));
        }
        let mut watched = self.session.watched.lock();
        if watched.len() >= RESOURCES_WATCHED && !watched.contains(&request.uri) {
            let limit = format!("a session can watch at most {RESOURCES_WATCHED} resources");
            return Err(error(ProtocolError::overloaded(&limit)));
        }
        watched.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.watched.lock().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // rmcp calls this, then acknowledges, then calls `listen`. A change in between must not be
        // lost; events that are older than their subscription only tell more than needed.
        let mut accepted = self.accepted.lock();
        if accepted.len() < ACCEPTED_LIMIT {
            accepted.push_back(Events::of(&self.server));
        }
        // rmcp cuts this down to the capabilities that `get_info` declares.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let events = self.accepted.lock().pop_front();
        let events = events.unwrap_or_else(|| Events::of(&self.server));
        listen::modern(events, &context, &self.ends.closing).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // A client that subscribes twice is notified once.
        let Some(events) = self.events.lock().take() else { return };
        let telling = tokio::spawn(listen::legacy(events, Arc::clone(&self.session), context.peer));
        *self.telling.lock() = Some(AbortOnDropHandle::new(telling));
    }

    /// An unknown method, or one whose parameters rmcp could not read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.as_str();
        let is_known = METHODS.contains(&method) || (is_legacy(&context) && LEGACY_METHODS.contains(&method));
        if is_known {
            return Err(malformed(method));
        }
        Err(error(ProtocolError::method_not_found(&printable(&cut(method, 128)))))
    }
}

/// Methods of both eras.
const METHODS: [&str; 13] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];
/// Methods that 2026-07-28 has dropped.
const LEGACY_METHODS: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

fn is_legacy(context: &RequestContext<RoleServer>) -> bool {
    client(context).era() == Era::Legacy
}

/// Who is asking, by the request itself or, in a legacy session, by its `initialize`.
fn client(context: &RequestContext<RoleServer>) -> Client {
    let version =
        context.protocol_version().map_or_else(|| UNNAMED.to_owned(), |version| version.to_string());
    let own = |key: &str| context.meta.0.0.get(key).and_then(Value::as_object).cloned();
    // As written by the client where possible: rmcp's types drop what they don't know.
    let capabilities = own("io.modelcontextprotocol/clientCapabilities")
        .or_else(|| object(context.client_capabilities()))
        .unwrap_or_default();
    let info = own("io.modelcontextprotocol/clientInfo")
        .or_else(|| object(context.client_info()))
        .unwrap_or_default();
    Client { version, capabilities, info }
}

fn object(value: Option<impl serde::Serialize>) -> Option<Map<String, Value>> {
    match serde_json::to_value(value?).ok()? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

fn error(error: ProtocolError) -> ErrorData {
    ErrorData::new(ErrorCode(error.code), error.message, error.data)
}

fn malformed(method: &str) -> ErrorData {
    error(ProtocolError::invalid_params(format!("the parameters of `{method}` are malformed")))
}
