//! What one server declared.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::schema::SchemaHash;

/// What one server declared, as far as it was recorded.
///
/// Lists are sorted by what names their elements, and the keys of every object by code point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// What the server calls itself. Only shown: a new version is not a change of a contract.
    pub about: Option<About>,
    /// The capabilities of the client that asked; a server may offer other tools to other clients.
    pub client_capabilities: Option<Map<String, Value>>,
    /// The protocol version in use.
    pub protocol_version: Option<String>,
    /// The server's capabilities.
    pub capabilities: Option<Map<String, Value>>,
    /// The server's instructions; an empty text for none.
    pub instructions: Option<String>,
    /// The tools, with every field that the server gave them.
    pub tools: Vec<Map<String, Value>>,
    /// The resources; `None` when they were not recorded.
    pub resources: Option<Vec<Map<String, Value>>>,
    /// The resource templates; `None` when they were not recorded.
    pub resource_templates: Option<Vec<Map<String, Value>>>,
    /// The prompts; `None` when they were not recorded.
    pub prompts: Option<Vec<Map<String, Value>>>,
}

/// Who a server said it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

impl Snapshot {
    /// SHA-256 of everything but [`Snapshot::about`], as `sha256:…`. Exactly what a diff looks at.
    pub fn hash(&self) -> String {
        format!("sha256:{}", SchemaHash::of(&Value::Object(self.hashed())))
    }

    /// Brings lists and keys into their order.
    pub fn sort(&mut self) {
        let by = |list: &mut Vec<Map<String, Value>>, key: &str| {
            let name = |item: &Map<String, Value>| item.get(key).map(Value::to_string).unwrap_or_default();
            list.sort_by_cached_key(name);
            list.iter_mut().for_each(Map::sort_keys);
            list.iter_mut().flat_map(Map::values_mut).for_each(Value::sort_all_objects);
        };
        by(&mut self.tools, "name");
        let lists = [
            (&mut self.resources, "uri"),
            (&mut self.resource_templates, "uriTemplate"),
            (&mut self.prompts, "name"),
        ];
        for (list, key) in lists {
            list.iter_mut().for_each(|list| by(list, key));
        }
        for object in [&mut self.client_capabilities, &mut self.capabilities].into_iter().flatten() {
            object.sort_keys();
            object.values_mut().for_each(Value::sort_all_objects);
        }
    }

    /// The entry in the file.
    pub(super) fn to_json(&self) -> Value {
        let mut entry = Map::new();
        entry.insert("hash".to_owned(), Value::from(self.hash()));
        if let Some(about) = &self.about {
            let parts = [("name", &about.name), ("version", &about.version)];
            let said =
                parts.into_iter().filter_map(|(key, part)| Some((key.to_owned(), part.clone()?.into())));
            entry.insert("server".to_owned(), Value::Object(said.collect()));
        }
        entry.extend(self.hashed());
        Value::Object(entry)
    }

    fn hashed(&self) -> Map<String, Value> {
        let object = |object: &Option<Map<String, Value>>| object.clone().map(Value::Object);
        let text = |text: &Option<String>| text.clone().map(Value::from);
        let list = |list: &Option<Vec<Map<String, Value>>>| {
            list.as_ref().map(|list| list.iter().cloned().map(Value::Object).collect::<Value>())
        };
        let parts = [
            ("client_capabilities", object(&self.client_capabilities)),
            ("protocol_version", text(&self.protocol_version)),
            ("capabilities", object(&self.capabilities)),
            ("instructions", text(&self.instructions)),
            ("tools", list(&Some(self.tools.clone()))),
            ("resources", list(&self.resources)),
            ("resource_templates", list(&self.resource_templates)),
            ("prompts", list(&self.prompts)),
        ];
        parts.into_iter().filter_map(|(key, part)| Some((key.to_owned(), part?))).collect()
    }
}

/// An entry as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SnapshotEntry {
    hash: String,
    server: Option<About>,
    client_capabilities: Option<Map<String, Value>>,
    protocol_version: Option<String>,
    capabilities: Option<Map<String, Value>>,
    instructions: Option<String>,
    tools: Vec<Map<String, Value>>,
    resources: Option<Vec<Map<String, Value>>>,
    resource_templates: Option<Vec<Map<String, Value>>>,
    prompts: Option<Vec<Map<String, Value>>>,
}

impl SnapshotEntry {
    pub(super) fn into_snapshot(self) -> (String, Snapshot) {
        let snapshot = Snapshot {
            about: self.server,
            client_capabilities: self.client_capabilities,
            protocol_version: self.protocol_version,
            capabilities: self.capabilities,
            instructions: self.instructions,
            tools: self.tools,
            resources: self.resources,
            resource_templates: self.resource_templates,
            prompts: self.prompts,
        };
        (self.hash, snapshot)
    }
}
