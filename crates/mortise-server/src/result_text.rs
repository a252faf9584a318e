//! A result, put together from the texts of its parts, so that no number passes through a parser.

use mortise_contract::json::RawObject;
use mortise_contract::{Era, RawJson};
use serde_json::Value;

use crate::Content;
use crate::client::Client;

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
    pub(crate) members: RawObject,
    pub(crate) meta: RawObject,
}

impl ResultText {
    pub(crate) fn new(members: impl IntoIterator<Item = (&'static str, RawJson)>) -> Self {
        let members = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { members, meta: RawObject::default() }
    }

    pub(crate) fn tool(
        content: &[Content],
        structured: Option<RawJson>,
        is_error: bool,
        meta: RawObject,
    ) -> Self {
        let mut members = vec![("content", content_array(content))];
        members.extend(structured.map(|value| ("structuredContent", value)));
        members.extend(is_error.then(|| ("isError", RawJson::from(&Value::Bool(true)))));
        Self { meta, ..Self::new(members) }
    }

    /// A result object as another server wrote it.
    pub(crate) fn verbatim(raw: &RawJson) -> Self {
        let mut members = RawObject::of(raw).unwrap_or_default();
        // Added again in the form that our own client's era has.
        members.remove("resultType");
        let meta = members.get("_meta").and_then(RawObject::of);
        if meta.is_some() {
            members.remove("_meta");
        }
        Self { members, meta: meta.unwrap_or_default() }
    }

    /// The whole object for a client: `resultType`, cache hints and the server's name where its era has them.
    pub(crate) fn finish(mut self, client: &Client, cache: Cache, server: &Value) -> RawJson {
        let mut whole = RawObject::default();
        if client.era() == Era::Modern {
            whole.set("resultType", RawJson::string("complete"));
            self.name_server(server);
        }
        whole.extend(self.members);
        if client.era() == Era::Modern
            && let Cache::Private(ttl) | Cache::Public(ttl) = cache
        {
            let scope = if matches!(cache, Cache::Public(_)) { "public" } else { "private" };
            whole.set("ttlMs", RawJson::from(&Value::from(ttl)));
            whole.set("cacheScope", RawJson::string(scope));
        }
        if !self.meta.is_empty() {
            whole.set("_meta", self.meta.into_json());
        }
        whole.into_json().on_one_line()
    }

    /// The whole object of a result that is not the last word, `input_required` or `task`; only the modern era has
    /// such.
    pub(crate) fn finish_as(mut self, result_type: &str, server: &Value) -> RawJson {
        self.name_server(server);
        let mut whole = RawObject::default().with("resultType", RawJson::string(result_type));
        whole.extend(self.members);
        whole.with("_meta", self.meta.into_json()).into_json().on_one_line()
    }

    fn name_server(&mut self, server: &Value) {
        if self.meta.get(SERVER_INFO).is_none() {
            self.meta.set(SERVER_INFO, server.into());
        }
    }
}

/// Content blocks as a JSON array.
pub(crate) fn content_array(content: &[Content]) -> RawJson {
    let blocks: Vec<RawJson> = content.iter().map(Content::to_json).collect();
    RawJson::array(&blocks)
}
