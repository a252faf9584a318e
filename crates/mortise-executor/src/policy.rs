//! Which tools a program may call.

use globset::{Glob, GlobSet, GlobSetBuilder};
use mortise_contract::CallableName;

/// Which tools are offered, by globs over callable names. Case matters.
#[derive(Clone, Debug, Default)]
pub struct AccessPolicy(Rule);

#[derive(Clone, Debug, Default)]
enum Rule {
    #[default]
    All,
    Only(GlobSet),
    AllBut(GlobSet),
}

/// A pattern that is no glob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a glob: {reason}")]
pub struct PolicyError {
    /// The pattern as configured.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl AccessPolicy {
    /// Every tool.
    pub fn all() -> Self {
        Self(Rule::All)
    }

    /// Only tools that a pattern matches.
    pub fn only<S: AsRef<str>>(patterns: &[S]) -> Result<Self, PolicyError> {
        Ok(Self(Rule::Only(globs(patterns)?)))
    }

    /// All tools but those that a pattern matches.
    pub fn all_but<S: AsRef<str>>(patterns: &[S]) -> Result<Self, PolicyError> {
        Ok(Self(Rule::AllBut(globs(patterns)?)))
    }

    /// Whether a program may call this tool.
    pub fn permits(&self, name: &CallableName) -> bool {
        match &self.0 {
            Rule::All => true,
            Rule::Only(globs) => globs.is_match(name.as_str()),
            Rule::AllBut(globs) => !globs.is_match(name.as_str()),
        }
    }
}

/// One matcher for several patterns.
pub(crate) fn globs<S: AsRef<str>>(patterns: &[S]) -> Result<GlobSet, PolicyError> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.as_ref();
        let glob = Glob::new(pattern)
            .map_err(|error| PolicyError { pattern: pattern.to_owned(), reason: error.kind().to_string() })?;
        builder.add(glob);
    }
    builder.build().map_err(|error| PolicyError {
        pattern: error.glob().unwrap_or_default().to_owned(),
        reason: error.kind().to_string(),
    })
}

#[cfg(test)]
mod tests;
