//! Things a server lists besides tools: resources, templates, prompts.

use mortise_contract::RawJson;
use serde_json::{Map, Value, json};

/// A listed object: the member that identifies it, and the rest.
#[derive(Clone, Debug, PartialEq)]
struct Declared {
    key: String,
    fields: Map<String, Value>,
}

impl Declared {
    fn new(member: &str, key: &str) -> Self {
        let mut fields = Map::new();
        fields.insert(member.to_owned(), json!(key));
        Self { key: key.to_owned(), fields }
    }

    fn set(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    fn json(&self) -> RawJson {
        RawJson::from(&Value::Object(self.fields.clone()))
    }
}

/// A resource as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource(Declared);

/// A family of resources with a URI template (RFC 6570).
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceTemplate(Declared);

/// A prompt as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt(Declared);

macro_rules! describing {
    () => {
        /// A short name for people.
        #[must_use]
        pub fn title(self, title: &str) -> Self {
            self.field("title", json!(title))
        }

        /// What it is, for people and models.
        #[must_use]
        pub fn description(self, description: &str) -> Self {
            self.field("description", json!(description))
        }

        /// Sets any field of the listed object, such as `size`, `icons` or `_meta`.
        #[must_use]
        pub fn field(self, name: &str, value: Value) -> Self {
            Self(self.0.set(name, value))
        }

        pub(crate) fn key(&self) -> &str {
            &self.0.key
        }

        pub(crate) fn json(&self) -> RawJson {
            self.0.json()
        }
    };
}

impl Resource {
    /// A resource at `uri`, called `name`.
    pub fn new(uri: &str, name: &str) -> Self {
        Self(Declared::new("uri", uri).set("name", json!(name)))
    }

    /// The resource's address.
    pub fn uri(&self) -> &str {
        &self.0.key
    }

    /// The media type.
    #[must_use]
    pub fn mime_type(self, mime_type: &str) -> Self {
        self.field("mimeType", json!(mime_type))
    }

    describing!();
}

impl ResourceTemplate {
    /// Resources at addresses of this form, called `name`.
    pub fn new(uri_template: &str, name: &str) -> Self {
        Self(Declared::new("uriTemplate", uri_template).set("name", json!(name)))
    }

    /// The media type, if it is the same for all.
    #[must_use]
    pub fn mime_type(self, mime_type: &str) -> Self {
        self.field("mimeType", json!(mime_type))
    }

    describing!();
}

impl Prompt {
    /// A prompt of this name.
    pub fn new(name: &str) -> Self {
        Self(Declared::new("name", name))
    }

    /// The prompt's name.
    pub fn name(&self) -> &str {
        &self.0.key
    }

    /// An argument that may be left out.
    #[must_use]
    pub fn optional(self, name: &str, description: &str) -> Self {
        self.argument(json!({ "name": name, "description": description, "required": false }))
    }

    /// An argument that must be given.
    #[must_use]
    pub fn required(self, name: &str, description: &str) -> Self {
        self.argument(json!({ "name": name, "description": description, "required": true }))
    }

    fn argument(mut self, argument: Value) -> Self {
        let arguments = self.0.fields.entry("arguments").or_insert_with(|| json!([]));
        if let Value::Array(arguments) = arguments {
            arguments.push(argument);
        }
        self
    }

    /// The names of the arguments that must be given.
    pub(crate) fn required_arguments(&self) -> impl Iterator<Item = &str> {
        let arguments = self.0.fields.get("arguments").and_then(Value::as_array);
        arguments.into_iter().flatten().filter_map(|argument| {
            let required = argument.get("required") == Some(&Value::Bool(true));
            argument.get("name").and_then(Value::as_str).filter(|_| required)
        })
    }

    describing!();
}
