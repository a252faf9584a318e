//! Schemas for a provider that reads a list of keywords and no others.

use std::collections::{HashMap, HashSet};

use mortise_contract::schema::keyword::Keyword;
use mortise_contract::schema::referred;
use serde_json::{Map, Value, json};

use super::bare_reference::bare_reference;
use super::rule_table::{GEMINI_ENUM, GEMINI_KEYWORDS, GEMINI_RECURSION, GEMINI_REFERENCES};
use super::schema_walk::{each_schema, inside};
use crate::loss::{Action, Losses, Severity};

/// The keywords that Gemini reads.
const READ: [&str; 21] = [
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
];
/// The schema in the keywords that are read; what else it said is listed.
pub(super) fn listed(mut schema: Value, losses: &mut Losses) -> Value {
    definitions(&mut schema, losses);
    let root = schema.clone();
    let links = links(&root);
    each_schema(&mut schema, &HashSet::new(), &mut |members, pointer| {
        let mut work = ListedSchema { root: &root, links: &links, members, pointer, losses };
        work.one_branch();
        work.reference();
        work.constant();
        work.fixed_values();
        work.unread();
    });
    note_cycles(&schema, losses);
    schema
}

/// `definitions` is `$defs` by another name.
fn definitions(schema: &mut Value, losses: &mut Losses) {
    const OLD: &str = "#/definitions/";
    let Value::Object(members) = schema else { return };
    if members.contains_key("$defs") {
        return;
    }
    let Some(named) = members.shift_remove("definitions") else { return };
    members.insert("$defs".to_owned(), named);
    let reason = "the provider reads `$defs`";
    losses.add("", "definitions", (Action::Renamed, Severity::Info), reason).rule(&GEMINI_KEYWORDS);
    each_schema(schema, &HashSet::new(), &mut |members, _| {
        if let Some(Value::String(link)) = members.get_mut("$ref")
            && let Some(name) = link.strip_prefix(OLD)
        {
            *link = format!("#/$defs/{name}");
        }
    });
}

struct ListedSchema<'a> {
    root: &'a Value,
    links: &'a [String],
    members: &'a mut Map<String, Value>,
    pointer: &'a str,
    losses: &'a mut Losses,
}

impl ListedSchema<'_> {
    /// `allOf` of one branch, as some generators write a reference, is the branch.
    fn one_branch(&mut self) {
        let Some(Value::Array(branches)) = self.members.get("allOf") else { return };
        let [Value::Object(branch)] = branches.as_slice() else { return };
        if branch.keys().any(|keyword| self.members.contains_key(keyword)) {
            return;
        }
        let branch = branch.clone();
        self.members.shift_remove("allOf");
        self.members.extend(branch);
        let reason = "the provider does not read it; its only branch stands here";
        self.losses
            .add(self.pointer, "allOf", (Action::Inlined, Severity::Info), reason)
            .rule(&GEMINI_KEYWORDS);
    }

    /// Beside a reference only `$…` is taken.
    fn reference(&mut self) {
        let is_apart = |keyword: &str| keyword.starts_with('$') && keyword != "$ref";
        let rest = || self.members.iter().filter(|(keyword, _)| !is_apart(keyword));
        if !self.members.get("$ref").is_some_and(Value::is_string) || rest().count() == 1 {
            return;
        }
        let rest: Map<String, Value> =
            rest().map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
        let bare = bare_reference(self.root, &rest, self.pointer, &GEMINI_REFERENCES, self.losses);
        if let Some(bare) = bare {
            self.members.retain(|keyword, _| is_apart(keyword));
            self.members.extend(bare);
        }
    }

    /// A fixed value is a list of one.
    fn constant(&mut self) {
        if self.members.contains_key("enum") {
            return;
        }
        if let Some(value) = self.members.shift_remove("const") {
            let reason = "the provider reads `enum`";
            self.losses
                .add(self.pointer, "const", (Action::Renamed, Severity::Info), reason)
                .rule(&GEMINI_KEYWORDS);
            self.members.insert("enum".to_owned(), json!([value]));
        }
    }

    fn fixed_values(&mut self) {
        let Some(Value::Array(values)) = self.members.get("enum") else { return };
        if values.iter().all(|value| value.is_string() || value.is_number()) {
            return;
        }
        let reason = "the provider takes strings and numbers only";
        if let Some(values) = self.members.shift_remove("enum") {
            self.losses
                .add(self.pointer, "enum", (Action::Dropped, Severity::Error), reason)
                .before(&values)
                .rule(&GEMINI_ENUM)
                .fix("list strings and numbers, and say the others with `type`");
        }
    }

    fn unread(&mut self) {
        let unread: Vec<String> =
            self.members.keys().filter(|keyword| !READ.contains(&keyword.as_str())).cloned().collect();
        for keyword in unread {
            let place = format!("#{}", inside(self.pointer, &keyword));
            if self.links.iter().any(|link| link.starts_with(&place)) {
                // Something else leads there.
                continue;
            }
            let Some(value) = self.members.shift_remove(&keyword) else { continue };
            let can_refuse = Keyword::find(&keyword).is_some_and(Keyword::can_refuse);
            let severity = if can_refuse { Severity::Warn } else { Severity::Info };
            let reason = "the provider does not read it; the tool still checks it";
            self.losses
                .add(self.pointer, &keyword, (Action::Dropped, severity), reason)
                .before(&value)
                .rule(&GEMINI_KEYWORDS)
                .fix("say it in the description");
        }
    }
}

