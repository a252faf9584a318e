//! Names that modules of the standard library have and their stubs lack: `from typing import defaultdict` works.
//!
//! A test of `mortise-executor` compares them with what the interpreter has.

use crate::said::sentence;

/// A line for each module: `typing: ABCMeta abstractmethod …`.
const BEYOND_STUBS: &str = include_str!("beyond_stubs.txt");

/// Whether a module has a name that its stub lacks.
pub(crate) fn has(module: &str, name: &str) -> bool {
    let mut modules = BEYOND_STUBS.lines().filter_map(|line| line.split_once(": "));
    let names = modules.find(|(known, _)| *known == module).map(|(_, names)| names);
    names.is_some_and(|names| names.split(' ').any(|known| known == name))
}

/// The module and the name in what the checker says: "Module `typing` has no member `defaultdict`".
pub(crate) fn lacking(said: &str) -> Option<(&str, &str)> {
    let (module, rest) = said.strip_prefix(sentence::MODULE)?.split_once('`')?;
    let name = rest.strip_prefix(sentence::NO_MEMBER)?.split_once('`')?.0;
    Some((module, name))
}

#[cfg(test)]
mod tests {
    use super::{has, lacking};

    #[test]
    fn names_that_python_has_are_known() {
        assert!(has("typing", "defaultdict") && has("statistics", "fsum"));
        assert!(!has("typing", "Defaultdict") && !has("collections", "defaultdicts"));
    }

    #[test]
    fn what_is_lacking_is_read_from_the_sentence() {
        assert_eq!(lacking("Module `os.path` has no member `x`"), Some(("os.path", "x")));
        assert_eq!(lacking("Cannot resolve imported module `x`"), None);
    }
}
