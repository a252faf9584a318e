//! Bounds of arguments: `limit=500` where a tool declares `maximum: 50`.

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
            return number_bound(number, schema);
        }
        match value {
            Expr::List(list) if !list.elts.iter().any(Expr::is_starred_expr) => {
                count_bound(list.elts.len(), schema, ["minItems", "maxItems"], "values")
            }
            Expr::List(_) => None,
            value => {
                let text = self.evidence.types.text(value).filter(|_| self.is_constant(value))?;
                count_bound(text.chars().count(), schema, ["minLength", "maxLength"], "characters")
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

fn number_bound(number: f64, schema: &Value) -> Option<String> {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let shown = |keyword: &str| schema.get(keyword).map(Value::to_string).unwrap_or_default();
    [
        ("maximum", "at most", bound("maximum").is_some_and(|most| number > most)),
        ("minimum", "at least", bound("minimum").is_some_and(|least| number < least)),
        ("exclusiveMaximum", "less than", bound("exclusiveMaximum").is_some_and(|end| number >= end)),
        ("exclusiveMinimum", "more than", bound("exclusiveMinimum").is_some_and(|start| number <= start)),
    ]
    .into_iter()
    .find_map(|(keyword, words, is_broken)| is_broken.then(|| format!("{words} {}", shown(keyword))))
}

fn count_bound(count: usize, schema: &Value, [least, most]: [&str; 2], what: &str) -> Option<String> {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    let is = |keyword: &str, is_broken: fn(u64, u64) -> bool| {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        bound(keyword).filter(|bound| is_broken(count, *bound))
    };
    let least = is(least, |count, least| count < least).map(|least| format!("at least {least} {what}"));
    least.or_else(|| is(most, |count, most| count > most).map(|most| format!("at most {most} {what}")))
}

/// A schema behind references and `anyOf` with null; none where several others are left.
pub(crate) fn resolved<'v>(schema: &'v Value, root: &'v Value) -> Option<&'v Value> {
    let mut schema = schema;
    for _ in 0..LEVELS {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            schema = root.pointer(reference.strip_prefix('#')?)?;
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
    use serde_json::{Value, json};

    use super::{count_bound, number_bound, resolved};

    #[test]
    fn numbers_and_lengths_have_bounds() {
        let schema = json!({ "minimum": 1, "maximum": 50 });
        let rows = [(0.0, Some("at least 1")), (1.0, None), (50.0, None), (50.5, Some("at most 50"))];
        for (number, expected) in rows {
            assert_eq!(number_bound(number, &schema).as_deref(), expected, "{number}");
        }
        let schema = json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1, "maximum": true });
        let rows = [(0.0, Some("more than 0")), (0.5, None), (1.0, Some("less than 1"))];
        for (number, expected) in rows {
            assert_eq!(number_bound(number, &schema).as_deref(), expected, "{number}");
        }
        let schema = json!({ "minLength": 1, "maxLength": 3 });
        let rows = [(0, Some("at least 1 letters")), (3, None), (4, Some("at most 3 letters"))];
        for (count, expected) in rows {
            let found = count_bound(count, &schema, ["minLength", "maxLength"], "letters");
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
