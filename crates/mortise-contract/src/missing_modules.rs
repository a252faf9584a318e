//! Modules that programs import by habit and do not have, with what to use in their place.
//!
//! The interpreter and the check before it say the same: `No module named 'pandas': use lists and dicts …`.

/// A line for each advice: modules, a colon, the advice.
pub const TABLE: &str = include_str!("missing_modules.txt");

/// What to say of any other module.
pub const NO_PACKAGES: &str = "programs have the standard library and their tools, no packages";

/// What to say of a part of the standard library that the interpreter does not have.
pub const NO_PYTHON_PART: &str = "this part of the standard library is not included";

/// What Python says of a module that is not there, with what to do.
pub fn no_module(module: &str, otherwise: &str) -> String {
    let top = module.split('.').next().unwrap_or_default();
    format!("No module named '{module}': {}", instead(top).unwrap_or(otherwise))
}

/// What to use instead of a module, by the first part of its name.
fn instead(top: &str) -> Option<&'static str> {
    let mut lines = TABLE.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(modules, _)| modules.split(' ').any(|module| module == top)).map(|(_, advice)| advice)
}

#[cfg(test)]
mod tests {
    use super::{NO_PACKAGES, no_module};

    #[test]
    fn a_missing_module_comes_with_what_to_use() {
        for (module, expected) in [
            ("yaml", "No module named 'yaml': use json or tomllib"),
            ("yaml.nodes", "No module named 'yaml.nodes': use json or tomllib"),
            (
                "left_pad",
                "No module named 'left_pad': programs have the standard library and their tools, no packages",
            ),
        ] {
            assert_eq!(no_module(module, NO_PACKAGES), expected);
        }
    }
}
