//! Arguments as the tool wants them, after a strict mode made every key required.

use serde_json::Value;

use crate::declare::loss::Side;
use crate::declare::model::{Model, Type};

/// Takes out every null that stands for a key left out: where the tool's own schema neither requires the key nor
/// allows null.
///
/// ```
/// use mortise_contract::declare::without_added_nulls;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}});
/// let arguments = without_added_nulls(&schema, json!({"q": "rust", "limit": null}));
/// assert_eq!(arguments, json!({"q": "rust"}));
/// ```
pub fn without_added_nulls(input_schema: &Value, mut arguments: Value) -> Value {
    let model = Model::of(input_schema, "", Side::Input);
    clean(&mut arguments, &model.root, &model);
    arguments
}

/// Descends only into the arguments, which end.
fn clean(value: &mut Value, kind: &Type, model: &Model) {
    match (kind, value) {
        (Type::Named(name), value) => {
            if let Some(definition) = model.definitions.get(*name) {
                clean(value, &definition.kind, model);
            }
        }
        (Type::Union(members) | Type::Intersection(members), value) => {
            members.iter().for_each(|member| clean(value, member, model));
        }
        (Type::Array(item), Value::Array(values)) => {
            values.iter_mut().for_each(|value| clean(value, item, model));
        }
        (Type::Object(object), Value::Object(members)) => {
            for field in &object.fields {
                let is_null = members.get(&field.key) == Some(&Value::Null);
                if is_null && !field.required && !admits_null(&field.kind, model, 0) {
                    members.shift_remove(&field.key);
                } else if let Some(value) = members.get_mut(&field.key) {
                    clean(value, &field.kind, model);
                }
            }
        }
        _ => {}
    }
}

fn admits_null(kind: &Type, model: &Model, depth: usize) -> bool {
    const DEPTH: usize = 16;
    let inner = |kind: &Type| depth < DEPTH && admits_null(kind, model, depth + 1);
    match kind {
        Type::Null | Type::Unknown | Type::Cut | Type::Literal(Value::Null) => true,
        Type::Named(name) => model.definitions.get(*name).is_some_and(|definition| inner(&definition.kind)),
        Type::Union(members) => members.iter().any(inner),
        Type::Intersection(members) => members.iter().all(inner),
        _ => false,
    }
}
