//! What a schema says about a value beside its type.

use mortise_contract::json::canonical_text;
use mortise_contract::schema::keyword::KEYWORDS;
use serde_json::{Map, Value};

/// A description, and the bounds that a type can't hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Doc {
    /// `description`.
    pub(crate) description: Option<String>,
    /// `integer`, `@min 1`, `@format date` and the like.
    pub(crate) tags: Vec<String>,
}

/// The name of whole numbers, where a language has none.
pub(crate) const INTEGER: &str = "integer";
/// The words for a union of which exactly one branch may fit.
pub(super) const EXACTLY_ONE: &str = "exactly one of these";

impl Doc {
    /// Reads the keywords of one schema.
    pub(super) fn of(keywords: &Map<String, Value>) -> Self {
        let text =
            |key: &str| keywords.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let mut tags = Vec::new();
        if says_integer(keywords.get("type")) {
            tags.push(INTEGER.to_owned());
        }
        for (keyword, tag) in KEYWORDS.iter().filter_map(|row| Some((row.name, row.tag?))) {
            match keywords.get(keyword) {
                // Draft 4 says with true that `minimum` itself does not count.
                None | Some(Value::Bool(_)) if keyword != "default" => {}
                None => {}
                Some(Value::String(text)) if keyword != "default" => tags.push(format!("{tag} {text}")),
                Some(value) => tags.push(format!("{tag} {}", canonical_text(value))),
            }
        }
        if keywords.get("uniqueItems") == Some(&Value::Bool(true)) {
            tags.push("@uniqueItems".to_owned());
        }
        if let Some(Value::Object(patterns)) = keywords.get("patternProperties") {
            let mut patterns: Vec<&str> = patterns.keys().map(String::as_str).collect();
            patterns.sort_unstable();
            tags.extend((!patterns.is_empty()).then(|| format!("@keys {}", patterns.join(" "))));
        }
        if keywords.get("deprecated") == Some(&Value::Bool(true)) {
            tags.push("@deprecated".to_owned());
        }
        Self { description: text("description").map(str::to_owned), tags }
    }

    /// What `other` says where this says nothing.
    pub(crate) fn or(mut self, other: Self) -> Self {
        self.description = self.description.or(other.description);
        for tag in other.tags {
            if !self.tags.contains(&tag) {
                self.tags.push(tag);
            }
        }
        self
    }
}

fn says_integer(kind: Option<&Value>) -> bool {
    match kind {
        Some(Value::String(kind)) => kind == "integer",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "integer"),
        _ => false,
    }
}
