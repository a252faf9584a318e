//! The names under which a program can call tools.

use std::collections::HashSet;
use std::sync::Arc;

use mortise_contract::name::NAME_LOOK_UPS;

/// A set of names, made once and shared by many programs. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolNames(Arc<[String]>);

/// Up to this many names are all given to a program; making a function of each costs a few microseconds.
const FEW: usize = 256;

/// Whether a source may use names that it does not spell out: then its tool calls can't be listed from the source.
pub fn looks_names_up(source: &str) -> bool {
    let words = words(source);
    // `__main__` alone is what every program asks its `__name__` for.
    NAME_LOOK_UPS.iter().any(|look_up| words.contains(look_up)) || source.contains("import __main__")
}

impl ToolNames {
    /// Whether a name is in the set.
    pub fn contains(&self, name: &str) -> bool {
        self.0.binary_search_by(|other| other.as_str().cmp(name)).is_ok()
    }

    /// All names, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The names that a source can use: all of few; of many those that it mentions, unless it looks names up.
    pub(crate) fn usable_in(&self, source: &str) -> Vec<&str> {
        if self.0.len() <= FEW {
            return self.iter().collect();
        }
        if looks_names_up(source) {
            return self.iter().collect();
        }
        let words = words(source);
        self.iter().filter(|name| words.contains(name)).collect()
    }

    /// The names that a source mentions anywhere, strings and comments included.
    pub(crate) fn mentioned_in(&self, source: &str) -> Vec<&str> {
        let words = if self.0.is_empty() { HashSet::new() } else { words(source) };
        self.iter().filter(|name| words.contains(name)).collect()
    }
}

impl<N: Into<String>> FromIterator<N> for ToolNames {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Self {
        let mut names: Vec<String> = names.into_iter().map(Into::into).collect();
        names.sort_unstable();
        names.dedup();
        Self(names.into())
    }
}

fn words(source: &str) -> HashSet<&str> {
    source.split(|character: char| !character.is_alphanumeric() && character != '_').collect()
}

#[cfg(test)]
mod tests;
