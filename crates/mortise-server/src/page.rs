//! Lists in pages, with cursors that survive a change of the list.

use data_encoding::BASE64URL_NOPAD;
use mortise_contract::RawJson;

use crate::ProtocolError;
use crate::limits::PAGE_ENTRIES;

/// Longest cursor that is looked at, in bytes.
const CURSOR_LIMIT: usize = 64 * 1024;

/// A cursor says after which key the next page begins, so that entries that come
/// or go between two pages neither repeat nor hide others.
const PREFIX: &str = "after:";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EntryPage {
    pub(crate) items: RawJson,
    /// Where the next page begins.
    pub(crate) next: Option<String>,
}

/// The page that `cursor` points to, of entries in the order of their keys.
pub(crate) fn page<'a>(
    entries: impl Iterator<Item = (&'a str, &'a RawJson)>,
    cursor: Option<&str>,
) -> Result<EntryPage, ProtocolError> {
    let after = cursor.map(decode).transpose()?;
    let mut rest =
        entries.skip_while(|(key, _)| after.as_deref().is_some_and(|after| *key <= after)).peekable();
    let mut items = Vec::with_capacity(PAGE_ENTRIES);
    let mut last = "";
    while items.len() < PAGE_ENTRIES
        && let Some((key, entry)) = rest.next()
    {
        last = key;
        items.push(entry);
    }
    let next = rest.peek().is_some().then(|| encode(last));
    Ok(EntryPage { items: RawJson::array(items), next })
}

fn encode(key: &str) -> String {
    BASE64URL_NOPAD.encode(format!("{PREFIX}{key}").as_bytes())
}

fn decode(cursor: &str) -> Result<String, ProtocolError> {
    let bad = || ProtocolError::invalid_params("the cursor is not one of ours");
    if cursor.len() > CURSOR_LIMIT {
        return Err(bad());
    }
    let bytes = BASE64URL_NOPAD.decode(cursor.as_bytes()).map_err(|_| bad())?;
    let text = String::from_utf8(bytes).map_err(|_| bad())?;
    text.strip_prefix(PREFIX).map(str::to_owned).ok_or_else(bad)
}

#[cfg(test)]
mod tests;
