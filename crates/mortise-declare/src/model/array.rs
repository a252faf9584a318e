//! Arrays and tuples, by dialect.

use mortise_contract::schema::{Dialect, SchemaPlace};
use serde_json::{Map, Value};

use super::Type;
use super::read::ModelReader;

impl<'a> ModelReader<'a, '_> {
    pub(super) fn array(&mut self, place: &SchemaPlace<'a>, keywords: &'a Map<String, Value>) -> Type {
        let prefix = keywords
            .get("prefixItems")
            .and_then(Value::as_array)
            .filter(|_| place.scope.dialect == Dialect::Draft202012);
        let (keyword, prefix, rest) = match (prefix, keywords.get("items")) {
            (Some(prefix), rest) => ("prefixItems", prefix, rest.map(|rest| ("items", rest))),
            // A list under `items` is a tuple up to 2019-09; later ones who write it mean the same.
            (None, Some(Value::Array(prefix))) => {
                ("items", prefix, keywords.get("additionalItems").map(|rest| ("additionalItems", rest)))
            }
            (None, Some(items)) => {
                return Type::Array(Box::new(self.kind(&place.inside(&["items"], items))));
            }
            (None, None) => return Type::Array(Box::new(Type::Unknown)),
        };
        let count = |keyword: &str| keywords.get(keyword).and_then(Value::as_u64);
        let at_most = count("maxItems").and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        let at_least = count("minItems").and_then(|least| usize::try_from(least).ok()).unwrap_or(0);
        let mut items: Vec<Type> = place.list(keyword, prefix).iter().map(|item| self.kind(item)).collect();
        let rest = match rest {
            _ if at_most <= items.len() => None,
            None => Some(Type::Unknown),
            Some((keyword, rest)) => Some(self.kind(&place.inside(&[keyword], rest))),
        };
        items.truncate(at_most);
        Type::Tuple {
            required: at_least.min(items.len()),
            items,
            rest: rest.filter(|rest| *rest != Type::Never).map(Box::new),
        }
    }
}
