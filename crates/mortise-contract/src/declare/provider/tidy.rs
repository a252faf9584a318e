//! Texts and references of a schema on their way to a provider.

use serde_json::Value;

use crate::declare::loss::{Action, Losses, Severity};
use crate::declare::text::visible;
use crate::excerpt::excerpt;
use crate::json::escape_token;

/// Bytes of the description of one property.
const PROPERTY_DESCRIPTION: usize = 1_024;

/// A tool's description without hidden characters, within a bound.
pub(super) fn description(text: &str, bytes: usize, losses: &mut Losses) -> String {
    cleaned(text, bytes, "", losses)
}

/// The schema with clean descriptions, and without references that the provider could not follow.
pub(super) fn schema(mut schema: Value, losses: &mut Losses) -> Value {
    let root = schema.clone();
    walk(&mut schema, &root, "", losses);
    schema
}

fn walk(schema: &mut Value, root: &Value, pointer: &str, losses: &mut Losses) {
    match schema {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                walk(item, root, &format!("{pointer}/{index}"), losses);
            }
        }
        Value::Object(members) => {
            let lost =
                members.get("$ref").and_then(Value::as_str).filter(|target| !leads_somewhere(root, target));
            if let Some(target) = lost.map(str::to_owned) {
                let reason = format!("`{target}` leads out of the schema, or nowhere");
                losses
                    .add(pointer, "$ref", (Action::Widened, Severity::Error), reason)
                    .fix("copy the definition into `$defs`");
                members.shift_remove("$ref");
            }
            for (key, member) in members.iter_mut() {
                let inner = format!("{pointer}/{}", escape_token(key));
                match (key.as_str(), &mut *member) {
                    ("description" | "title", Value::String(text)) => {
                        *text = cleaned(text, PROPERTY_DESCRIPTION, pointer, losses);
                    }
                    ("const" | "enum" | "default" | "examples", Value::Array(_)) => {}
                    ("const" | "default", _) if !pointer.ends_with("/properties") => {}
                    (_, member) => walk(member, root, &inner, losses),
                }
            }
        }
        _ => {}
    }
}

fn leads_somewhere(root: &Value, target: &str) -> bool {
    match target.strip_prefix('#') {
        Some("") => true,
        // An escape is rare enough to be believed.
        Some(pointer) if pointer.starts_with('/') => pointer.contains('%') || root.pointer(pointer).is_some(),
        // Anchors are the schema's own; whoever reads it looks for them.
        Some(_) => true,
        None => false,
    }
}

fn cleaned(text: &str, bytes: usize, pointer: &str, losses: &mut Losses) -> String {
    let clean = visible(text);
    if clean != text {
        let reason = "characters that a person does not see are left out";
        losses.add(pointer, "description", (Action::Dropped, Severity::Info), reason);
    }
    if clean.len() > bytes {
        let reason = format!("longer than {bytes} bytes");
        losses.add(pointer, "description", (Action::Truncated, Severity::Info), reason);
    }
    excerpt(&clean, bytes)
}
