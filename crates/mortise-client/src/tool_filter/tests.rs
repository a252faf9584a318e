//! What a pattern matches and what it does not.

use super::*;

#[test]
fn a_glob_fits_the_whole_name() {
    for (pattern, name, expected) in [
        ("mcp__fmp__*", "mcp__fmp__quote", true),
        ("mcp__fmp__*", "mcp__fmp2__quote", false),
        ("mcp__*__delete_*", "mcp__srv__delete_all", true),
        ("mcp__*__delete_*", "mcp__srv__read", false),
        ("mcp__m__iv", "mcp__m__iv", true),
        ("mcp__m__iv", "mcp__m__iv2", false),
        ("mcp__m__i?", "mcp__m__iv", true),
        ("mcp__m__i?", "mcp__m__i", false),
        ("*", "", true),
        ("*", "anything", true),
        ("", "", true),
        ("", "x", false),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "a-c-b", false),
        ("**a", "ba", true),
        ("[ab]", "a", false),
        ("?", "é", true),
    ] {
        assert_eq!(Glob::new(pattern).matches(name), expected, "{pattern} {name}");
    }
}

#[test]
fn many_stars_cost_no_more_than_pattern_times_name() {
    let pattern = Glob::new("*a".repeat(2_000) + "b");
    assert!(!pattern.matches(&"a".repeat(4_000)));
}

#[test]
fn filters_allow_or_block() {
    let globs = vec![Glob::new("mcp__fmp__*"), Glob::new("mcp__m__iv")];
    let names = ["mcp__fmp__x", "mcp__m__iv", "mcp__m__flow"];
    let allowed = |filter: &ToolFilter| names.map(|name| filter.allows(name, &[]));
    assert_eq!(allowed(&ToolFilter::All), [true, true, true]);
    assert_eq!(allowed(&ToolFilter::Allow(globs.clone())), [true, true, false]);
    assert_eq!(allowed(&ToolFilter::Block(globs)), [false, false, true]);
    assert_eq!(allowed(&ToolFilter::Allow(Vec::new())), [false, false, false]);
}

#[test]
fn case_never_lets_a_tool_through() {
    let globs = vec![Glob::new("mcp__Files__Delete_*")];
    let names = ["mcp__Files__Delete_all", "mcp__files__DELETE_ALL", "mcp__files__delete_all"];
    let allowed = |filter: &ToolFilter| names.map(|name| filter.allows(name, &[]));
    assert_eq!(allowed(&ToolFilter::Block(globs.clone())), [false, false, false]);
    assert_eq!(allowed(&ToolFilter::Allow(globs)), [true, false, false]);
}

#[test]
fn a_suffix_never_lets_a_tool_through() {
    let globs = vec![Glob::new("mcp__f__*_x")];
    let (callable, plain) = ("mcp__f__delete_x_e86bd3bd", ["mcp__f__Delete_X".to_owned()]);
    assert!(!ToolFilter::Block(globs.clone()).allows(callable, &plain));
    assert!(!ToolFilter::Allow(globs).allows(callable, &plain));
}
