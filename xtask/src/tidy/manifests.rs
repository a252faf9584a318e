//! Rules about the manifests of our crates.

use toml::{Table, Value};

use super::Finding;
use super::files::Tree;

const READ: &str = "CONTRIBUTING.md, \"Manifests and dependencies\"";

/// The features that decision 0004 allows.
const FEATURES: [(&str, &str); 5] = [
    ("mortise-client", "http"),
    ("mortise-contract", "default"),
    ("mortise-contract", "names"),
    ("mortise-contract", "idn"),
    ("mortise-server", "http"),
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    manifests.flat_map(|file| manifest(&file.path, &file.text)).collect()
}

fn manifest(place: &str, text: &str) -> Vec<Finding> {
    let Ok(table) = text.parse::<Table>() else {
        return vec![Finding::new(place, "this is not TOML", READ)];
    };
    let mut problems = Vec::new();
    let text_at = |section: &str, key: &str| Some(table.get(section)?.get(key)?.as_str()?.to_owned());
    let folder = place.rsplit('/').nth(1).unwrap_or_default();
    if text_at("package", "name").as_deref() != Some(folder) {
        problems.push(format!("the package must be called `{folder}` like its folder"));
    }
    if text_at("package", "description").is_none_or(|text| text.is_empty()) {
        problems.push("the package needs a `description`".to_owned());
    }
    for feature in table.get("features").and_then(Value::as_table).into_iter().flat_map(Table::keys) {
        if !FEATURES.contains(&(folder, feature.as_str())) {
            problems.push(format!(
                "our crates have no Cargo features but those of decision 0004: make `{feature}` a module, a crate or \
                 an option"
            ));
        }
    }
    if !inherits(table.get("lints")) {
        problems.push("`[lints] workspace = true` is missing".to_owned());
    }
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        problems.extend(own_versions(folder, &table, section));
    }
    if let Some(targets) = table.get("target").and_then(Value::as_table) {
        for target in targets.values().filter_map(Value::as_table) {
            problems.extend(own_versions(folder, target, "dependencies"));
            problems.extend(own_versions(folder, target, "dev-dependencies"));
        }
    }
    problems.into_iter().map(|problem| Finding::new(place, problem, READ)).collect()
}

fn own_versions(package: &str, table: &Table, section: &str) -> Vec<String> {
    let Some(dependencies) = table.get(section).and_then(Value::as_table) else { return Vec::new() };
    let mut problems = Vec::new();
    for (name, dependency) in dependencies {
        if !inherits(Some(dependency)) {
            problems.push(format!(
                "`{name}` in [{section}] must say `workspace = true`; versions live in the root manifest"
            ));
        }
        if dependency.get("optional").is_some()
            && !FEATURES.iter().any(|(crate_name, _)| *crate_name == package)
        {
            problems.push(format!(
                "`{name}` in [{section}] is optional, which is a Cargo feature; our crates have none"
            ));
        }
    }
    problems
}

fn inherits(value: Option<&Value>) -> bool {
    value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
}
