//! A snapshot of a server that is connected.

use mortise_contract::{Contract, RawJson, ServerName};
use mortise_upstream::secret::{Form, Secrets};
use mortise_upstream::{CallError, CallOptions, ServerFacts, Upstream};
use serde_json::{Map, Value};

use super::{About, Snapshot};

/// The code of JSON-RPC for a method that nobody answers.
const METHOD_NOT_FOUND: i64 = -32601;
/// Where a tool carries the hash of what its parsed form can't hold.
const EXACT: &str = "mortise/exact";

/// Members of declarations and keywords of schemas. They stay, also where a secret is the same word.
const WORDS: [&str; 32] = [
    "additionalItems",
    "additionalProperties",
    "annotations",
    "arguments",
    "contentEncoding",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "destructiveHint",
    "examples",
    "execution",
    "idempotentHint",
    "inputSchema",
    "listChanged",
    "mimeType",
    "openWorldHint",
    "outputSchema",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "readOnlyHint",
    "required",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "uriTemplate",
    "writeOnly",
];
/// Keywords of schemas whose values must be numbers.
const NUMBERS: [&str; 13] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
];

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
    NotConnected {
        /// The server.
        server: ServerName,
    },
    /// A list can't be read.
    #[error("the server `{server}` does not list its {what}")]
    List {
        /// The server.
        server: ServerName,
        /// `resources`, `resource templates` or `prompts`.
        what: &'static str,
        /// Why.
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
            "element {} of the tools is no usable tool: {}",
            rejected.position, rejected.reason
        ));
    }
    if catalog.unstable {
        notes.push("the tools changed while they were listed".to_owned());
    }
    let mut lists = Vec::new();
    for list in List::ALL {
        lists.push(list.read(upstream, &facts, &mut notes).await?);
    }
    let mut hiding = Hiding { secrets: upstream.secrets(), form: form(), has_hidden: false };
    let hidden: Vec<_> = lists.into_iter().map(|list| list.map(|list| hiding.objects(list))).collect();
    let mut lists = hidden.into_iter();
    let mut snapshot = Snapshot {
        about: Some(About {
            name: facts.name().map(|name| hiding.text(name)),
            version: facts.version().map(|version| hiding.text(version)),
        }),
        client_capabilities: Some(facts.client_capabilities.clone()),
        protocol_version: Some(facts.protocol_version.clone()),
        capabilities: Some(hiding.object(facts.capabilities.clone())),
        instructions: Some(hiding.text(facts.instructions.as_deref().unwrap_or_default())),
        tools: hiding.objects(catalog.contracts.iter().map(|contract| tool(contract)).collect()),
        resources: lists.next().flatten(),
        resource_templates: lists.next().flatten(),
        prompts: lists.next().flatten(),
    };
    if hiding.has_hidden {
        notes.push("it repeats a secret that it was given; the secret is left out".to_owned());
    }
    snapshot.sort();
    Ok(Captured { snapshot, notes })
}

/// Leaves tokens and passwords out: a lock file is for everybody to read.
struct Hiding<'a> {
    secrets: &'a Secrets,
    form: Form,
    has_hidden: bool,
}

impl Hiding<'_> {
    fn objects(&mut self, objects: Vec<Map<String, Value>>) -> Vec<Map<String, Value>> {
        objects.into_iter().map(|object| self.object(object)).collect()
    }

    fn object(&mut self, object: Map<String, Value>) -> Map<String, Value> {
        match self.hidden(&Value::Object(object.clone())) {
            Some(Value::Object(hidden)) => hidden,
            _ => object,
        }
    }

    fn text(&mut self, text: &str) -> String {
        match self.hidden(&Value::from(text)) {
            Some(Value::String(hidden)) => hidden,
            _ => text.to_owned(),
        }
    }

    fn hidden(&mut self, value: &Value) -> Option<Value> {
        let hidden = self.secrets.hide_certain(&value.to_string(), &self.form)?;
        self.has_hidden = true;
        serde_json::from_str(&hidden).ok()
    }
}

fn form() -> Form {
    let set = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    Form { words: set(&[&WORDS[..], &NUMBERS[..]].concat()), numbers: set(&NUMBERS) }
}

fn tool(contract: &Contract) -> Map<String, Value> {
    let mut fields = contract.fields.clone();
    if !contract.is_exact() {
        fields.insert(EXACT.to_owned(), Value::from(contract.hash()));
    }
    fields
}

/// The lists beside the tools.
#[derive(Clone, Copy)]
enum List {
    Resources,
    ResourceTemplates,
    Prompts,
}

impl List {
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
            Err(source) => Err(CaptureError::List { server: upstream.name().clone(), what, source }),
        }
    }
}

fn objects(elements: &[RawJson], what: &str, notes: &mut Vec<String>) -> Vec<Map<String, Value>> {
    let mut objects = Vec::with_capacity(elements.len());
    for (position, element) in elements.iter().enumerate() {
        match element.value() {
            Ok(Value::Object(object)) => objects.push(object),
            _ => notes.push(format!("element {position} of the {what} is no object that can be read")),
        }
    }
    objects
}
