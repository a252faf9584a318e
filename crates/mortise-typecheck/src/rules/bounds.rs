//! Bounds of arguments: `limit=500` where a tool declares `maximum: 50`.

use mortise_contract::json::JsonKind;
use mortise_contract::schema::keyword::broken_bound;
use mortise_contract::schema::referred;
use ruff_python_ast::{Expr, Number, UnaryOp};
use serde_json::Value;

use crate::evidence::origins::ValueOrigin;
use crate::walk::Scene;

/// References and choices that are looked behind.
const LEVELS: usize = 8;

impl<'a> Scene<'a> {
    /// What a schema takes, in words, where a value is surely out of its bounds.
    pub(crate) fn out_of_bounds(&self, value: &Expr, schema: &Value) -> Option<String> {
        if let Some(number) = self.number(value) {
            return broken(number, JsonKind::Number, schema, "");
        }
        match value {
            Expr::List(list) if !list.elts.iter().any(Expr::is_starred_expr) => {
                broken(list.elts.len() as f64, JsonKind::Array, schema, " values")
            }
            Expr::List(_) => None,
            value => {
                let text = self.evidence.types.text(value).filter(|_| self.is_constant(value))?;
                broken(text.chars().count() as f64, JsonKind::String, schema, " characters")
            }
        }
    }

    /// The number that an expression surely is.
    fn number(&self, value: &Expr) -> Option<f64> {
        match value {
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(int) => int.as_i64().map(|int| int as f64),
                Number::Float(float) => Some(*float),
                Number::Complex { .. } => None,
            },
            Expr::UnaryOp(operation) if operation.op == UnaryOp::USub => {
                Some(-self.number(&operation.operand)?)
            }
            Expr::Name(name) => match self.evidence.origins.name(name.id.as_str()) {
                [ValueOrigin::Value(value)] if !value.is_name_expr() => self.number(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a value is written out, or a name that only ever gets one value.
    fn is_constant(&self, value: &Expr) -> bool {
        match value {
            Expr::Name(name) => {
                matches!(self.evidence.origins.name(name.id.as_str()), [ValueOrigin::Value(_)])
            }
            value => value.is_string_literal_expr(),
        }
    }
}

/// The first bound that an amount breaks: `at most 50 characters`.
fn broken(amount: f64, kind: JsonKind, schema: &Value, what: &str) -> Option<String> {
    let (keyword, number) = broken_bound(schema, kind, amount)?;
    Some(format!("{} {number}{what}", keyword.bound?.words()))
}

/// A schema behind references and `anyOf` with null; none where several others are left.
pub(crate) fn resolved<'v>(schema: &'v Value, root: &'v Value) -> Option<&'v Value> {
    let mut schema = schema;
    for _ in 0..LEVELS {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            schema = referred(root, reference)?;
            continue;
        }
        let branches = ["anyOf", "oneOf", "allOf"].iter().find_map(|keyword| schema.get(keyword)?.as_array());
        let Some(branches) = branches else { return Some(schema) };
        let is_null = |branch: &&Value| branch.get("type").and_then(Value::as_str) == Some("null");
        let mut others = branches.iter().filter(|branch| !is_null(branch));
        schema = others.next().filter(|_| others.next().is_none())?;
    }
    None
}

#[cfg(test)]
mod tests {
    use mortise_contract::json::JsonKind;
    use serde_json::{Value, json};

    use super::{broken, resolved};

    #[test]
    fn numbers_and_lengths_have_bounds() {
        let schema = json!({ "minimum": 1, "maximum": 50 });
        let rows = [(0.0, Some("at least 1")), (1.0, None), (50.0, None), (50.5, Some("at most 50"))];
        for (number, expected) in rows {
            assert_eq!(broken(number, JsonKind::Number, &schema, "").as_deref(), expected, "{number}");
        }
        let schema = json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1, "maximum": true });
        let rows = [(0.0, Some("more than 0")), (0.5, None), (1.0, Some("less than 1"))];
        for (number, expected) in rows {
            assert_eq!(broken(number, JsonKind::Number, &schema, "").as_deref(), expected, "{number}");
        }
        let schema = json!({ "minLength": 1, "maxLength": 3 });
        let rows = [(0, Some("at least 1 letters")), (3, None), (4, Some("at most 3 letters"))];
        for (count, expected) in rows {
            let found = broken(f64::from(count), JsonKind::String, &schema, " letters");
            assert_eq!(found.as_deref(), expected, "{count}");
        }
    }

    #[test]
    fn bounds_are_found_behind_references_and_beside_null() {
        let root = json!({ "$defs": { "Limit": { "maximum": 5 } } });
        let five = json!({ "maximum": 5 });
        for schema in [
            json!({ "$ref": "#/$defs/Limit" }),
            json!({ "anyOf": [{ "$ref": "#/$defs/Limit" }, { "type": "null" }] }),
        ] {
            assert_eq!(resolved(&schema, &root), Some(&five), "{schema}");
        }
        let several = json!({ "anyOf": [{ "maximum": 5 }, { "type": "string" }] });
        assert_eq!(resolved(&several, &root), None::<&Value>);
    }
}
