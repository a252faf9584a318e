//! `x-mcp-header`: an argument that clients repeat in an HTTP header.

use std::collections::HashSet;

use serde_json::Value;

use crate::registration::RegistrationError;

/// Checks every `x-mcp-header` of an input schema: a header token, unique ignoring
/// case, on a string, integer or boolean that is reached through `properties` alone.
pub(crate) fn check(tool: &str, schema: &Value) -> Result<(), RegistrationError> {
    let mut seen = HashSet::new();
    let mut pending = vec![(String::new(), schema, true)];
    while let Some((pointer, node, reachable)) = pending.pop() {
        let children: Vec<(String, &Value)> = match node {
            Value::Object(fields) => fields.iter().map(|(key, value)| (escape(key), value)).collect(),
            Value::Array(items) => {
                items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
            }
            _ => continue,
        };
        if let Some(name) = node.get("x-mcp-header") {
            fault(node, name, reachable, &mut seen).map_or(Ok(()), |reason| {
                Err(RegistrationError::BadHeader { tool: tool.to_owned(), pointer: pointer.clone(), reason })
            })?;
        }
        for (key, child) in children {
            if matches!(key.as_str(), "const" | "enum" | "default" | "examples" | "x-mcp-header") {
                continue;
            }
            let at = format!("{pointer}/{key}");
            if key == "properties" && reachable {
                // The names below are property names, not keywords: step over them.
                if let Value::Object(properties) = child {
                    pending.extend(
                        properties
                            .iter()
                            .map(|(name, value)| (format!("{at}/{}", escape(name)), value, true)),
                    );
                }
            } else {
                pending.push((at, child, false));
            }
        }
    }
    Ok(())
}

fn fault(node: &Value, name: &Value, reachable: bool, seen: &mut HashSet<String>) -> Option<String> {
    let Some(name) = name.as_str() else { return Some("the header name is no string".to_owned()) };
    if name.is_empty() || !name.bytes().all(is_token) {
        return Some(format!("`{}` is no header name", name.escape_debug()));
    }
    if !reachable {
        return Some("not reached through `properties` alone".to_owned());
    }
    if !matches!(node.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
        return Some("the type must be `string`, `integer` or `boolean`".to_owned());
    }
    (!seen.insert(name.to_ascii_lowercase())).then(|| format!("`{name}` is used twice"))
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
