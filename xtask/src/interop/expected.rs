//! Failures that are known and explained. A listed test that passes is as wrong as an unlisted one that fails.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The content of an expected-failures file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedFailures {
    #[serde(default)]
    group: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// Why these tests fail, for a reader who meets the list first.
    reason: String,
    /// Names of tests, or what several names begin with followed by ` > `.
    tests: Vec<String>,
}

/// How one test ended.
pub(super) struct Outcome {
    /// `file > group > test`.
    pub(super) name: String,
    /// What went wrong, or nothing.
    pub(super) failure: Option<String>,
}

impl ExpectedFailures {
    /// Nothing may fail.
    pub(super) fn none() -> Self {
        Self::default()
    }

    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("reading {}", path.display()))
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        let expected: Self = toml::from_str(text)?;
        for group in &expected.group {
            if group.reason.trim().is_empty() {
                bail!("a group of expected failures has no reason");
            }
        }
        Ok(expected)
    }

    /// Compares outcomes with the list and sums up, or fails with everything that differs.
    pub(super) fn judge(&self, outcomes: &[Outcome]) -> Result<String> {
        let mut problems = Vec::new();
        let mut used = BTreeSet::new();
        let mut known = 0usize;
        for outcome in outcomes {
            let entry = self.entry(&outcome.name);
            used.extend(entry);
            match (&outcome.failure, entry) {
                (Some(failure), None) => problems.push(format!("{}\n    {failure}", outcome.name)),
                (None, Some(_)) => {
                    problems.push(format!("{}\n    passes now: take it off the list", outcome.name));
                }
                (Some(_), Some(_)) => known += 1,
                (None, None) => {}
            }
        }
        let listed = self.group.iter().flat_map(|group| &group.tests);
        problems.extend(
            listed
                .filter(|entry| !used.contains(entry.as_str()))
                .map(|entry| format!("{entry}\n    is listed, but no such test ran")),
        );
        if !problems.is_empty() {
            bail!(
                "{} of {} tests differ from the list:\n{}",
                problems.len(),
                outcomes.len(),
                problems.join("\n")
            );
        }
        Ok(format!("{} passed, {known} failed as listed", outcomes.len() - known))
    }

    fn entry(&self, name: &str) -> Option<&str> {
        let entries = self.group.iter().flat_map(|group| &group.tests);
        entries.map(String::as_str).find(|entry| {
            name.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with(" > "))
        })
    }
}

#[cfg(test)]
mod tests;
