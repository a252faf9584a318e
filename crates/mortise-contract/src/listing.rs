//! Lists as servers send them, read so that one bad element never hides another.

mod listed;

use std::error::Error;

use serde_json::Value;

use crate::json::{JsonError, JsonKind};
use crate::text::{cut_bytes, error_chain};
use crate::{Contract, RawJson};

pub use listed::{ListKind, Listed, parse_list};

/// One page of a list, read element by element.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// What could be read, in the server's order.
    pub items: Vec<T>,
    /// The elements that could not be read.
    pub rejected: Vec<Rejected>,
    /// `nextCursor`; an empty string is a cursor.
    pub next_cursor: Option<String>,
    /// `ttlMs`.
    pub ttl_ms: Option<u64>,
    /// `cacheScope`.
    pub cache_scope: Option<CacheScope>,
    /// What is not as the protocol wants it in the page itself, e.g. `/ttlMs is "soon"`.
    pub faults: Vec<String>,
}

/// One page of `tools/list`.
pub type ToolPage = Page<Contract>;

/// An element that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Its place in the page.
    pub index: usize,
    /// JSON pointer into the result.
    pub pointer: String,
    /// The error with its causes.
    pub reason: String,
    /// The element as sent.
    pub raw: RawJson,
}

/// Which callers may be served from a cached list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// All callers.
    Public,
    /// Only callers with the same authorization.
    Private,
}

/// Reads the result of `tools/list`; only a text that is not a JSON object is refused.
///
/// ```
/// use mortise_contract::RawJson;
/// use mortise_contract::listing::parse_tool_list;
///
/// let raw = RawJson::parse(r#"{"tools": [{"name": "a"}, {"title": "no name"}, 7], "nextCursor": ""}"#)?;
/// let page = parse_tool_list(&raw)?;
/// assert_eq!(page.items[0].name.as_str(), "a");
/// assert_eq!(page.rejected[0].reason, "the tool has no usable name: `name` is missing");
/// assert_eq!(page.rejected[1].pointer, "/tools/2");
/// assert_eq!(page.next_cursor.as_deref(), Some(""));
/// # Ok::<(), mortise_contract::json::JsonError>(())
/// ```
pub fn parse_tool_list(raw: &RawJson) -> Result<ToolPage, JsonError> {
    parse_page(raw, "tools", Contract::parse)
}

fn parse_page<T, E: Error + 'static>(
    raw: &RawJson,
    list: &str,
    parse: impl Fn(RawJson) -> Result<T, E>,
) -> Result<Page<T>, JsonError> {
    let mut page = Page {
        items: Vec::new(),
        rejected: Vec::new(),
        next_cursor: None,
        ttl_ms: None,
        cache_scope: None,
        faults: Vec::new(),
    };
    let mut has_list = false;
    for (key, member) in raw.members()? {
        match key.as_str() {
            "nextCursor" if member.kind() == JsonKind::Null => {}
            "nextCursor" => {
                page.next_cursor = page.read(&key, &member, |value| value.as_str().map(str::to_owned))
            }
            "ttlMs" => page.ttl_ms = page.read(&key, &member, whole_number),
            "cacheScope" => page.cache_scope = page.read(&key, &member, scope),
            _ if key == list => {
                has_list = true;
                page.read_list(list, &member, &parse);
            }
            _ => {}
        }
    }
    if !has_list {
        page.faults.push(format!("/{list} is missing"));
    }
    Ok(page)
}

fn scope(value: &Value) -> Option<CacheScope> {
    match value.as_str()? {
        "public" => Some(CacheScope::Public),
        "private" => Some(CacheScope::Private),
        _ => None,
    }
}

/// A number without fraction and sign, however it is spelled (`60000.0`).
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the double is a whole number in range"
)]
fn whole_number(value: &Value) -> Option<u64> {
    let whole = |double: &f64| double.fract() == 0.0 && (0.0..9e15).contains(double);
    value.as_u64().or_else(|| value.as_f64().filter(whole).map(|double| double as u64))
}

impl<T> Page<T> {
    fn read<V>(&mut self, key: &str, member: &RawJson, convert: impl Fn(&Value) -> Option<V>) -> Option<V> {
        let converted = member.value().ok().as_ref().and_then(convert);
        if converted.is_none() {
            self.faults.push(format!("/{key} is {}", cut_bytes(member.text(), 80)));
        }
        converted
    }

    fn read_list<E: Error + 'static>(
        &mut self,
        list: &str,
        member: &RawJson,
        parse: impl Fn(RawJson) -> Result<T, E>,
    ) {
        let elements = match member.elements() {
            Ok(elements) => elements,
            Err(JsonError::WrongKind { found, .. }) => {
                return self.faults.push(format!("/{list} is {found}, not an array"));
            }
            Err(error) => return self.faults.push(format!("/{list}: {error}")),
        };
        for (index, raw) in elements.into_iter().enumerate() {
            match parse(raw.clone()) {
                Ok(item) => self.items.push(item),
                Err(error) => {
                    let (pointer, reason) = (format!("/{list}/{index}"), error_chain(&error));
                    self.rejected.push(Rejected { index, pointer, reason, raw });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
