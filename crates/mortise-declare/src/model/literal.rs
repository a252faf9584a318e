//! Fixed values: `const` and `enum`.

use mortise_contract::schema::Dialect;
use mortise_contract::schema::SchemaPlace;
use serde_json::{Map, Value};

use super::Type;
use super::algebra::{has_kind, union};
use super::read::ModelReader;
use crate::loss::{Action, Severity};

/// Values of an `enum` shown one by one.
const SHOWN: usize = 50;

impl<'a> ModelReader<'a, '_> {
    /// The fixed values that are left by `type`, if the schema fixes any.
    pub(super) fn fixed(
        &mut self,
        place: &SchemaPlace<'a>,
        keywords: &'a Map<String, Value>,
    ) -> Option<Type> {
        let (keyword, values) = match (keywords.get("const"), keywords.get("enum")) {
            (Some(value), _) if place.scope.dialect != Dialect::Draft4 => {
                ("const", std::slice::from_ref(value))
            }
            (_, Some(Value::Array(values))) => ("enum", values.as_slice()),
            _ => return None,
        };
        let allowed: Vec<&Value> =
            values.iter().filter(|value| fits_type(value, keywords.get("type"))).collect();
        if allowed.is_empty() {
            let reason = match values.is_empty() {
                true => "the list is empty, so no value fits",
                false => "none of the values has the `type` that is asked for",
            };
            self.losses
                .add(&place.pointer, keyword, (Action::Collapsed, Severity::Warn), reason)
                .after("never")
                .fix("list the values that are allowed");
            return Some(Type::Never);
        }
        let mut kinds: Vec<Type> =
            allowed.iter().take(SHOWN).map(|value| Type::Literal((*value).clone())).collect();
        if allowed.len() > SHOWN {
            let reason = format!("{} of {} values are shown", SHOWN, allowed.len());
            self.losses
                .add(&place.pointer, keyword, (Action::Truncated, Severity::Warn), reason)
                .fix("say in the description what the values are");
            kinds.extend(allowed[SHOWN..].iter().map(|value| base(value)));
        }
        Some(union(kinds))
    }
}

/// Whether a value is of one of the types that `type` names, judged by its outermost level.
fn fits_type(value: &Value, kind: Option<&Value>) -> bool {
    let fits = |kind: &str| match kind {
        "string" => has_kind(value, &Type::String),
        "integer" => has_kind(value, &Type::Integer),
        "number" => has_kind(value, &Type::Number),
        "boolean" => has_kind(value, &Type::Boolean),
        "null" => has_kind(value, &Type::Null),
        "object" => value.is_object(),
        "array" => value.is_array(),
        _ => true,
    };
    match kind {
        Some(Value::String(kind)) => fits(kind),
        Some(Value::Array(kinds)) if !kinds.is_empty() => kinds.iter().filter_map(Value::as_str).any(fits),
        _ => true,
    }
}

/// The type that a value is of.
fn base(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::String(_) => Type::String,
        Value::Number(_) => Type::Number,
        Value::Array(_) => Type::Array(Box::new(Type::Unknown)),
        Value::Object(_) => Type::object(Vec::new(), super::Rest::Open),
    }
}
