use super::*;

fn catalogue(count: usize) -> ToolNames {
    (0..count).map(|number| format!("mcp__s__tool_{number}")).collect()
}

#[test]
fn names_are_found_in_any_order_given() {
    let names: ToolNames = ["b", "a", "c", "a"].into_iter().collect();
    assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(names.contains("c") && !names.contains("d") && !names.contains(""));
}

#[test]
fn of_few_names_all_are_usable() {
    assert_eq!(catalogue(FEW).usable_in("").len(), FEW);
}

#[test]
fn of_many_names_those_mentioned_are_usable() {
    let names = catalogue(FEW + 1);
    assert_eq!(names.usable_in("await mcp__s__tool_7(x=1)"), ["mcp__s__tool_7"]);
    assert_eq!(names.usable_in("tools = ['mcp__s__tool_1', mcp__s__tool_2]").len(), 2);
    assert_eq!(names.usable_in("mcp__s__tool_77x").len(), 0);
}

#[test]
fn a_program_that_looks_names_up_gets_all() {
    let names = catalogue(FEW + 1);
    for source in [
        "globals()[f'mcp__s__{name}']",
        "getattr(sys.modules[__name__], name)",
        "import __main__ as m\ngetattr(m, name)",
        "(lambda: 0).__globals__[name]",
    ] {
        assert_eq!(names.usable_in(source).len(), FEW + 1, "{source}");
    }
}

#[test]
fn ordinary_programs_look_no_names_up() {
    let source = "import re\nif __name__ == '__main__':\n    print(getattr(x, 'y'), re.compile('z'), dir(x))";
    assert!(!looks_names_up(source));
}

#[test]
fn mentioned_names_are_whole_words() {
    assert_eq!(catalogue(3).mentioned_in("mcp__s__tool_1x(mcp__s__tool_2)"), ["mcp__s__tool_2"]);
}