/// Every reference of a schema.
fn links(schema: &Value) -> Vec<String> {
    let mut links = Vec::new();
    each_schema(&mut schema.clone(), &HashSet::new(), &mut |members, _| {
        links.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
    });
    links
}

/// Reports types that are part of themselves through required properties only.
fn note_cycles(schema: &Value, losses: &mut Losses) {
    let mut links = links(schema);
    links.push("#".to_owned());
    links.sort_unstable();
    links.dedup();
    let target = |link: &str| referred(schema, link);
    let next: HashMap<&str, Vec<&str>> = links
        .iter()
        .map(|link| {
            let mut found = Vec::new();
            target(link).into_iter().for_each(|target| required_links(target, &mut found));
            (link.as_str(), found)
        })
        .collect();
    for link in &links {
        let (mut seen, mut open) = (HashSet::new(), next[link.as_str()].clone());
        while let Some(reached) = open.pop() {
            if seen.insert(reached) {
                open.extend(next.get(reached).into_iter().flatten());
            }
        }
        if seen.contains(link.as_str()) {
            let reason = "the type is part of itself through required properties only";
            losses
                .add(link.trim_start_matches('#'), "$ref", (Action::Kept, Severity::Error), reason)
                .rule(&GEMINI_RECURSION)
                .fix("leave a property on the way out of `required`");
        }
    }
}

/// The references of a schema that no optional property stands before.
fn required_links<'a>(schema: &'a Value, found: &mut Vec<&'a str>) {
    let Value::Object(members) = schema else { return };
    found.extend(members.get("$ref").and_then(Value::as_str));
    let list = |keyword: &str| members.get(keyword).and_then(Value::as_array).into_iter().flatten();
    let properties = members.get("properties").and_then(Value::as_object);
    for name in list("required").filter_map(Value::as_str) {
        properties
            .and_then(|properties| properties.get(name))
            .into_iter()
            .for_each(|property| required_links(property, found));
    }
    // Null or an empty list in its place is not enough for the provider.
    let inner = ["items", "additionalProperties"].into_iter().filter_map(|keyword| members.get(keyword));
    let branches = ["anyOf", "oneOf", "prefixItems"].into_iter().flat_map(list);
    inner.chain(branches).for_each(|inner| required_links(inner, found));
}
