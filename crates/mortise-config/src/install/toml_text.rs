//! Our entry in TOML.

use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::{ENTRY_NAME, TextError};

/// The file with our entry under this key.
pub(super) fn add(text: &str, keys: &[&str], entry: &Map<String, Value>) -> Result<String, TextError> {
    let mut document = parse(text)?;
    let mut wanted = read(text)?;
    let [key] = keys else { return Err(TextError::Layout) };
    let servers = document.entry(key).or_insert_with(|| {
        let mut servers = Table::new();
        // Without a header of its own: `[mcp_servers.mortise]` says it all.
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let servers = servers.as_table_like_mut().ok_or(TextError::Layout)?;
    match servers.get_mut(ENTRY_NAME).and_then(Item::as_table_like_mut) {
        // The user's own keys of the entry stay.
        Some(known) => fill(known, entry),
        None => {
            let mut table = Table::new();
            fill(&mut table, entry);
            servers.insert(ENTRY_NAME, Item::Table(table));
        }
    }
    let after = document.to_string();
    let found = read(&after)?;
    let ours =
        found.get(*key).and_then(|servers| servers.get(ENTRY_NAME)).cloned().ok_or(TextError::Layout)?;
    let servers = wanted.entry(*key).or_insert_with(|| toml::Value::Table(toml::Table::new()));
    servers.as_table_mut().ok_or(TextError::Layout)?.insert(ENTRY_NAME.to_owned(), ours);
    if found == wanted { Ok(after) } else { Err(TextError::Layout) }
}

/// Our entry as it stands there, and the file without it; `None` where it has none.
pub(super) fn remove(text: &str, keys: &[&str]) -> Result<Option<(String, String)>, TextError> {
    let mut document = parse(text)?;
    let mut wanted = read(text)?;
    let [key] = keys else { return Err(TextError::Layout) };
    let Some(servers) = document.get_mut(key).and_then(Item::as_table_like_mut) else { return Ok(None) };
    let Some(entry) = servers.remove(ENTRY_NAME) else { return Ok(None) };
    let left = wanted.get_mut(*key).and_then(toml::Value::as_table_mut).ok_or(TextError::Layout)?;
    left.remove(ENTRY_NAME);
    let is_empty = left.is_empty();
    if is_empty {
        wanted.remove(*key);
        document.remove(key);
    }
    let after = document.to_string();
    if read(&after)? != wanted {
        return Err(TextError::Layout);
    }
    let mut shown = DocumentMut::new();
    let mut parent = Table::new();
    parent.set_implicit(true);
    parent.insert(ENTRY_NAME, entry);
    shown.insert(key, Item::Table(parent));
    Ok(Some((shown.to_string().trim().to_owned(), after)))
}

/// The lines of our entry alone.
pub(super) fn shown(keys: &[&str], entry: &Map<String, Value>) -> String {
    add("", keys, entry).unwrap_or_default().trim_end().to_owned()
}

fn parse(text: &str) -> Result<DocumentMut, TextError> {
    text.parse().map_err(|error: toml_edit::TomlError| TextError::Syntax(error.message().to_owned()))
}

fn read(text: &str) -> Result<toml::Table, TextError> {
    toml::from_str(text).map_err(|error: toml::de::Error| TextError::Syntax(error.message().to_owned()))
}

fn fill(table: &mut dyn TableLike, entry: &Map<String, Value>) {
    for (key, wanted) in entry {
        let item = match wanted {
            Value::String(text) => value(text.as_str()),
            Value::Number(number) => value(number.as_i64().unwrap_or_default()),
            Value::Array(items) => value(items.iter().filter_map(Value::as_str).collect::<Array>()),
            _ => continue,
        };
        match table.get_mut(key) {
            // A time that the user has chosen stays.
            Some(_) if wanted.is_number() => {}
            Some(known) => replace(known, item),
            None => _ = table.insert(key, item),
        }
    }
}

/// Replaces a value; a comment beside it stays.
fn replace(known: &mut Item, mut with: Item) {
    if let (Some(known), Some(with)) = (known.as_value(), with.as_value_mut()) {
        *with.decor_mut() = known.decor().clone();
    }
    *known = with;
}
