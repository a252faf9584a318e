//! Globs over callable names, and the filter made of them.

pub use mortise_contract::Glob;

/// Which tools may be called.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum ToolFilter {
    /// All tools.
    #[default]
    All,
    /// Only those that fit one of these.
    Allow(Vec<Glob>),
    /// All but those that fit one of these, in upper or lower case.
    Block(Vec<Glob>),
}

impl ToolFilter {
    /// Whether the tool with this callable name, and these other spellings of it, may be called.
    ///
    /// The server picks its tools' names. `Delete_All` must not get past a block of `delete_all`, and must not pass
    /// for an allowed `delete_all`; nor may a second tool `delete.all`, which gives both of them other callable names.
    /// So in any case, and in every spelling, a name can withhold a tool, and only its callable name lets it through.
    pub fn allows(&self, callable: &str, spellings: &[String]) -> bool {
        let mut names = spellings.iter().map(String::as_str).chain([callable]);
        match self {
            Self::All => true,
            Self::Allow(globs) => globs.iter().any(|glob| glob.matches(callable)),
            Self::Block(globs) => !names.any(|name| globs.iter().any(|glob| glob.matches_in_any_case(name))),
        }
    }
}

#[cfg(test)]
mod tests;
