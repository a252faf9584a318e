//! What the conformance suite prints at its end.

use anyhow::{Context, Result, ensure};

use crate::interop::expected::Outcome;

/// How one scenario went, by its checks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    name: String,
    pub(super) passed: u64,
    failed: u64,
    warnings: u64,
}

impl Scenario {
    /// A scenario in which nothing was checked has proven nothing.
    pub(super) fn outcome(&self) -> Outcome {
        let failure = match self {
            Self { failed: 0, warnings: 0, passed: 0, .. } => Some("no check was made".to_owned()),
            Self { failed: 0, warnings: 0, .. } => None,
            Self { failed, warnings, .. } => Some(format!("{failed} checks failed, {warnings} warnings")),
        };
        Outcome { name: self.name.clone(), failure }
    }
}

/// Reads the summary of a run of many scenarios: `✓ tools-list: 4 passed, 0 failed`.
pub(super) fn of_all(printed: &str) -> Result<Vec<Scenario>> {
    let lines = printed.lines().filter_map(|line| line.strip_prefix(['✓', '✗']));
    let scenarios: Result<Vec<_>> = lines.map(scenario).collect();
    let scenarios = scenarios?;
    ensure!(!scenarios.is_empty(), "the suite printed no summary");
    Ok(scenarios)
}

/// Reads the end of a run of one: `Passed: 9/9, 0 failed, 0 warnings`.
pub(super) fn of_one(name: &str, printed: &str) -> Result<Vec<Scenario>> {
    let counts = printed.lines().rev().find_map(|line| line.strip_prefix("Passed: "));
    let counts = counts.context("the suite printed no result")?;
    let (passed, rest) = counts.split_once('/').context("the suite counts in another way")?;
    let passed = passed.parse()?;
    Ok(vec![Scenario {
        name: name.to_owned(),
        passed,
        failed: count(rest, "failed")?,
        warnings: count(rest, "warnings")?,
    }])
}

fn scenario(line: &str) -> Result<Scenario> {
    let (name, counts) = line.rsplit_once(": ").with_context(|| format!("no counts in `{line}`"))?;
    Ok(Scenario {
        name: name.trim().to_owned(),
        passed: count(counts, "passed")?,
        failed: count(counts, "failed")?,
        warnings: if counts.contains("warnings") { count(counts, "warnings")? } else { 0 },
    })
}

/// The number before `what` in `4 passed, 0 failed`.
fn count(counts: &str, what: &str) -> Result<u64> {
    let part = counts.split(", ").find_map(|part| part.trim().strip_suffix(what));
    let part = part.with_context(|| format!("nothing {what} in `{counts}`"))?;
    part.trim().parse().with_context(|| format!("no number of {what} in `{counts}`"))
}

#[cfg(test)]
mod tests;
