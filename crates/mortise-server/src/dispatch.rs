//! What each method does, for any transport.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use mortise_contract::text::{cut, printable};
use mortise_contract::{RawJson, ToolCall};
use serde_json::{Map, Value, json};

use crate::arguments::{CallArguments, checked_arguments};
use crate::call::{self, Binding, CallFacts, ClientLine, Job, Outcome, Request, Sent, TaskOffer};
use crate::client::Client;
use crate::completion::CompletionRequest;
use crate::context::Origin;
use crate::page::page;
use crate::resources::{RequestStep, ResourceReader};
use crate::result_text::{Cache, ResultText};
use crate::server::{Server, ServerParts};
use crate::settle::{forward_result, settle_answer};
use crate::tasks::{TASKS_EXTENSION, TaskOwner, TaskUse};
use crate::{Answer, CallContext, LogLevel, ProtocolError, Reply, ResourceContent};

/// How long clients may keep a list, in milliseconds. They are notified when it changes.
const LIST_TTL: u64 = 60_000;

/// A request that a handler works on, as it came off the wire.
pub(crate) struct Incoming {
    pub(crate) client: Client,
    pub(crate) meta: Map<String, Value>,
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) state: Option<String>,
    pub(crate) origin: Origin,
}

/// The result object of a request.
pub(crate) type ResultJson = Result<RawJson, ProtocolError>;

/// What a request asks of a handler.
struct Asked<'a> {
    arguments: CallArguments,
    /// Method and name, to which a sealed state is bound.
    target: &'a [&'a str],
    task: Option<TaskOffer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Templates,
    Prompts,
}

impl Server {
    pub(crate) fn list(&self, list: List, client: &Client, cursor: Option<&str>) -> ResultJson {
        let (name, page) = match list {
            List::Tools => {
                let tools =
                    self.0.tools.as_ref().ok_or_else(|| ProtocolError::method_not_found("tools/list"))?;
                ("tools", page(tools.tools().listed(client.shape()), cursor)?)
            }
            List::Templates => {
                let set = self.resources("resources/templates/list")?.templates();
                (
                    "resourceTemplates",
                    sorted_page(set.iter().map(|entry| (entry.key(), entry.json())), cursor)?,
                )
            }
            List::Prompts => {
                let set = self.prompts("prompts/list")?.prompts();
                ("prompts", sorted_page(set.iter().map(|entry| (entry.key(), entry.json())), cursor)?)
            }
        };
        let mut members = vec![(name, page.items)];
        members.extend(page.next.map(|next| ("nextCursor", RawJson::string(&next))));
        Ok(self.finish(ResultText::new(members), client, Cache::Public(LIST_TTL)))
    }

    /// The resources of all clients, and those of this one.
    pub(crate) async fn list_resources(&self, reader: ResourceReader, cursor: Option<&str>) -> ResultJson {
        let set = self.resources("resources/list")?;
        let (all, own) = (set.resources(), set.own_resources(&reader).await);
        let listed = all.iter().chain(&own).map(|entry| (entry.key(), entry.json()));
        let page = sorted_page(listed, cursor)?;
        let mut members = vec![("resources", page.items)];
        members.extend(page.next.map(|next| ("nextCursor", RawJson::string(&next))));
        let cache = if set.differs_by_client() { Cache::Private(LIST_TTL) } else { Cache::Public(LIST_TTL) };
        Ok(self.finish(ResultText::new(members), &reader.client, cache))
    }

    /// Waits for tools that are not known yet.
    pub(crate) async fn ready_to_list(&self) {
        if let Some(tools) = &self.0.tools {
            tools.ready_to_list().await;
        }
    }

