//! Lists that come in pages, read to the end and no further.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::json::{JsonError, RawObject};
use mortise_contract::text::cut;
use mortise_contract::{RawJson, ServerName};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::CallError;
use crate::limits;
use crate::wire::{Exchange, RecordedExchange, UpstreamConnection, Wait};

/// One of the lists of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListMethod {
    pub(crate) method: &'static str,
    /// The member of the result that holds the elements.
    pub(crate) member: &'static str,
}

pub(crate) const TOOLS: ListMethod = ListMethod { method: "tools/list", member: "tools" };
pub(crate) const RESOURCES: ListMethod = ListMethod { method: "resources/list", member: "resources" };
pub(crate) const TEMPLATES: ListMethod =
    ListMethod { method: "resources/templates/list", member: "resourceTemplates" };
pub(crate) const PROMPTS: ListMethod = ListMethod { method: "prompts/list", member: "prompts" };

/// Reads lists of one connection.
pub(crate) struct ListReader<'a> {
    pub(crate) connection: &'a UpstreamConnection,
    pub(crate) server: &'a ServerName,
    /// Receives the frames of every page.
    pub(crate) record: Option<&'a mpsc::Sender<RecordedExchange>>,
}

impl ListReader<'_> {
    /// Reads a list with all its pages: at most 1,000 of them, 50,000 elements and 30 s.
    pub(crate) async fn read_all(
        &self,
        list: ListMethod,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Vec<RawJson>, CallError> {
        let timeout = timeout.min(limits::LIST_TIME);
        let wait = Wait { deadline: Instant::now() + timeout, timeout, cancel: cancel.clone() };
        let endless =
            |detail: String| CallError::Paging { server: self.server.clone(), method: list.method, detail };
        let mut elements = Vec::new();
        let mut seen = HashSet::new();
        let mut cursor: Option<String> = None;
        for _page in 0..limits::LIST_PAGES {
            let mut params = RawObject::default();
            if let Some(cursor) = &cursor {
                params.set("cursor", RawJson::string(cursor));
            }
            let mut exchange = Exchange::new(list.method, params);
            exchange.record = self.record.is_some();
            let exchange = Arc::new(exchange);
            let answered = self.connection.request(exchange.clone(), list.method, &wait).await;
            if let Some(record) = self.record {
                let _ = record.try_send(exchange.recorded());
            }
            let raw = answered?;
            let page = ListPage::read(&raw, list).map_err(|error| CallError::Protocol {
                server: self.server.clone(),
                subject: list.method.to_owned(),
                detail: error.to_string(),
            })?;
            elements.extend(page.elements);
            if elements.len() > limits::LIST_TOOLS {
                return Err(endless(format!("more than {} elements", limits::LIST_TOOLS)));
            }
            let Some(next) = page.next else { return Ok(elements) };
            if next.len() > limits::CURSOR_BYTES {
                return Err(endless(format!("a cursor of more than {} bytes", limits::CURSOR_BYTES)));
            }
            if !seen.insert(next.clone()) {
                return Err(endless(format!("the cursor {:?} came twice", cut(&next, 64))));
            }
            cursor = Some(next);
        }
        Err(endless(format!("more than {} pages", limits::LIST_PAGES)))
    }
}

/// One page, its elements untouched.
struct ListPage {
    elements: Vec<RawJson>,
    next: Option<String>,
}

/// Why a page can't be used.
#[derive(Debug, thiserror::Error)]
enum ListPageError {
    #[error(transparent)]
    NotAnObject(JsonError),
    #[error("`/{member}`: {source}")]
    Elements { member: &'static str, source: JsonError },
    #[error("`/{member}` is missing")]
    Missing { member: &'static str },
    #[error("`/nextCursor` is not a string")]
    Cursor,
}

impl ListPage {
    fn read(raw: &RawJson, list: ListMethod) -> Result<Self, ListPageError> {
        let member = list.member;
        let mut elements = None;
        let mut next = None;
        for (key, value) in raw.members().map_err(ListPageError::NotAnObject)? {
            if key == member {
                let found = value.elements();
                elements = Some(found.map_err(|source| ListPageError::Elements { member, source })?);
            } else if key == "nextCursor" && value.text() != "null" {
                let cursor = serde_json::from_str::<String>(value.text());
                next = Some(cursor.map_err(|_| ListPageError::Cursor)?);
            }
        }
        let elements = elements.ok_or(ListPageError::Missing { member })?;
        Ok(Self { elements, next })
    }
}
