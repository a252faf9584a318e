//! Keeps the rules that a compiler does not: walls between crates, the shape of files, what a manifest may say.
//!
//! Every rule is a function from what was read to findings, so that tests can feed it bad samples.
//! A finding is one sentence that names the place, the rule and the page that explains it.

use std::fmt;
use std::path::Path;

use anyhow::Result;

use crate::workspace::Workspace;

mod architecture;
mod files;
mod manifests;
mod names;
mod outline;
mod packages;
mod prose;
mod shares;
mod snippets;
mod source;
mod walls;
mod weights;
mod workflows;

pub use files::{Tree, TreeFile};
pub use names::TypeNames;
pub use prose::SentenceLengths;
pub use shares::TestShare;

/// One broken rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file or package, with a line where there is one.
    pub place: String,
    /// What is wrong and what to do instead.
    pub problem: String,
    /// The page and section that explain the rule.
    pub read: &'static str,
}

impl Finding {
    fn new(place: impl Into<String>, problem: impl Into<String>, read: &'static str) -> Self {
        Self { place: place.into(), problem: problem.into(), read }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {} (read {})", self.place, self.problem, self.read)
    }
}

/// Checks the whole workspace.
pub fn findings(workspace: &Workspace) -> Result<Vec<Finding>> {
    let tree = Tree::read(workspace.root(), workspace.target())?;
    let packages = packages::read(workspace.metadata());
    let mut findings = files::findings(&tree);
    findings.extend(manifests::findings(&tree));
    findings.extend(packages::findings(&packages));
    findings.extend(walls::findings(&tree));
    findings.extend(snippets::findings(&tree));
    findings.extend(architecture::findings(&tree));
    findings.extend(prose::findings(&tree));
    findings.extend(workflows::findings(&tree));
    findings.extend(names::findings(&TypeNames::read(&tree)));
    findings.extend(shares::findings(&TestShare::read(&tree)));
    findings.extend(weights::findings(&weights::read(workspace)?));
    Ok(findings)
}

/// What is counted over the workspace's crates: types that share their name, and lines of tests.
pub fn figures(workspace: &Workspace) -> Result<(TypeNames, TestShare)> {
    let tree = Tree::read(workspace.root(), workspace.target())?;
    Ok((TypeNames::read(&tree), TestShare::read(&tree)))
}

/// The sentences of all pages.
pub fn sentence_lengths(workspace: &Workspace) -> Result<SentenceLengths> {
    Ok(SentenceLengths::read(&Tree::read(workspace.root(), workspace.target())?))
}

/// Which crate's product code a path belongs to: `crates/NAME/src/…`, tests in it excepted.
fn product_crate(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let rest = text.strip_prefix("crates/")?;
    let (name, inside) = rest.split_once('/')?;
    (inside.starts_with("src/") && !is_test(text)).then_some(name)
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

#[cfg(test)]
mod tests;
