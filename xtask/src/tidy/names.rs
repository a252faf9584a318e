//! How many type definitions share their name with another one. A word is not an address: `SchemaPlace` is.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use super::files::Tree;
use super::{Finding, product_crate, source};

const READ: &str = "CONTRIBUTING.md, \"Names\"";
/// The share at which the test fails.
const LIMIT_PERCENT: f64 = 15.0;
/// Names that the report lists.
const LISTED: usize = 8;

/// The types of all crates, by name.
pub struct TypeNames {
    definitions: usize,
    /// Each name that several types have, with their files; the most frequent first.
    shared: Vec<(String, Vec<String>)>,
}

impl TypeNames {
    pub(super) fn read(tree: &Tree) -> Self {
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in &tree.files {
            if product_crate(Path::new(&file.path)).is_none() || !file.path.ends_with(".rs") {
                continue;
            }
            for name in source::code_only(&file.text).lines().filter_map(defined_type) {
                by_name.entry(name.to_owned()).or_default().push(file.path.clone());
            }
        }
        let definitions = by_name.values().map(Vec::len).sum();
        let mut shared: Vec<_> = by_name.into_iter().filter(|(_, places)| places.len() > 1).collect();
        shared.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
        Self { definitions, shared }
    }

    fn percent(&self) -> f64 {
        let sharing: usize = self.shared.iter().map(|(_, places)| places.len()).sum();
        100.0 * sharing as f64 / self.definitions.max(1) as f64
    }
}

impl fmt::Display for TypeNames {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.1} % of {} type definitions share their name", self.percent(), self.definitions)?;
        let worst: Vec<String> = self
            .shared
            .iter()
            .take(LISTED)
            .map(|(name, places)| format!("{name} ×{}", places.len()))
            .collect();
        if worst.is_empty() { Ok(()) } else { write!(out, "; most often {}", worst.join(", ")) }
    }
}

pub(super) fn findings(names: &TypeNames) -> Vec<Finding> {
    if names.percent() < LIMIT_PERCENT {
        return Vec::new();
    }
    let example = names
        .shared
        .first()
        .map_or_else(String::new, |(name, places)| format!("; `{name}` stands in {}", places.join(", ")));
    let problem = format!("{names}; fewer than {LIMIT_PERCENT} % may{example}");
    vec![Finding::new("crates", problem, READ)]
}

/// The name that a line of code defines a struct, an enum, a union or a trait by.
fn defined_type(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| {
        word.starts_with("pub") || matches!(*word, "unsafe" | "in" | "auto") || word.ends_with(')')
    });
    let (keyword, name) = (words.next()?, words.next()?);
    let end = name.find(|character: char| !character.is_alphanumeric() && character != '_');
    let name = &name[..end.unwrap_or(name.len())];
    // A macro's `struct $name` has none.
    (matches!(keyword, "struct" | "enum" | "union" | "trait") && !name.is_empty()).then_some(name)
}
