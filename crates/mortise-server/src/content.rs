//! The blocks a person or a model reads: text, images, sound, resources.

use data_encoding::BASE64;
use mortise_contract::RawJson;
use serde_json::{Map, Value, json};

/// One content block of an answer or a prompt message.
#[derive(Clone, Debug)]
pub struct Content(ContentForm);

#[derive(Clone, Debug)]
enum ContentForm {
    Built(Map<String, Value>),
    Raw(RawJson),
}

impl Content {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::built([("type", json!("text")), ("text", Value::String(text.into()))])
    }

    /// An image; the bytes travel as Base64.
    pub fn image(bytes: &[u8], mime_type: &str) -> Self {
        Self::built([
            ("type", json!("image")),
            ("data", Value::String(BASE64.encode(bytes))),
            ("mimeType", json!(mime_type)),
        ])
    }

    /// A sound; the bytes travel as Base64.
    pub fn audio(bytes: &[u8], mime_type: &str) -> Self {
        Self::built([
            ("type", json!("audio")),
            ("data", Value::String(BASE64.encode(bytes))),
            ("mimeType", json!(mime_type)),
        ])
    }

    /// The text of a resource, embedded.
    pub fn resource_text(uri: &str, mime_type: &str, text: &str) -> Self {
        Self::built([
            ("type", json!("resource")),
            ("resource", json!({ "uri": uri, "mimeType": mime_type, "text": text })),
        ])
    }

    /// The bytes of a resource, embedded.
    pub fn resource_bytes(uri: &str, mime_type: &str, bytes: &[u8]) -> Self {
        let blob = BASE64.encode(bytes);
        Self::built([
            ("type", json!("resource")),
            ("resource", json!({ "uri": uri, "mimeType": mime_type, "blob": blob })),
        ])
    }

    /// A link to a resource. Clients of 2025-03-26 and older get it as text.
    pub fn resource_link(uri: &str, name: &str) -> Self {
        Self::built([("type", json!("resource_link")), ("uri", json!(uri)), ("name", json!(name))])
    }

    /// A block made elsewhere, passed on verbatim.
    pub fn raw(block: RawJson) -> Self {
        Self(ContentForm::Raw(block))
    }

    /// Sets one more field of the block, for example `annotations`. No effect on a raw block.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        if let ContentForm::Built(fields) = &mut self.0 {
            fields.insert(name.to_owned(), value);
        }
        self
    }

    fn built<const N: usize>(fields: [(&str, Value); N]) -> Self {
        Self(ContentForm::Built(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
    }

    /// The value of `type`, empty when the block has none.
    pub(crate) fn kind(&self) -> String {
        match &self.0 {
            ContentForm::Built(fields) => string_field(fields, "type"),
            ContentForm::Raw(raw) => match raw.value() {
                Ok(Value::Object(fields)) => string_field(&fields, "type"),
                _ => String::new(),
            },
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        self.kind() == "text"
    }

    pub(crate) fn is_link(&self) -> bool {
        self.kind() == "resource_link"
    }

    /// The same block for a peer that does not know resource links.
    pub(crate) fn without_links(self) -> Self {
        if !self.is_link() {
            return self;
        }
        let fields = match &self.0 {
            ContentForm::Built(fields) => fields.clone(),
            ContentForm::Raw(raw) => match raw.value() {
                Ok(Value::Object(fields)) => fields,
                _ => return self,
            },
        };
        Self::text(format!("{}: {}", string_field(&fields, "name"), string_field(&fields, "uri")))
    }

    pub(crate) fn to_json(&self) -> RawJson {
        match &self.0 {
            ContentForm::Built(fields) => RawJson::from(&Value::Object(fields.clone())),
            ContentForm::Raw(raw) => raw.clone(),
        }
    }
}

fn string_field(fields: &Map<String, Value>, name: &str) -> String {
    fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
