//! A snapshot of a server that is connected.

use mortise_client::lock_record::LockRecorder;
use mortise_client::{CallError, CallOptions, ServerFacts, Upstream};
use mortise_contract::lock::{About, Snapshot};
use mortise_contract::{RawJson, ServerName};
use serde_json::{Map, Value};

/// The code of JSON-RPC for a method that a server does not have.
const METHOD_NOT_FOUND: i64 = -32601;
/// A snapshot, and what is to be said about it.
#[derive(Clone, Debug)]
pub struct Captured {
    /// What the server declares.
    pub snapshot: Snapshot,
    /// What is not in it, for a person.
    pub notes: Vec<String>,
}

/// Why there is no snapshot of a server.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The server was never connected.
    #[error("the server `{server}` is not connected")]
    NotConnected { server: ServerName },
    /// A list can't be read.
    #[error("the server `{server}` does not list its {what}")]
    NotListed {
        server: ServerName,
        /// `resources`, `resource templates` or `prompts`.
        what: &'static str,
        #[source]
        source: CallError,
    },
}

/// Takes a snapshot: the catalogue as it was listed, and the other lists now.
///
/// Every list is bounded in time and size as all calls of `upstream` are; dropping the future
/// cancels the one that is under way.
pub async fn capture(upstream: &Upstream) -> Result<Captured, CaptureError> {
    let catalog = upstream.catalog();
    let server = upstream.name();
    let Some(facts) = catalog.facts.clone() else {
        return Err(CaptureError::NotConnected { server: server.clone() });
    };
    let mut notes = Vec::new();
    for rejected in &catalog.rejected {
        notes.push(format!(
            "element {} of the tools is not a usable tool: {}",
            rejected.position, rejected.reason
        ));
    }
    if catalog.unstable {
        notes.push("the tools changed while they were listed".to_owned());
    }
    let mut lists = Vec::new();
    for list in CapturedList::ALL {
        lists.push(list.read(upstream, &facts, &mut notes).await?);
    }
    let mut recorder = LockRecorder::new(upstream.secrets());
    let recorded: Vec<_> = lists.into_iter().map(|list| list.map(|list| recorder.objects(list))).collect();
    let mut lists = recorded.into_iter();
    let mut snapshot = Snapshot {
        about: Some(About {
            name: facts.name().map(|name| recorder.text(name)),
            version: facts.version().map(|version| recorder.text(version)),
        }),
        client_capabilities: Some(facts.client_capabilities.clone()),
        protocol_version: Some(facts.protocol_version.clone()),
        capabilities: Some(recorder.object(facts.capabilities.clone())),
        instructions: Some(recorder.text(facts.instructions.as_deref().unwrap_or_default())),
        tools: catalog.contracts.iter().map(|contract| recorder.tool(contract).into_owned()).collect(),
        resources: lists.next().flatten(),
        resource_templates: lists.next().flatten(),
        prompts: lists.next().flatten(),
    };
    if recorder.has_hidden() {
        notes.push("it repeats a secret that it was given; the secret is left out".to_owned());
    }
    snapshot.sort();
    Ok(Captured { snapshot, notes })
}

/// The lists beside the tools.
#[derive(Clone, Copy)]
enum CapturedList {
    Resources,
    ResourceTemplates,
    Prompts,
}

impl CapturedList {
    const ALL: [Self; 3] = [Self::Resources, Self::ResourceTemplates, Self::Prompts];

    /// The list; `None` when the server says that it has one and does not answer for it.
    async fn read(
        self,
        upstream: &Upstream,
        facts: &ServerFacts,
        notes: &mut Vec<String>,
    ) -> Result<Option<Vec<Map<String, Value>>>, CaptureError> {
        let (capability, what) = match self {
            Self::Resources => ("resources", "resources"),
            Self::ResourceTemplates => ("resources", "resource templates"),
            Self::Prompts => ("prompts", "prompts"),
        };
        if !facts.has(capability) {
            return Ok(Some(Vec::new()));
        }
        let options = CallOptions::default();
        let listed = match self {
            Self::Resources => upstream.resources(options).await,
            Self::ResourceTemplates => upstream.resource_templates(options).await,
            Self::Prompts => upstream.prompts(options).await,
        };
        match listed {
            Ok(elements) => Ok(Some(objects(&elements, what, notes))),
            Err(CallError::Rpc { error, .. }) if error.code == METHOD_NOT_FOUND => {
                notes.push(format!("it does not list its {what}, though it says that it has the capability"));
                Ok(None)
            }
            Err(source) => Err(CaptureError::NotListed { server: upstream.name().clone(), what, source }),
        }
    }
}

fn objects(elements: &[RawJson], what: &str, notes: &mut Vec<String>) -> Vec<Map<String, Value>> {
    let mut objects = Vec::with_capacity(elements.len());
    for (position, element) in elements.iter().enumerate() {
        match element.value() {
            Ok(Value::Object(object)) => objects.push(object),
            _ => notes.push(format!("element {position} of the {what} is not an object that can be read")),
        }
    }
    objects
}
