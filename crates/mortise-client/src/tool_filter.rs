//! Globs over callable names, and the filter made of them.

/// A pattern over `mcp__<server>__<tool>`: `*` is any run of characters, `?` any one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(String);

impl Glob {
    /// A glob; every text is one.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole of `name` fits. Takes at most `pattern × name` steps.
    pub fn matches(&self, name: &str) -> bool {
        let pattern: Vec<char> = self.0.chars().collect();
        let name: Vec<char> = name.chars().collect();
        let (mut at_pattern, mut at_name) = (0, 0);
        // Where the last star stood and how much of the name it has taken so far.
        let mut star: Option<(usize, usize)> = None;
        while at_name < name.len() {
            match pattern.get(at_pattern) {
                Some('*') => {
                    star = Some((at_pattern, at_name));
                    at_pattern += 1;
                }
                Some(&wanted) if wanted == '?' || wanted == name[at_name] => {
                    at_pattern += 1;
                    at_name += 1;
                }
                _ => {
                    let Some((star_at, taken_to)) = star else { return false };
                    at_pattern = star_at + 1;
                    at_name = taken_to + 1;
                    star = Some((star_at, at_name));
                }
            }
        }
        pattern[at_pattern..].iter().all(|rest| *rest == '*')
    }

    /// [`Glob::matches`] without regard to upper and lower case.
    fn matches_in_any_case(&self, name: &str) -> bool {
        Self(self.0.to_lowercase()).matches(&name.to_lowercase())
    }
}

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
