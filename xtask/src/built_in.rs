//! Which packages the `mortise` binary is made of.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, Package, PackageId};

use crate::check::licenses;
use crate::workspace::Workspace;

const BINARY: &str = "mortise";

/// The build dependency whose content a build script of ours puts into the binary.
const EMBEDDED: &str = "bashkit_cpython_wasm";

/// What cargo says about all dependencies on the platforms that we build for.
pub fn metadata(workspace: &Workspace) -> Result<Metadata> {
    let deny = fs::read_to_string(workspace.root().join("deny.toml")).context("reading deny.toml")?;
    workspace.full_metadata(&licenses::platforms(&deny)?)
}

/// The binary's package and everything it reaches over normal dependencies, with what a build script embeds.
pub struct BuiltIn<'a> {
    /// The package of the binary.
    pub binary: &'a Package,
    /// All packages, the binary's own among them, in the order of names; each with what it uses.
    pub packages: Vec<(&'a Package, Vec<PackageId>)>,
}

impl<'a> BuiltIn<'a> {
    /// Follows the graph from the binary.
    pub fn find(metadata: &'a Metadata) -> Result<Self> {
        let resolve = metadata.resolve.as_ref().context("cargo metadata gave no dependency graph")?;
        let binary =
            metadata.workspace_packages().into_iter().find(|package| package.name.as_str() == BINARY);
        let binary = binary.context("the workspace has no package `mortise`")?;
        let mut waiting = vec![&binary.id];
        let mut reached: BTreeMap<&PackageId, Vec<PackageId>> = BTreeMap::new();
        while let Some(id) = waiting.pop() {
            if reached.contains_key(id) {
                continue;
            }
            let node =
                resolve.nodes.iter().find(|node| node.id == *id).context("a package without a node")?;
            let built_in = node.deps.iter().filter(|dependency| {
                let is_normal = dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
                is_normal || dependency.name == EMBEDDED
            });
            let used: Vec<&PackageId> = built_in.map(|dependency| &dependency.pkg).collect();
            waiting.extend(&used);
            reached.insert(id, used.into_iter().cloned().collect());
        }
        let packages = metadata.packages.iter();
        let mut packages: Vec<(&Package, Vec<PackageId>)> =
            packages.filter_map(|package| Some((package, reached.remove(&package.id)?))).collect();
        packages.sort_by(|(a, _), (b, _)| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        Ok(Self { binary, packages })
    }
}
