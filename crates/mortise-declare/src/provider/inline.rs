//! Definitions written where they are used, for clients that drop references.

use mortise_contract::schema::keyword::{Holds, holds};
use mortise_contract::schema::referred;
use serde_json::{Map, Value};

/// Schemas that one property may become.
const SCHEMAS: usize = 2_000;

/// The schema with every reference replaced by what it leads to; nothing where that has no end, or is too much.
pub(super) fn inlined(root: &Value, schema: &Value) -> Option<Value> {
    Inliner { root, open: Vec::new(), left: SCHEMAS }.schema(schema)
}

struct Inliner<'a> {
    root: &'a Value,
    open: Vec<&'a str>,
    left: usize,
}

impl<'a> Inliner<'a> {
    fn schema(&mut self, schema: &'a Value) -> Option<Value> {
        let Value::Object(members) = schema else { return Some(schema.clone()) };
        self.left = self.left.checked_sub(1)?;
        if members.contains_key("$dynamicRef") || members.contains_key("$recursiveRef") {
            return None;
        }
        let mut out = match members.get("$ref").and_then(Value::as_str) {
            Some(link) => self.target(link)?,
            None => Map::new(),
        };
        for (keyword, member) in members.iter().filter(|(keyword, _)| keyword.as_str() != "$ref") {
            let member = match (holds(keyword), member) {
                (Some(Holds::Map), Value::Object(named)) => {
                    let inner = named.iter().map(|(name, schema)| Some((name.clone(), self.schema(schema)?)));
                    Value::Object(inner.collect::<Option<_>>()?)
                }
                (Some(Holds::List | Holds::Schema), Value::Array(list)) => {
                    Value::Array(list.iter().map(|schema| self.schema(schema)).collect::<Option<_>>()?)
                }
                (Some(Holds::Schema), schema) => self.schema(schema)?,
                (_, value) => value.clone(),
            };
            let is_about = matches!(keyword.as_str(), "title" | "description" | "default" | "examples");
            if out.get(keyword).is_some_and(|theirs| !is_about && *theirs != member) {
                // Both hold, and one keyword can't say both.
                return None;
            }
            out.insert(keyword.clone(), member);
        }
        Some(Value::Object(out))
    }

    fn target(&mut self, link: &'a str) -> Option<Map<String, Value>> {
        if self.open.contains(&link) {
            return None;
        }
        let target = referred(self.root, link)?;
        self.open.push(link);
        let inlined = self.schema(target);
        self.open.pop();
        match inlined? {
            Value::Object(mut members) => {
                for keyword in ["$defs", "definitions", "$id", "$anchor", "$schema"] {
                    members.shift_remove(keyword);
                }
                Some(members)
            }
            _ => None,
        }
    }
}
