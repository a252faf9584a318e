//! What a program takes in with one of our libraries: how many crates, and which it never gets.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;

use super::Finding;
use crate::process;
use crate::workspace::Workspace;

const READ: &str = "ARCHITECTURE.md, \"Walls\"";

const LIMIT: Duration = Duration::from_secs(120);

/// What a library may bring along.
struct Bound {
    package: &'static str,
    /// How many crates, itself included, on Linux.
    at_most: usize,
    /// Names, or prefixes that end in `*`.
    without: &'static [&'static str],
}

const BOUNDS: [Bound; 4] = [
    // Without its feature `http`.
    Bound {
        package: "mortise-client",
        at_most: 108,
        without: &[
            "mortise-config",
            "serde-saphyr",
            "serde_yaml*",
            "toml*",
            "jsonc-parser",
            "reqwest",
            "oauth2",
            "hyper*",
            "rustls*",
            "ring",
            "url",
            "icu_*",
        ],
    },
    Bound { package: "mortise-contract", at_most: 76, without: &["idna", "icu_*", "sha2", "tokio"] },
    // Without its feature `http`.
    Bound {
        package: "mortise-server",
        at_most: 100,
        without: &[
            "reqwest",
            "oauth2",
            "http*",
            "hyper*",
            "axum*",
            "rustls*",
            "tokio-rustls",
            "ring",
            "url",
            "icu_*",
        ],
    },
    Bound { package: "mortise-declare", at_most: 77, without: &["idna", "icu_*", "sha2", "tokio"] },
];

/// The crates that a program gets with a library.
pub(super) struct Weight {
    pub(super) package: String,
    /// `name version`.
    pub(super) crates: BTreeSet<String>,
}

pub(super) fn read(workspace: &Workspace) -> Result<Vec<Weight>> {
    BOUNDS.iter().map(|bound| weigh(workspace, bound)).collect()
}

fn weigh(workspace: &Workspace, bound: &Bound) -> Result<Weight> {
    let mut command = workspace.cargo("tree");
    command.args(["--locked", "--package", bound.package, "--edges", "normal", "--prefix", "none"]);
    command.args(["--target", "x86_64-unknown-linux-gnu"]);
    // The features that a program asks for which has nothing else of this workspace.
    command.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    let finished = process::run_ok(&mut command, LIMIT)?;
    let name_and_version = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let crates = finished.stdout.lines().filter(|line| !line.is_empty()).map(name_and_version).collect();
    Ok(Weight { package: bound.package.to_owned(), crates })
}

pub(super) fn findings(weights: &[Weight]) -> Vec<Finding> {
    weights.iter().flat_map(weight).collect()
}

fn weight(weight: &Weight) -> Vec<Finding> {
    let place = weight.package.as_str();
    let Some(bound) = BOUNDS.iter().find(|bound| bound.package == place) else { return Vec::new() };
    let mut problems = Vec::new();
    let count = weight.crates.len();
    if count > bound.at_most {
        problems.push(format!("brings {count} crates into a program, more than {}", bound.at_most));
    }
    for name in weight.crates.iter().filter_map(|entry| entry.split(' ').next()) {
        if bound.without.iter().any(|fence| super::packages::matches(fence, name)) {
            problems.push(format!("brings `{name}` into a program; `cargo tree --invert {name}` shows how"));
        }
    }
    problems.into_iter().map(|problem| Finding::new(place, problem, READ)).collect()
}
