//! Results that go out as the text we wrote.
//!
//! rmcp's typed results drop fields that they do not know, and numbers pass
//! through an f64. So a result leaves the handler as an empty typed shell whose
//! `_meta` holds the real text under a random key. Beneath rmcp, where its message
//! has become bytes, the shell is replaced by the text.

use std::borrow::Cow;
use std::sync::LazyLock;

use mortise_contract::RawJson;
use rmcp::model::MetaObject;
use serde_json::{Map, Value};

use crate::members::Members;
use crate::{frame, random};

/// Unguessable, so that no content can contain it; never sent.
static KEY: LazyLock<String> = LazyLock::new(|| format!("mortise/raw-{}", random::hex_id()));

/// The `_meta` of a shell that carries `result`.
pub(crate) fn carry(result: &RawJson) -> MetaObject {
    let mut meta = Map::new();
    meta.insert(KEY.clone(), Value::from(result.text()));
    MetaObject(meta)
}

/// Whether a text has a shell in it.
pub(crate) fn is_shell(text: &str) -> bool {
    text.contains(KEY.as_str())
}

/// One JSON-RPC message as rmcp wrote it, with a shell replaced by what it carries.
pub(crate) fn restore(message: &str) -> Cow<'_, str> {
    if !is_shell(message) {
        return Cow::Borrowed(message);
    }
    match carried(message) {
        Some(restored) => Cow::Owned(restored),
        None => Cow::Borrowed(message),
    }
}

fn carried(message: &str) -> Option<String> {
    let envelope = Members::parse(message).ok()?;
    let shell = Members::parse(envelope.get("result")?.get()).ok()?;
    let meta = Members::parse(shell.get("_meta")?.get()).ok()?;
    let text: String = serde_json::from_str(meta.get(&KEY)?.get()).ok()?;
    Some(frame::response_text(envelope.get("id")?.get(), "result", &text))
}
