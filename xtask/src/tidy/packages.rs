//! Walls that Cargo can hold: which of our crates may depend on which, and who may name a fenced dependency.

use cargo_metadata::{DependencyKind, Metadata};

use super::Finding;

const READ: &str = "ARCHITECTURE.md, \"Walls\"";

/// A package of ours with what it depends on directly.
pub(super) struct Package {
    pub(super) name: String,
    pub(super) dependencies: Vec<Dependency>,
}

pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) development: bool,
}

/// Which crates of ours a crate may use. A crate without a row is a finding: the row is where its place is decided.
const LAYERS: [(&str, &[&str]); 15] = [
    ("mortise-contract", &[]),
    ("mortise-server", &["mortise-contract"]),
    ("mortise-client", &["mortise-contract"]),
    ("mortise-config", &["mortise-contract", "mortise-client"]),
    ("mortise-script", &["mortise-contract"]),
    ("mortise-declare", &["mortise-contract"]),
    ("mortise-typecheck", &["mortise-contract", "mortise-declare"]),
    ("mortise-formats", &["mortise-contract"]),
    ("mortise-samples", &["mortise-contract", "mortise-server"]),
    (
        "mortise-executor",
        &[
            "mortise-contract",
            "mortise-declare",
            "mortise-server",
            "mortise-client",
            "mortise-script",
            "mortise-typecheck",
        ],
    ),
    ("mortise-journal", &["mortise-contract", "mortise-client", "mortise-script", "mortise-executor"]),
    ("mortise-tester", &["mortise-contract", "mortise-declare", "mortise-server", "mortise-client"]),
    ("mortise-wizards", &["mortise-contract", "mortise-server", "mortise-script", "mortise-formats"]),
    ("mortise-testkit", &[]),
    ("xtask", &[]),
];

/// The pure core: the same input gives the same bytes.
const PURE: [&str; 2] = ["mortise-contract", "mortise-declare"];

/// Whether a crate is of the pure core.
pub(super) fn is_pure(package: &str) -> bool {
    PURE.contains(&package)
}

/// The binary puts everything together.
const BINARY: &str = "mortise";
/// Used by tests alone.
const TESTKIT: &str = "mortise-testkit";

/// Fenced dependencies: a name, or a prefix that ends in `*`, and the crates that may have it.
const FENCES: [(&str, &[&str]); 8] = [
    ("rmcp", &["mortise-client", "mortise-server", TESTKIT]),
    ("wasmtime*", &["mortise-script"]),
    ("bashkit*", &["mortise-script"]),
    ("ty_*", &["mortise-typecheck"]),
    ("salsa*", &["mortise-typecheck"]),
    ("ruff_*", &["mortise-typecheck", "mortise-formats"]),
    ("rusqlite", &["mortise-journal", "mortise-wizards"]),
    ("tracing-subscriber", &[BINARY]),
];

/// What the pure core must not have: anything that waits, reads, listens, tells the time or throws dice.
const IMPURE: [&str; 14] = [
    "async-std",
    "axum",
    "chrono",
    "fastrand",
    "getrandom",
    "hyper",
    "jiff",
    "rand",
    "reqwest",
    "rmcp",
    "tempfile",
    "time",
    "tokio",
    "uuid",
];

pub(super) fn read(metadata: &Metadata) -> Vec<Package> {
    let package = |package: &&cargo_metadata::Package| Package {
        name: package.name.to_string(),
        dependencies: package
            .dependencies
            .iter()
            .map(|dependency| Dependency {
                name: dependency.name.clone(),
                development: dependency.kind == DependencyKind::Development,
            })
            .collect(),
    };
    metadata.workspace_packages().iter().map(package).collect()
}

pub(super) fn findings(packages: &[Package]) -> Vec<Finding> {
    packages.iter().flat_map(package).collect()
}

fn package(package: &Package) -> Vec<Finding> {
    let mut findings = Vec::new();
    let name = package.name.as_str();
    let layer = LAYERS.iter().find(|(known, _)| *known == name).map(|(_, allowed)| *allowed);
    if layer.is_none() && name != BINARY {
        let problem = "this crate has no place yet; decide what it may use and add a row to `LAYERS` in xtask/src/tidy/packages.rs";
        findings.push(Finding::new(name, problem, READ));
    }
    for dependency in &package.dependencies {
        if let Some(problem) = problem(name, layer, dependency) {
            findings.push(Finding::new(name, problem, READ));
        }
    }
    findings
}

fn problem(package: &str, layer: Option<&[&str]>, dependency: &Dependency) -> Option<String> {
    let name = dependency.name.as_str();
    if name == TESTKIT {
        return (!dependency.development)
            .then(|| format!("`{TESTKIT}` belongs under [dev-dependencies] only"));
    }
    let ours = name == BINARY || name.starts_with("mortise-");
    // Tests may reach further down the layers, but not up: samples serve as peers in tests, and examples call tools
    // that were declared to a model.
    let peer_in_tests = dependency.development && matches!(name, "mortise-samples" | "mortise-declare");
    if ours && !peer_in_tests && layer.is_some_and(|allowed| !allowed.contains(&name)) {
        return Some(format!("must not depend on `{name}`; crates meet in the binary"));
    }
    if let Some((_, allowed)) = FENCES.iter().find(|(fence, _)| matches(fence, name))
        && !allowed.contains(&package)
    {
        return Some(format!("must not depend on `{name}`, which only {} may", list(allowed)));
    }
    let impure = is_pure(package) && !dependency.development && IMPURE.contains(&name);
    impure.then(|| format!("is pure and must not depend on `{name}`"))
}

pub(super) fn matches(fence: &str, name: &str) -> bool {
    match fence.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => fence == name,
    }
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
