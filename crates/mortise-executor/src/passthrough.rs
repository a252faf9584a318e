//! Resources and prompts of servers whose tools are offered directly, passed through. Kept values are resources, too.
//!
//! A resource keeps its address; of two servers with the same one the first by name
//! is asked. A prompt is called `<server>__<prompt>`.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::{RawJson, ServerName};
use mortise_server::{
    CallContext, ChangeSignal, Changes, Content, Prompt, PromptSet, PromptText, ProtocolError, RequestStep,
    Resource, ResourceContent, ResourceReader, ResourceSet, ResourceTemplate,
};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::asks::UnderWay;
use crate::expose::refusal;
use crate::kept::resources::{self, OWN_URI};
use crate::kept::{lasting_caller, lasting_reader};
use crate::run::Executor;

/// The resources and prompts of some servers. A handle: clones are the same set.
#[derive(Clone, Debug)]
pub struct PassThrough(Arc<PassThroughState>);

#[derive(Debug)]
struct PassThroughState {
    executor: Arc<Executor>,
    servers: Mutex<BTreeMap<ServerName, Offered>>,
    lists: ArcSwap<Lists>,
    /// Whether the capabilities announce that there may be some.
    offered: AtomicBool,
    resources_changed: ChangeSignal,
    prompts_changed: ChangeSignal,
}

/// What one server lists.
#[derive(Debug)]
struct Offered {
    upstream: Upstream,
    resources: Vec<Map<String, Value>>,
    templates: Vec<Map<String, Value>>,
    prompts: Vec<Map<String, Value>>,
}

/// What we list.
#[derive(Debug)]
struct Lists {
    resources: Arc<[Resource]>,
    templates: Arc<[ResourceTemplate]>,
    prompts: Arc<[Prompt]>,
}

impl PassThrough {
    /// Nothing yet.
    pub fn new(executor: Arc<Executor>) -> Self {
        Self(Arc::new(PassThroughState {
            executor,
            servers: Mutex::default(),
            lists: ArcSwap::from_pointee(lists(&BTreeMap::new())),
            offered: AtomicBool::new(false),
            resources_changed: ChangeSignal::new(),
            prompts_changed: ChangeSignal::new(),
        }))
    }

    /// Sets whether clients that connect from now on see the capability for prompts.
    pub fn offer(&self, offered: bool) {
        self.0.offered.store(offered, Ordering::Relaxed);
    }

    fn is_offered(&self) -> bool {
        self.0.offered.load(Ordering::Relaxed)
    }

    /// Lists a server's resources and prompts again. A list that fails counts as empty.
    pub async fn refresh(&self, upstream: &Upstream) {
        let facts = upstream.facts();
        let has = |what: &str| facts.as_ref().is_some_and(|facts| facts.capabilities.contains_key(what));
        let (mut resources, mut templates, mut prompts) = (Vec::new(), Vec::new(), Vec::new());
        if has("resources") {
            resources = listed(upstream, "resources", upstream.resources(CallOptions::default()).await);
            let found = upstream.resource_templates(CallOptions::default()).await;
            templates = listed(upstream, "resource templates", found);
        }
        if has("prompts") {
            prompts = listed(upstream, "prompts", upstream.prompts(CallOptions::default()).await);
        }
        let offered = Offered { upstream: upstream.clone(), resources, templates, prompts };
        let mut servers = self.0.servers.lock();
        servers.insert(upstream.name().clone(), offered);
        self.renew(&servers);
    }

    /// Stops offering what a server has.
    pub fn forget(&self, server: &ServerName) {
        let mut servers = self.0.servers.lock();
        if servers.remove(server).is_some() {
            self.renew(&servers);
        }
    }

    fn renew(&self, servers: &BTreeMap<ServerName, Offered>) {
        let (old, new) = (self.0.lists.load_full(), Arc::new(lists(servers)));
        self.0.lists.store(new.clone());
        if old.resources != new.resources || old.templates != new.templates {
            self.0.resources_changed.fire();
        }
        if old.prompts != new.prompts {
            self.0.prompts_changed.fire();
        }
    }

    /// The server that lists this address, else all that have resources: it may be one of a family.
    fn owners(&self, uri: &str) -> Vec<Upstream> {
        let servers = self.0.servers.lock();
        let is_listed = |offered: &&Offered| offered.resources.iter().any(|resource| resource["uri"] == uri);
        match servers.values().find(is_listed) {
            Some(offered) => vec![offered.upstream.clone()],
            None => servers
                .values()
                .filter(|offered| !(offered.resources.is_empty() && offered.templates.is_empty()))
                .map(|offered| offered.upstream.clone())
                .collect(),
        }
    }

    /// The server that has a prompt, and the prompt's name there.
    fn prompt(&self, name: &str) -> Option<(Upstream, String)> {
        self.0.servers.lock().iter().find_map(|(server, offered)| {
            let own = offered.prompts.iter().filter_map(|prompt| prompt.get("name")?.as_str());
            let own = own.into_iter().find(|own| public_name(server, own) == name)?;
            Some((offered.upstream.clone(), own.to_owned()))
        })
    }
}

impl ResourceSet for PassThrough {
    fn resources(&self) -> Arc<[Resource]> {
        self.0.lists.load().resources.clone()
    }

    fn templates(&self) -> Arc<[ResourceTemplate]> {
        self.0.lists.load().templates.clone()
    }

    async fn own_resources(&self, reader: &ResourceReader) -> Vec<Resource> {
        resources::kept_by(&self.0.executor, &lasting_reader(reader)).await
    }

    fn differs_by_client(&self) -> bool {
        true
    }