    pub(crate) async fn call_tool(
        &self,
        name: &str,
        arguments: RawJson,
        incoming: Incoming,
        line: &impl ClientLine,
    ) -> ResultJson {
        let unknown = || ProtocolError::invalid_params(format!("unknown tool `{}`", shown(name)));
        let tools = self.0.tools.as_ref().ok_or_else(unknown)?.tools();
        let entry = Arc::clone(tools.entry(name).ok_or_else(unknown)?);
        let task = self.task_offer(tools.task_use(name), &incoming.client)?;
        let checked = match checked_arguments(&entry, &arguments).await {
            Ok(checked) => checked,
            Err(error) => {
                let text = format!("Input validation error: {}: {error}", entry.contract.name);
                let result =
                    settle_answer(&entry, Answer::error(text), &incoming.client, self.0.unschematised);
                return Ok(self.finish(result, &incoming.client, Cache::No));
            }
        };
        let call = ToolCall { tool: entry.contract.name.clone(), arguments };
        let inner = Arc::clone(&self.0);
        let job: Job = Arc::new(move |context| {
            let (inner, entry, call) = (Arc::clone(&inner), Arc::clone(&entry), call.clone());
            Box::pin(async move {
                let client = context.client().clone();
                let reply = AssertUnwindSafe(call_tool_set(&inner, call, context)).catch_unwind().await;
                let reply = reply.unwrap_or_else(|_| {
                    tracing::error!(tool = %entry.contract.name, "a tool handler panicked");
                    Answer::error(format!("the tool `{}` failed unexpectedly", entry.contract.name)).into()
                });
                match reply {
                    Reply::Answer(answer) => {
                        Ok(RequestStep::Done(settle_answer(&entry, answer, &client, inner.unschematised)))
                    }
                    Reply::Forward(result) => Ok(RequestStep::Done(forward_result(&entry, &result, &client))),
                    Reply::InputRequired(input) => Ok(RequestStep::InputRequired(input)),
                    Reply::Refused(error) => Err(error),
                }
            })
        });
        let asked = Asked { arguments: checked, target: &["tools/call", name], task };
        self.run_job(&job, incoming, asked, line, Cache::No).await
    }

    pub(crate) async fn read_resource(
        &self,
        uri: String,
        incoming: Incoming,
        line: &impl ClientLine,
    ) -> ResultJson {
        self.resources("resources/read")?;
        let (inner, own) = (Arc::clone(&self.0), uri.clone());
        let job: Job = Arc::new(move |context| {
            let (inner, uri) = (Arc::clone(&inner), own.clone());
            Box::pin(contained(async move {
                let Some(set) = &inner.resources else { return Err(ProtocolError::resource_not_found(&uri)) };
                Ok(match set.read(uri, context).await? {
                    RequestStep::Done(contents) => {
                        let contents: Vec<RawJson> = contents.iter().map(ResourceContent::to_json).collect();
                        RequestStep::Done(ResultText::new([("contents", RawJson::array(&contents))]))
                    }
                    RequestStep::InputRequired(input) => RequestStep::InputRequired(input),
                })
            }))
        });
        let asked = Asked { arguments: Map::new().into(), target: &["resources/read", &uri], task: None };
        self.run_job(&job, incoming, asked, line, Cache::Private(0)).await
    }

    pub(crate) async fn get_prompt(
        &self,
        name: String,
        arguments: Map<String, Value>,
        incoming: Incoming,
        line: &impl ClientLine,
    ) -> ResultJson {
        let prompts = self.prompts("prompts/get")?.prompts();
        let unknown = || ProtocolError::invalid_params(format!("unknown prompt `{}`", shown(&name)));
        let prompt = prompts.iter().find(|prompt| prompt.name() == name).ok_or_else(unknown)?;
        if let Some(missing) = prompt.required_arguments().find(|argument| !arguments.contains_key(*argument))
        {
            return Err(ProtocolError::invalid_params(format!(
                "prompt `{name}` needs the argument `{missing}`"
            )));
        }
        let (inner, own) = (Arc::clone(&self.0), name.clone());
        let job: Job = Arc::new(move |context| {
            let (inner, name) = (Arc::clone(&inner), own.clone());
            Box::pin(contained(async move {
                let Some(set) = &inner.prompts else {
                    return Err(ProtocolError::method_not_found("prompts/get"));
                };
                Ok(match set.get(name, context).await? {
                    RequestStep::Done(text) => {
                        let mut members = Vec::new();
                        members.extend(
                            text.description.as_ref().map(|words| ("description", RawJson::string(words))),
                        );
                        members.push(("messages", text.messages_json()));
                        RequestStep::Done(ResultText::new(members))
                    }
                    RequestStep::InputRequired(input) => RequestStep::InputRequired(input),
                })
            }))
        });
        let asked = Asked { arguments: arguments.into(), target: &["prompts/get", &name], task: None };
        self.run_job(&job, incoming, asked, line, Cache::No).await
    }

