use super::unfenced;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(unfenced(text), expected);
}

#[test]
fn one_fence_around_all_of_a_text_is_taken_away() {
    check("```python\nx = 1\n```", "x = 1\n");
    check("\n```\nx\n```\n", "x\n");
    check("```\n```", "");
    check("x = '''```'''", "x = '''```'''");
    check("```yaml\na: 1\n```\nand\n```\nb\n```", "```yaml\na: 1\n```\nand\n```\nb\n```");
    check("```not a word\nx\n```", "```not a word\nx\n```");
    check("```", "```");
    check("\u{feff}x", "x");
}