    async fn read(
        &self,
        uri: String,
        context: CallContext,
    ) -> Result<RequestStep<Vec<ResourceContent>>, ProtocolError> {
        if uri.starts_with(OWN_URI) {
            return resources::read_own(&self.0.executor, &uri, &lasting_caller(Some(&context))).await;
        }
        let mut refused = ProtocolError::resource_not_found(&uri);
        for upstream in self.owners(&uri) {
            let under_way = self.0.executor.under_way(upstream.name(), &context);
            match upstream.read_resource(&uri, self.options(&context, &under_way)).await {
                Ok(result) => {
                    let contents = objects(&result, "contents").map(ResourceContent::forwarded);
                    return Ok(RequestStep::Done(contents.collect()));
                }
                Err(error) => refused = protocol_error(error),
            }
        }
        Err(refused)
    }

    /// Kept values may come at any time.
    fn is_offered(&self) -> bool {
        true
    }

    fn changes(&self) -> Changes {
        self.0.resources_changed.changes()
    }
}

impl PromptSet for PassThrough {
    fn prompts(&self) -> Arc<[Prompt]> {
        self.0.lists.load().prompts.clone()
    }

    async fn get(
        &self,
        name: String,
        context: CallContext,
    ) -> Result<RequestStep<PromptText>, ProtocolError> {
        let Some((upstream, own)) = self.prompt(&name) else {
            return Err(ProtocolError::invalid_params(format!("no prompt `{name}`")));
        };
        let under_way = self.0.executor.under_way(upstream.name(), &context);
        let arguments = RawJson::from_value(&Value::Object(context.arguments().clone())).ok();
        let options = self.options(&context, &under_way);
        let result = upstream.get_prompt(&own, arguments.as_ref(), options).await.map_err(protocol_error)?;
        let mut text = PromptText::new();
        if let Ok(Value::Object(result)) = result.value()
            && let Some(description) = result.get("description").and_then(Value::as_str)
        {
            text = text.description(description);
        }
        for message in objects(&result, "messages") {
            let Some(Ok(content)) = message.get("content").map(RawJson::from_value) else { continue };
            text = match message.get("role").and_then(Value::as_str) {
                Some("assistant") => text.assistant(Content::raw(content)),
                _ => text.user(Content::raw(content)),
            };
        }
        Ok(RequestStep::Done(text))
    }

    fn is_offered(&self) -> bool {
        PassThrough::is_offered(self)
    }

    fn changes(&self) -> Changes {
        self.0.prompts_changed.changes()
    }
}

impl PassThrough {
    fn options(&self, context: &CallContext, under_way: &UnderWay) -> CallOptions {
        CallOptions {
            cancel: context.cancellation().child_token(),
            listener: Some(under_way.listener()),
            caller: self.0.executor.caller(context),
            ..CallOptions::default()
        }
    }
}

fn protocol_error(error: CallError) -> ProtocolError {
    match error {
        CallError::Rpc { error, .. } => refusal(error),
        other => ProtocolError::new(ProtocolError::INTERNAL_ERROR, other.to_string()),
    }
}

fn listed(
    upstream: &Upstream,
    what: &str,
    found: Result<Vec<RawJson>, CallError>,
) -> Vec<Map<String, Value>> {
    let elements = found.unwrap_or_else(|error| {
        tracing::warn!(server = %upstream.name(), %error, "cannot list its {what}");
        Vec::new()
    });
    let objects = elements.iter().filter_map(|element| match element.value() {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    });
    objects.collect()
}

/// The objects in an array of a result.
fn objects(result: &RawJson, member: &str) -> impl Iterator<Item = Map<String, Value>> + use<> {
    let elements = match result.value() {
        Ok(Value::Object(mut result)) => match result.remove(member) {
            Some(Value::Array(elements)) => elements,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    elements.into_iter().filter_map(|element| match element {
        Value::Object(fields) => Some(fields),
        _ => None,
    })
}

fn lists(servers: &BTreeMap<ServerName, Offered>) -> Lists {
    let mut taken = HashSet::new();
    let (mut resources, mut templates, mut prompts) = (Vec::new(), Vec::new(), Vec::new());
    for (server, offered) in servers {
        for fields in &offered.resources {
            if let Some((uri, name)) = identity(fields, "uri").filter(|(uri, _)| taken.insert(*uri)) {
                let resource = Resource::new(uri, name);
                resources
                    .push(rest(fields).fold(resource, |resource, (key, value)| resource.field(key, value)));
            }
        }
        for fields in &offered.templates {
            if let Some((uri, name)) = identity(fields, "uriTemplate").filter(|(uri, _)| taken.insert(*uri)) {
                let template = ResourceTemplate::new(uri, name);
                templates
                    .push(rest(fields).fold(template, |template, (key, value)| template.field(key, value)));
            }
        }
        for fields in &offered.prompts {
            if let Some(name) = fields.get("name").and_then(Value::as_str) {
                let prompt = Prompt::new(&public_name(server, name));
                prompts.push(rest(fields).fold(prompt, |prompt, (key, value)| prompt.field(key, value)));
            }
        }
    }
    Lists { resources: resources.into(), templates: templates.into(), prompts: prompts.into() }
}

fn identity<'a>(fields: &'a Map<String, Value>, member: &str) -> Option<(&'a str, &'a str)> {
    let key = fields.get(member)?.as_str()?;
    Some((key, fields.get("name").and_then(Value::as_str).unwrap_or(key)))
}

/// All fields but those that identify the object.
fn rest(fields: &Map<String, Value>) -> impl Iterator<Item = (&str, Value)> {
    let identifying = ["uri", "uriTemplate", "name"];
    fields
        .iter()
        .filter(move |(key, _)| !identifying.contains(&key.as_str()))
        .map(|(key, value)| (key.as_str(), value.clone()))
}

fn public_name(server: &ServerName, prompt: &str) -> String {
    format!("{server}__{prompt}")
}
