//! Lists that somebody recorded: what `tools/list` answered, or what `mortise tools --json` printed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{About, LockError, LockFile, Snapshot};
use crate::RawJson;

/// Why a file holds no contracts.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum RecordedError {
    /// It is a lock file, and a broken one.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// It is not JSON.
    #[error("this is not JSON")]
    NotJson {
        #[source]
        source: serde_json::Error,
    },
    /// There are no tools in it.
    #[error("there is no list of tools in it")]
    NoTools,
    /// A list element is not a tool.
    #[error("element {position} of the list is not a tool: it has no name")]
    NotATool {
        /// Its place in the list.
        position: usize,
    },
}

/// Reads a lock file or a recorded list; a list is of the server `name` unless it says otherwise.
///
/// Lists are the result of `tools/list` with or without its JSON-RPC frame, the bare array, the
/// output of `mortise tools --json`, or an object with the results of several methods:
/// `initialize`, `tools`, `resources`, `resourceTemplates` and `prompts`.
pub fn read_recorded(text: &str, name: &str) -> Result<LockFile, RecordedError> {
    let value: Value = serde_json::from_str(text).map_err(|source| RecordedError::NotJson { source })?;
    if value.get("format").is_some_and(|format| format == LockFile::FORMAT) {
        return Ok(LockFile::parse(text)?);
    }
    let mut value = unframed(value);
    if let Value::Array(_) = value {
        value = serde_json::json!({ "tools": value });
    }
    let Value::Object(mut lists) = value else { return Err(RecordedError::NoTools) };
    let tools = list(&mut lists, &["tools"]).ok_or(RecordedError::NoTools)?;
    if let Some(position) = tools.iter().position(|tool| !tool.get("name").is_some_and(Value::is_string)) {
        return Err(RecordedError::NotATool { position });
    }
    let servers = match lists.contains_key("servers") {
        true => by_server(tools, name),
        false => BTreeMap::from([(name.to_owned(), one(&mut lists, tools))]),
    };
    Ok(LockFile { servers })
}

/// The tools of a lock file or a recorded list by server, each verbatim and in the order of the file.
///
/// Takes what [`read_recorded`] takes. An element that is not a tool is among them; it is for the caller to say so.
pub fn recorded_tools(text: &str, name: &str) -> Result<Vec<(String, Vec<RawJson>)>, RecordedError> {
    // Says what is wrong with a file in the words of the other commands.
    let known = read_recorded(text, name);
    if let Err(error) = known
        && !matches!(error, RecordedError::NotATool { .. })
    {
        return Err(error);
    }
    let whole = RawJson::parse(text).map_err(|_| RecordedError::NoTools)?;
    let of = |raw: &RawJson| raw.member("tools").and_then(|tools| tools.elements().ok());
    if whole
        .member("format")
        .is_some_and(|format| format.value().is_ok_and(|format| format == LockFile::FORMAT))
    {
        let servers = whole.member("servers").and_then(|servers| servers.members().ok()).unwrap_or_default();
        return Ok(servers.iter().filter_map(|(server, entry)| Some((server.clone(), of(entry)?))).collect());
    }
    let whole = unframed_raw(whole);
    let tools = whole.elements().ok().or_else(|| {
        let tools = unframed_raw(whole.member("tools")?);
        tools.elements().ok().or_else(|| of(&tools))
    });
    let tools = tools.ok_or(RecordedError::NoTools)?;
    if whole.member("servers").is_none() {
        return Ok(vec![(name.to_owned(), tools)]);
    }
    let mut servers: Vec<(String, Vec<RawJson>)> = Vec::new();
    for tool in tools {
        let server = tool.member("server").and_then(|server| server.value().ok());
        let server = server.as_ref().and_then(Value::as_str).unwrap_or(name).to_owned();
        match servers.iter_mut().find(|(known, _)| *known == server) {
            Some((_, tools)) => tools.push(tool),
            None => servers.push((server, vec![tool])),
        }
    }
    Ok(servers)
}

fn unframed_raw(raw: RawJson) -> RawJson {
    match raw.member("jsonrpc") {
        Some(_) => raw.member("result").unwrap_or(raw),
        None => raw,
    }
}

/// The result inside a JSON-RPC answer.
fn unframed(value: Value) -> Value {
    match value {
        Value::Object(mut frame) if frame.contains_key("jsonrpc") && frame.contains_key("result") => {
            frame.shift_remove("result").unwrap_or_default()
        }
        other => other,
    }
}

fn list(lists: &mut Map<String, Value>, names: &[&str]) -> Option<Vec<Map<String, Value>>> {
    let value = names.iter().find_map(|name| lists.shift_remove(*name))?;
    let items = match unframed(value) {
        Value::Array(items) => items,
        Value::Object(mut result) => match names.iter().find_map(|name| result.shift_remove(*name))? {
            Value::Array(items) => items,
            _ => return None,
        },
        _ => return None,
    };
    // An element that is not an object stays in its place, and is found there to have no name.
    Some(items.into_iter().map(|item| item.as_object().cloned().unwrap_or_default()).collect())
}

fn one(lists: &mut Map<String, Value>, tools: Vec<Map<String, Value>>) -> Snapshot {
    let initialized = lists.shift_remove("initialize").map(unframed).unwrap_or_default();
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let about = initialized
        .get("serverInfo")
        .map(|info| About { name: text(info, "name"), version: text(info, "version") });
    let mut snapshot = Snapshot {
        about,
        protocol_version: text(&initialized, "protocolVersion"),
        capabilities: initialized.get("capabilities").and_then(Value::as_object).cloned(),
        instructions: initialized.is_object().then(|| text(&initialized, "instructions").unwrap_or_default()),
        tools,
        resources: list(lists, &["resources"]),
        resource_templates: list(lists, &["resourceTemplates", "resource_templates"]),
        prompts: list(lists, &["prompts"]),
        ..Snapshot::default()
    };
    snapshot.sort();
    snapshot
}

/// The server of a tool, which `mortise tools --json` adds to each.
fn by_server(tools: Vec<Map<String, Value>>, name: &str) -> BTreeMap<String, Snapshot> {
    let mut servers: BTreeMap<String, Snapshot> = BTreeMap::new();
    for mut tool in tools {
        tool.shift_remove("callable");
        let server = match tool.shift_remove("server") {
            Some(Value::String(server)) => server,
            _ => name.to_owned(),
        };
        servers.entry(server).or_default().tools.push(tool);
    }
    servers.values_mut().for_each(Snapshot::sort);
    servers
}
