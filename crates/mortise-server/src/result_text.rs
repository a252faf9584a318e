//! The JSON text of a result, put together without passing numbers through a parser.

use mortise_contract::{Era, RawJson};
use serde_json::{Value, json};

use crate::Content;
use crate::client::Client;
use crate::object_text::ObjectText;

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

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
#[derive(Clone, Debug, Default)]
pub(crate) struct ResultText {
    members: ObjectText,
    meta: ObjectText,
}

impl ResultText {
    /// A result with these members, each a name and a JSON text.
    pub(crate) fn new(members: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        let mut result = Self::default();
        for (name, text) in members {
            result.set(name, text);
        }
        result
    }

    pub(crate) fn tool(
        content: &[Content],
        structured: Option<String>,
        is_error: bool,
        meta: ObjectText,
    ) -> Self {
        let mut members = vec![("content", array(content.iter().map(Content::to_text)))];
        members.extend(structured.map(|text| ("structuredContent", text)));
        members.extend(is_error.then(|| ("isError", "true".to_owned())));
        Self { meta, ..Self::new(members) }
    }

    /// A result object as another server wrote it.
    pub(crate) fn verbatim(raw: &RawJson) -> Self {
        let mut members = ObjectText::of(raw).unwrap_or_default();
        // Added again in the form that our own client's era has.
        members.remove("resultType");
        let mut result = Self { members, meta: ObjectText::default() };
        if let Some(meta) = raw.member("_meta").as_ref().and_then(ObjectText::of) {
            result.remove("_meta");
            result.meta = meta;
        }
        result
    }

    /// Sets a member, in its place if it is there.
    pub(crate) fn set(&mut self, name: &str, text: String) {
        self.members.set(name, text);
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.members.remove(name);
    }

    pub(crate) fn set_meta(&mut self, key: &str, value: &Value) {
        self.meta.set(key, value.to_string());
    }

    /// The whole object for a client: `resultType`, cache hints and the server's name where its era has them.
    pub(crate) fn finish(mut self, client: &Client, cache: Cache, server: &Value) -> String {
        let mut members = ObjectText::default();
        if client.era() == Era::Modern {
            members.set("resultType", "\"complete\"".to_owned());
            self.name_server(server);
        }
        members.append(self.members);
        if client.era() == Era::Modern
            && let Cache::Private(ttl) | Cache::Public(ttl) = cache
        {
            let scope = if matches!(cache, Cache::Public(_)) { "public" } else { "private" };
            members.set("ttlMs", ttl.to_string());
            members.set("cacheScope", json!(scope).to_string());
        }
        if !self.meta.is_empty() {
            members.set("_meta", self.meta.into_text());
        }
        members.into_text()
    }

    /// The whole object of a result that asks for input; only the modern era has it.
    pub(crate) fn finish_input_required(mut self, server: &Value) -> String {
        self.name_server(server);
        let mut members = ObjectText::default();
        members.set("resultType", "\"input_required\"".to_owned());
        members.append(self.members);
        members.set("_meta", self.meta.into_text());
        members.into_text()
    }

    fn name_server(&mut self, server: &Value) {
        if !self.meta.has(SERVER_INFO) {
            self.set_meta(SERVER_INFO, server);
        }
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

/// White space between tokens never has to be a line break, which would end a frame.
/// Inside strings JSON has none.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
