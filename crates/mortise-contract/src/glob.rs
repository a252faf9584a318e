//! Globs over callable names.

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
    pub fn matches_in_any_case(&self, name: &str) -> bool {
        Self(self.0.to_lowercase()).matches(&name.to_lowercase())
    }
}
