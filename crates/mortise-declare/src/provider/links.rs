//! References of a schema on their way to a provider: from the root of the one document that it gets, or none.

use std::collections::HashSet;
use std::fmt::Write as _;

use mortise_contract::schema::SchemaDocument;
use serde_json::{Map, Value};

use super::schema_walk::{each_schema, inside};
use crate::loss::{Action, Losses, Severity};

/// The schema with every reference counted from its root and none that leads nowhere, and the places that they lead to.
pub(super) fn settle(mut schema: Value, losses: &mut Losses) -> (Value, HashSet<String>) {
    let root = schema.clone();
    let document = SchemaDocument::new(&root);
    let mut links =
        Links { document: &document, targets: HashSet::new(), is_linked: false, is_dynamic: false };
    links.look("", &root);
    if links.is_linked {
        each_schema(&mut schema, &links.targets, &mut |members, pointer| {
            links.settle(members, pointer, losses);
        });
    }
    (schema, links.targets)
}

struct Links<'a, 'd> {
    document: &'d SchemaDocument<'a>,
    targets: HashSet<String>,
    /// Whether anything refers, and whether to other places for other values; addresses then stay as they are.
    is_linked: bool,
    is_dynamic: bool,
}

impl Links<'_, '_> {
    /// Notes where everything leads that looks like a reference.
    fn look(&mut self, pointer: &str, value: &Value) {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.look(&format!("{pointer}/{index}"), item);
                }
            }
            Value::Object(members) => {
                if let Some(target) = members.get("$ref").and_then(|link| self.target(pointer, link)) {
                    self.targets.insert(target);
                }
                self.is_linked |= members.contains_key("$ref");
                self.is_dynamic |=
                    ["$dynamicRef", "$recursiveRef"].iter().any(|keyword| members.contains_key(*keyword));
                for (key, member) in members {
                    self.look(&inside(pointer, key), member);
                }
            }
            _ => {}
        }
    }

    /// The place that a reference at `pointer` leads to.
    fn target(&self, pointer: &str, reference: &Value) -> Option<String> {
        let from = self.document.place(pointer)?.scope;
        self.document.target(&from, reference.as_str()?).map(|place| place.pointer)
    }

    fn settle(&self, members: &mut Map<String, Value>, pointer: &str, losses: &mut Losses) {
        let is_outermost = self.document.place(pointer).is_none_or(|place| place.scope.is_outermost());
        if let Some(Value::String(reference)) = members.get("$ref") {
            let reference = reference.clone();
            match self.target(pointer, &Value::from(reference.as_str())) {
                None => {
                    let reason = format!("`{reference}` leads out of the schema, or nowhere");
                    losses
                        .add(pointer, "$ref", (Action::Widened, Severity::Error), reason)
                        .fix("copy the definition into `$defs`");
                    members.shift_remove("$ref");
                }
                Some(target) => {
                    let is_plain = is_outermost && (reference == "#" || reference.starts_with("#/"));
                    if !is_plain && !self.is_dynamic {
                        let reason = "providers look for definitions from the root of the schema";
                        let link = format!("#{}", encoded(&target));
                        losses
                            .add(pointer, "$ref", (Action::Renamed, Severity::Info), reason)
                            .before(&Value::from(reference))
                            .after(&link);
                        members.insert("$ref".to_owned(), link.into());
                    }
                }
            }
        }
        if !is_outermost && !self.is_dynamic {
            // Nothing refers by these names any more, and below an address of its own nothing would count from the root.
            for keyword in ["$id", "id", "$anchor", "$dynamicAnchor"] {
                members.shift_remove(keyword);
            }
        }
    }
}

/// A pointer as it stands in an address.
fn encoded(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte);
        match is_plain {
            true => out.push(char::from(byte)),
            false => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}
