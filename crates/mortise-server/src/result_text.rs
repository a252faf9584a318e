//! The JSON text of a result, put together without passing numbers through a parser.

use mortise_contract::{Era, RawJson};
use serde_json::{Map, Value, json};

use crate::Content;
use crate::client::Client;
use crate::members::Members;

/// How long and for whom a list may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    /// Not a cacheable result.
    No,
    /// For this long, in milliseconds, by this client alone.
    Private(u64),
    /// For this long, in milliseconds, by anyone.
    Public(u64),
}

/// The members of a result object but for what every result of an era has.
#[derive(Clone, Debug)]
pub(crate) struct ResultText {
    members: Vec<(String, String)>,
    meta: Map<String, Value>,
}

impl ResultText {
    /// A result with these members, each a name and a JSON text.
    pub(crate) fn new(
        members: impl IntoIterator<Item = (&'static str, String)>,
        meta: Map<String, Value>,
    ) -> Self {
        Self { members: members.into_iter().map(|(name, text)| (name.to_owned(), text)).collect(), meta }
    }

    pub(crate) fn tool(
        content: &[Content],
        structured: Option<String>,
        is_error: bool,
        meta: Map<String, Value>,
    ) -> Self {
        let mut members = vec![("content", array(content.iter().map(Content::to_text)))];
        members.extend(structured.map(|text| ("structuredContent", text)));
        members.extend(is_error.then(|| ("isError", "true".to_owned())));
        Self::new(members, meta)
    }

    /// A result object as another server wrote it.
    pub(crate) fn verbatim(raw: &RawJson) -> Self {
        let text = one_line(raw.text());
        let mut meta = Map::new();
        let mut own = Vec::new();
        if let Ok(members) = Members::parse(&text) {
            for name in members.names() {
                let Some(value) = members.get(name) else { continue };
                match (name, serde_json::from_str(value.get())) {
                    ("_meta", Ok(Value::Object(fields))) => meta = fields,
                    // Said again for the era of our own client.
                    ("resultType", _) => {}
                    _ => own.push((name.to_owned(), value.get().to_owned())),
                }
            }
        }
        Self { members: own, meta }
    }

    /// Sets a member, in its place if it is there.
    pub(crate) fn set(&mut self, name: &str, text: String) {
        match self.members.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = text,
            None => self.members.push((name.to_owned(), text)),
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.members.retain(|(own, _)| own != name);
    }

    pub(crate) fn set_meta(&mut self, key: &str, value: Value) {
        self.meta.insert(key.to_owned(), value);
    }

    /// The whole object for a client: `resultType`, cache hints and the server's name where its era has them.
    pub(crate) fn finish(mut self, client: &Client, cache: Cache, server: &Value) -> String {
        let mut members = Vec::with_capacity(self.members.len() + 4);
        if client.era() == Era::Modern {
            members.push(("resultType".to_owned(), "\"complete\"".to_owned()));
            self.meta.entry("io.modelcontextprotocol/serverInfo").or_insert_with(|| server.clone());
        }
        members.append(&mut self.members);
        if client.era() == Era::Modern
            && let Cache::Private(ttl) | Cache::Public(ttl) = cache
        {
            let scope = if matches!(cache, Cache::Public(_)) { "public" } else { "private" };
            members.push(("ttlMs".to_owned(), ttl.to_string()));
            members.push(("cacheScope".to_owned(), json!(scope).to_string()));
        }
        if !self.meta.is_empty() {
            members.push(("_meta".to_owned(), Value::Object(self.meta).to_string()));
        }
        object(members)
    }
}

impl ResultText {
    /// The whole object of a result that asks for input; only the modern era has it.
    pub(crate) fn finish_input_required(mut self, server: &Value) -> String {
        self.meta.entry("io.modelcontextprotocol/serverInfo").or_insert_with(|| server.clone());
        let mut members = vec![("resultType".to_owned(), "\"input_required\"".to_owned())];
        members.append(&mut self.members);
        members.push(("_meta".to_owned(), Value::Object(self.meta).to_string()));
        object(members)
    }
}

/// `[a,b,…]` of JSON texts.
pub(crate) fn array(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut text = String::from("[");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(item.as_ref());
    }
    text.push(']');
    text
}

fn object(members: impl IntoIterator<Item = (String, String)>) -> String {
    let members = members.into_iter().map(|(name, text)| format!("{}:{text}", Value::String(name)));
    let inner = array(members);
    format!("{{{}}}", &inner[1..inner.len() - 1])
}

/// White space between tokens never has to be a line break, which would end a frame.
/// Inside strings JSON has none.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
