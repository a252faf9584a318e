//! Object-root schemas and values for peers that know no other.

use serde_json::Value;

/// The key under which tools and results are marked as projected.
pub const PROJECTED_META: &str = "mortise/projected";

/// Whether a legacy peer needs this schema wrapped: unless its root is of type `object`, directly or by reference.
pub fn needs_projection(schema: &Value) -> bool {
    let mut root = schema;
    for _ in 0..crate::limits::SCHEMA_REFS {
        if root.get("type").and_then(Value::as_str) == Some("object") {
            return false;
        }
        let target =
            root.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        match target.and_then(|pointer| schema.pointer(pointer)) {
            Some(target) => root = target,
            None => return true,
        }
    }
    true
}

/// `{type: object, properties: {result: S}, required: [result]}` with references rewritten.
pub fn project_schema(schema: &Value) -> Value {
    let mut inner = schema.clone();
    rewrite(&mut inner);
    let dialect = inner.as_object_mut().and_then(|members| members.shift_remove("$schema"));
    let mut projected = serde_json::Map::new();
    if let Some(dialect) = dialect {
        projected.insert("$schema".to_owned(), dialect);
    }
    projected.insert("type".to_owned(), "object".into());
    projected.insert("properties".to_owned(), serde_json::json!({ "result": inner }));
    projected.insert("required".to_owned(), serde_json::json!(["result"]));
    Value::Object(projected)
}

fn rewrite(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (key, member) in members.iter_mut() {
                match (key.as_str(), &mut *member) {
                    ("$ref" | "$dynamicRef", Value::String(reference)) => {
                        if reference == "#" || reference.starts_with("#/") {
                            *reference = format!("#/properties/result{}", &reference[1..]);
                        }
                    }
                    ("const" | "enum" | "default" | "examples", _) => {}
                    _ => rewrite(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite),
        _ => {}
    }
}

/// `{"result": v}`.
pub fn project_value(value: Value) -> Value {
    Value::Object(serde_json::Map::from_iter([("result".to_owned(), value)]))
}
