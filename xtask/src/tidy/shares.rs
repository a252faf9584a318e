//! Which share of the crates' lines are tests: Rust code that only tests run, and the tables of cases that it reads.

use std::fmt;
use std::path::Path;

use super::files::Tree;
use super::{Finding, product_crate};

const READ: &str = "CONTRIBUTING.md, \"Tests\"";
/// The share below which the test fails.
const LIMIT_PERCENT: f64 = 33.0;
/// The crate that only tests use.
const TESTKIT: &str = "mortise-testkit";

/// The lines of all crates, by what they are for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TestShare {
    product: usize,
    tests: usize,
    /// Lines of JSON tables below `tests/cases/`.
    cases: usize,
}

impl TestShare {
    pub(super) fn read(tree: &Tree) -> Self {
        let mut share = Self::default();
        for file in tree.files.iter().filter(|file| file.path.starts_with("crates/")) {
            let lines = file.text.lines().count();
            if file.path.contains("/tests/cases/") && file.path.ends_with(".json") {
                share.cases += lines;
            }
            if !file.path.ends_with(".rs") || file.path.contains("/examples/") {
                continue;
            }
            let is_product = product_crate(Path::new(&file.path)).is_some_and(|name| name != TESTKIT);
            let product = if is_product { lines_before_tests(&file.text) } else { 0 };
            share.product += product;
            share.tests += lines - product;
        }
        share
    }

    fn percent(&self) -> f64 {
        let tests = self.tests + self.cases;
        100.0 * tests as f64 / (tests + self.product).max(1) as f64
    }
}

/// The lines of a file up to a module of tests in it, which stands last.
fn lines_before_tests(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let begins =
        |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].contains("mod ") && pair[1].ends_with('{');
    lines.windows(2).position(begins).unwrap_or(lines.len())
}

impl fmt::Display for TestShare {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { product, tests, cases } = self;
        let percent = self.percent();
        write!(
            out,
            "{percent:.1} % of the lines are tests ({tests} of Rust, {cases} of cases) beside {product}"
        )
    }
}

pub(super) fn findings(share: &TestShare) -> Vec<Finding> {
    if share.percent() >= LIMIT_PERCENT {
        return Vec::new();
    }
    vec![Finding::new("crates", format!("{share}; at least {LIMIT_PERCENT} % must be"), READ)]
}
