//! Schemas of older dialects, written as 2020-12 has it.

use std::collections::HashSet;

use mortise_contract::schema::Dialect;
use mortise_contract::schema::keyword::{Holds, KEYWORDS, Keyword, Purpose};
use serde_json::{Map, Value};

use super::schema_walk::each_schema;
use crate::loss::{Action, Losses, Severity};

/// What may stand beside a reference in every dialect.
const BESIDE: [&str; 7] = ["$defs", "definitions", "$schema", "title", "description", "$comment", "examples"];
/// The schema in the words of 2020-12; with the address of its dialect if any of them changed.
pub(super) fn modern(mut schema: Value, losses: &mut Losses) -> Value {
    let dialect = Dialect::of(&schema, Dialect::default()).unwrap_or_default();
    let before = schema.clone();
    let has_anchor = before.to_string().contains("\"$recursiveAnchor\":true");
    each_schema(&mut schema, &HashSet::new(), &mut |members, pointer| {
        let mut work = ModernSchema { members, pointer, dialect, losses };
        work.siblings();
        work.later();
        work.names(has_anchor);
        work.tuples();
        work.bound("minimum", "exclusiveMinimum");
        work.bound("maximum", "exclusiveMaximum");
        work.dependencies();
    });
    if schema != before
        && let Some(Value::String(address)) = schema.get_mut("$schema")
    {
        *address = Dialect::Draft202012.uri().to_owned();
    }
    schema
}

struct ModernSchema<'a> {
    members: &'a mut Map<String, Value>,
    pointer: &'a str,
    dialect: Dialect,
    losses: &'a mut Losses,
}

impl ModernSchema<'_> {
    fn renamed(&mut self, keyword: &str, now: &str) {
        let reason = "providers read 2020-12, which has other words for it";
        self.losses.add(self.pointer, keyword, (Action::Renamed, Severity::Info), reason).after(now);
    }

    /// Nothing counts beside a reference up to draft 7.
    fn siblings(&mut self) {
        if self.dialect.is_legacy() && self.members.get("$ref").is_some_and(Value::is_string) {
            let before = self.members.len();
            self.members.retain(|keyword, _| keyword == "$ref" || BESIDE.contains(&keyword.as_str()));
            if self.members.len() < before {
                let reason = "up to draft 7 nothing counts beside it; what stood there is left out";
                self.losses.add(self.pointer, "$ref", (Action::Dropped, Severity::Info), reason);
            }
        }
    }

    /// Anchors are a part of addresses up to draft 7; what refers to the nearest root does so with `$ref`.
    fn names(&mut self, has_anchor: bool) {
        let id = self.dialect.id_keyword();
        if self.dialect.is_legacy()
            && let Some(Value::String(address)) = self.members.get(id)
        {
            let address = address.clone();
            let (address, anchor) = address.split_once('#').unwrap_or((&address, ""));
            if id != "$id" || !anchor.is_empty() {
                self.renamed(id, "$id and $anchor");
                self.members.shift_remove(id);
                for (keyword, text) in [("$id", address), ("$anchor", anchor)] {
                    if !text.is_empty() {
                        self.members.insert(keyword.to_owned(), text.into());
                    }
                }
            }
        }
        if self.dialect == Dialect::Draft201909 {
            if self.members.shift_remove("$recursiveAnchor").is_some() {
                self.renamed("$recursiveAnchor", "");
            }
            if self.members.contains_key("$recursiveRef") && has_anchor {
                let reason = "it can lead to several places; the nearest is meant";
                self.losses.add(self.pointer, "$recursiveRef", (Action::Assumed, Severity::Info), reason);
            }
            if !self.members.contains_key("$ref") {
                self.rename("$recursiveRef", "$ref");
            }
        }
    }

    fn rename(&mut self, keyword: &str, now: &str) {
        if let Some(value) = self.members.shift_remove(keyword) {
            self.members.insert(now.to_owned(), value);
            self.renamed(keyword, now);
        }
    }

    /// A list of `items` is a tuple in whatever dialect: no other reading is left.
    fn tuples(&mut self) {
        let Some(Value::Array(items)) = self.members.get("items") else { return };
        let is_empty = items.is_empty();
        // Where both stand, the list is the one that the dialect does not know.
        if is_empty || (self.members.contains_key("prefixItems") && self.dialect == Dialect::Draft202012) {
            self.members.shift_remove("items");
            self.renamed("items", "");
        } else {
            self.members.shift_remove("prefixItems");
            self.rename("items", "prefixItems");
        }
        self.rename("additionalItems", "items");
    }

    /// Draft 4 says with true that the bound itself does not count.
    fn bound(&mut self, keyword: &str, exclusive: &str) {
        let Some(Value::Bool(is_exclusive)) = self.members.get(exclusive) else { return };
        let is_exclusive = *is_exclusive;
        self.members.shift_remove(exclusive);
        self.renamed(exclusive, if is_exclusive { exclusive } else { keyword });
        if let Some(bound) = self.members.get(keyword).cloned().filter(|_| is_exclusive) {
            self.members.shift_remove(keyword);
            self.members.insert(exclusive.to_owned(), bound);
        }
    }

    fn dependencies(&mut self) {
        if !self.dialect.is_legacy() {
            return;
        }
        let Some(Value::Object(found)) = self.members.get("dependencies").cloned() else { return };
        self.members.shift_remove("dependencies");
        self.renamed("dependencies", "dependentRequired and dependentSchemas");
        let (names, schemas): (Map<_, _>, Map<_, _>) =
            found.into_iter().partition(|(_, value)| value.is_array());
        for (keyword, part) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
            if !part.is_empty() {
                self.members.insert(keyword.to_owned(), part.into());
            }
        }
    }

    /// Words that the dialect does not know yet are taken to mean what they mean now.
    fn later(&mut self) {
        let is_later = |row: &&Keyword| {
            let matters = row.can_refuse() && row.purpose != Purpose::Format || row.holds == Holds::Anchor;
            matters && row.since > self.dialect
        };
        for keyword in KEYWORDS.iter().filter(is_later).map(|row| row.name) {
            if self.members.contains_key(keyword) {
                let reason =
                    format!("the schema says that it is of {}, which does not know it", self.dialect);
                self.losses.add(self.pointer, keyword, (Action::Assumed, Severity::Info), reason);
            }
        }
    }
}
