//! Names for types: readable, valid everywhere, the same for the same catalogue.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::definition::ToolDefinition;
use super::model::{Model, Type};

/// Characters of a name before it is numbered.
const LENGTH: usize = 60;

/// Definitions of one schema that are compared with those of others; more are never shared.
const COMPARED: usize = 100;

/// Words that are something else in TypeScript or Python, or in the declarations themselves.
const TAKEN: [&str; 31] = [
    "Any",
    "Array",
    "Boolean",
    "BigInt",
    "CallToolResult",
    "Date",
    "Error",
    "Exception",
    "False",
    "Function",
    "Infinity",
    "Literal",
    "Map",
    "NaN",
    "Never",
    "None",
    "NotRequired",
    "Number",
    "Object",
    "Optional",
    "Partial",
    "Pick",
    "Promise",
    "Record",
    "Required",
    "Set",
    "String",
    "Symbol",
    "Tools",
    "True",
    "TypedDict",
];

/// Types that TypeScript's libraries for ECMAScript and the DOM declare, as of TypeScript 5.9.
static GLOBALS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("naming/globals.txt").split_ascii_whitespace().collect());

/// `my-type name` becomes `MyTypeName`; an empty result is `Type`.
pub(super) fn pascal(text: &str) -> String {
    let mut name = String::new();
    let mut upper = true;
    for character in text.chars() {
        if !character.is_ascii_alphanumeric() {
            upper = true;
        } else if name.len() < LENGTH {
            name.push(if upper { character.to_ascii_uppercase() } else { character });
            upper = false;
        }
    }
    if name.is_empty() {
        name.push_str("Type");
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if TAKEN.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// `ServerTool`, the beginning of every name that belongs to one tool.
pub(super) fn tool_prefix(tool: &ToolDefinition) -> String {
    let prefix = format!("{} {}", tool.server, tool.tool);
    pascal(&prefix)
}

/// Where names are valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NameScope {
    /// In one file, whatever else has the same name elsewhere.
    #[default]
    File,
    /// In all files of a TypeScript program, beside the types of its libraries.
    Global,
}

/// Gives out names, each once.
#[derive(Debug, Default)]
pub(super) struct TakenNames {
    used: BTreeSet<String>,
    scope: NameScope,
}

impl TakenNames {
    pub(super) fn new(scope: NameScope) -> Self {
        Self { used: BTreeSet::new(), scope }
    }

    /// The wanted name, or the first numbered one that is free: `Row`, `Row2`, `Row3`. What is something else in the
    /// same scope gets a trailing `_` first.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let is_else = |name: &str| self.scope == NameScope::Global && GLOBALS.contains(name);
        let wanted = if is_else(wanted) { format!("{wanted}_") } else { wanted.to_owned() };
        let mut name = wanted.clone();
        let mut number = 2;
        while is_else(&name) || !self.used.insert(name.clone()) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        name
    }
}

/// One model among those that share a file.
pub(super) struct ModelPart<'a> {
    /// `ServerTool`.
    pub(super) prefix: &'a str,
    /// `Args` or `Result`, for a definition that has no name of its own.
    pub(super) side: &'static str,
    pub(super) model: &'a Model,
}

/// Names of the definitions of every part. Definitions of one name that are the same in all that
/// they need share it; where they differ, all of them carry the prefix of their tool.
pub(super) fn name_definitions(parts: &[ModelPart<'_>], names: &mut TakenNames) -> Vec<Vec<String>> {
    let mut bodies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wanted: Vec<Vec<(String, String)>> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let of_part: Vec<(String, String)> = (0..part.model.definitions.len())
            .map(|at| (wanted_name(part, at), closure(number, part.model, at)))
            .collect();
        for (name, body) in &of_part {
            bodies.entry(name.clone()).or_default().insert(body.clone());
        }
        wanted.push(of_part);
    }
    let mut given: HashMap<(String, String), String> = HashMap::new();
    let mut all = Vec::new();
    for (part, of_part) in parts.iter().zip(wanted) {
        let mut names_of_part = Vec::new();
        for (name, body) in of_part {
            let is_shared = bodies.get(&name).is_some_and(|bodies| bodies.len() == 1);
            let full = match is_shared || name.starts_with(part.prefix) {
                true => name,
                false => format!("{}{name}", part.prefix),
            };
            let name = given.entry((full.clone(), body)).or_insert_with(|| names.take(&full));
            names_of_part.push(name.clone());
        }
        all.push(names_of_part);
    }
    all
}

fn wanted_name(part: &ModelPart<'_>, at: usize) -> String {
    match &part.model.definitions[at].wanted {
        Some(wanted) => pascal(wanted),
        None => format!("{}{}", part.prefix, part.side),
    }
}

/// A text that is the same for definitions that mean the same: everything that can be reached.
/// Those of a part that is too large to be compared are the same as no others.
fn closure(part: usize, model: &Model, at: usize) -> String {
    if model.definitions.len() > COMPARED {
        return format!("{at} of part {part}");
    }
    let mut seen = vec![at];
    let mut next = 0;
    let mut text = String::new();
    while let Some(current) = seen.get(next).copied() {
        next += 1;
        let definition = &model.definitions[current];
        let mut names = definition.kind.names();
        names.sort_unstable();
        for name in names {
            if !seen.contains(&name) {
                seen.push(name);
            }
        }
        let number = |name: usize| seen.iter().position(|known| *known == name).unwrap_or(0);
        text.push_str(&format!(
            "{:?}{:?}{:?};",
            definition.wanted,
            definition.doc,
            relabel(&definition.kind, &number)
        ));
    }
    text
}

fn relabel(kind: &Type, number: &dyn Fn(usize) -> usize) -> Type {
    match kind {
        Type::Named(name) => Type::Named(number(*name)),
        kind => kind.clone().map(&mut |part| relabel(&part, number)),
    }
}
