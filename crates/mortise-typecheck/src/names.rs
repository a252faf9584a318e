//! Which tools a program names.

use std::collections::BTreeSet;

/// How the name of every tool begins.
pub(crate) const NAMESPACE: &str = "mcp__";

/// Tools of one program that are looked at; no program calls as many by name.
const TOOLS: usize = 200;

/// The names of tools that stand anywhere in a program, in order. A name in a text or a comment counts too: it costs
/// a stub and nothing else.
pub fn named_tools(source: &str) -> Vec<String> {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let mut names = BTreeSet::new();
    for (at, _) in source.match_indices(NAMESPACE) {
        let is_inside = source[..at].chars().next_back().is_some_and(is_part);
        if is_inside || names.len() == TOOLS {
            continue;
        }
        let rest = &source[at..];
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        names.insert(rest[..end].to_owned());
    }
    names.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::named_tools;

    #[test]
    fn names_are_found_whole_and_once() {
        let source = "a = await mcp__s__t(x=1)\nawait mcp__s__t2() # mcp__s__t\nmy_mcp__s__u()\n\"mcp__\"";
        assert_eq!(named_tools(source), ["mcp__", "mcp__s__t", "mcp__s__t2"]);
    }
}