    pub(crate) async fn complete(
        &self,
        request: CompletionRequest,
        incoming: Incoming,
        line: &impl ClientLine,
    ) -> ResultJson {
        let method = || ProtocolError::method_not_found("completion/complete");
        self.0.completer.as_ref().ok_or_else(method)?;
        let inner = Arc::clone(&self.0);
        let job: Job = Arc::new(move |context| {
            let (inner, request) = (Arc::clone(&inner), request.clone());
            Box::pin(contained(async move {
                let Some(completer) = &inner.completer else { return Err(method()) };
                let completions = completer.complete(request, context).await?;
                Ok(RequestStep::Done(ResultText::new([(
                    "completion",
                    RawJson::from(&completions.to_json()),
                )])))
            }))
        });
        let asked = Asked { arguments: Map::new().into(), target: &["completion/complete"], task: None };
        self.run_job(&job, incoming, asked, line, Cache::No).await
    }

    /// Records the log level of a session, and gives the tools the lowest level of all sessions.
    pub(crate) async fn set_log_level(&self, session: u64, level: LogLevel) {
        let most_detailed = self.0.running.levels.set(session, level);
        if let Some(tools) = &self.0.tools {
            tools.log_level(most_detailed).await;
        }
    }

    async fn run_job(
        &self,
        job: &Job,
        incoming: Incoming,
        asked: Asked<'_>,
        line: &impl ClientLine,
        cache: Cache,
    ) -> ResultJson {
        let Incoming { client, meta, answers, state, origin } = incoming;
        let Asked { arguments, target, task } = asked;
        let binding = Binding::new(target, &arguments);
        let facts = CallFacts { client: client.clone(), arguments, meta, origin };
        let request = Request { facts, answers, state, binding, task };
        match call::run_request(&self.0.running, job, request, line).await? {
            Sent::Done(result) => Ok(self.finish(result, &client, cache)),
            Sent::InputRequired(result) => Ok(result.finish_as("input_required", &self.identity())),
            Sent::Task(result) => Ok(result.finish_as("task", &self.identity())),
        }
    }

    /// Whether a call of a tool that uses tasks in this way may be answered with one.
    fn task_offer(&self, used: Option<TaskUse>, client: &Client) -> Result<Option<TaskOffer>, ProtocolError> {
        match used {
            Some(used) if client.takes_tasks() => {
                Ok(Some(TaskOffer { after: used.after, server: self.identity() }))
            }
            Some(used) if used.is_required => {
                Err(ProtocolError::missing_capability(json!({ "extensions": { TASKS_EXTENSION: {} } })))
            }
            _ => Ok(None),
        }
    }

    /// Whether a call may be answered with a task.
    pub(crate) fn has_tasks(&self) -> bool {
        self.0.tools.as_ref().is_some_and(|tools| tools.tools().uses_tasks())
    }

    pub(crate) fn get_task(&self, id: &str, client: &Client, asker: TaskOwner) -> ResultJson {
        let task = self.0.running.tasks.get(id, asker)?;
        Ok(self.finish(task, client, Cache::No))
    }

    fn finish(&self, result: ResultText, client: &Client, cache: Cache) -> RawJson {
        result.finish(client, cache, &self.identity())
    }

    pub(crate) fn identity(&self) -> Value {
        Value::Object(self.0.identity.clone())
    }

    fn resources(&self, method: &str) -> Result<&dyn crate::resources::DynResourceSet, ProtocolError> {
        let offered = self.0.resources.as_deref().filter(|set| set.is_offered());
        offered.ok_or_else(|| ProtocolError::method_not_found(method))
    }

    fn prompts(&self, method: &str) -> Result<&dyn crate::prompts::DynPromptSet, ProtocolError> {
        let offered = self.0.prompts.as_deref().filter(|set| set.is_offered());
        offered.ok_or_else(|| ProtocolError::method_not_found(method))
    }
}

async fn call_tool_set(inner: &ServerParts, call: ToolCall, context: CallContext) -> Reply {
    match &inner.tools {
        Some(tools) => tools.call(call, context).await,
        None => ProtocolError::invalid_params(format!("unknown tool `{}`", call.tool)).into(),
    }
}

/// A panic is an error of this one request.
async fn contained(work: impl Future<Output = Outcome>) -> Outcome {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!("a request handler panicked");
        Err(ProtocolError::new(ProtocolError::INTERNAL_ERROR, "the request failed unexpectedly"))
    })
}

fn sorted_page<'a>(
    entries: impl Iterator<Item = (&'a str, RawJson)>,
    cursor: Option<&str>,
) -> Result<crate::page::EntryPage, ProtocolError> {
    let sorted: BTreeMap<&str, RawJson> = entries.collect();
    page(sorted.iter().map(|(key, text)| (*key, text)), cursor)
}

/// A name from outside, short and without control characters.
fn shown(name: &str) -> String {
    printable(&cut(name, 128))
}
