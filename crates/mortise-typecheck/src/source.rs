//! The program as the checker reads it: every character in its place, without what would silence the checker.

/// Words before a colon that are no names.
const STATEMENTS: [&str; 4] = ["else", "try", "finally", "except"];

/// Leaves out comments that tell the checker to look away, and annotations that hide what a tool returns.
pub(crate) fn prepared(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    for line in source.split_inclusive(['\n', '\r']) {
        let start = text.len();
        match hidden_result(line) {
            Some((from, to)) => {
                text.push_str(&line[..from]);
                text.extend(line[from..to].bytes().map(|_| ' '));
                text.push_str(&line[to..]);
            }
            None => text.push_str(line),
        }
        // All of it is ASCII, so every place stays where it is.
        while let Some(at) = silencing(&text[start..]) {
            text.replace_range(start + at..start + at + "ty".len(), "--");
        }
    }
    text
}

/// The place of `ty` in `# ty: ignore`.
fn silencing(line: &str) -> Option<usize> {
    line.match_indices('#').find_map(|(at, _)| {
        let comment = &line[at + 1..];
        let word = comment.trim_start();
        let is_told = word.strip_prefix("ty").is_some_and(|rest| {
            rest.trim_start().strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with("ignore"))
        });
        is_told.then(|| at + 1 + comment.len() - word.len())
    })
}

/// The annotation, with its colon, of `rows: list[dict] = await mcp__s__t(…)`: the tool says it better.
fn hidden_result(line: &str) -> Option<(usize, usize)> {
    let name = line.trim_start();
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let rest = name.trim_start_matches(is_part);
    let from = line.len() - rest.len();
    let word = &name[..name.len() - rest.len()];
    let is_name = !word.is_empty() && !STATEMENTS.contains(&word) && rest.trim_start().starts_with(':');
    let (annotation, value) = rest.split_once('=').filter(|_| is_name)?;
    let value = value.trim_start().trim_start_matches('(').trim_start();
    let is_result = value.strip_prefix("await").is_some_and(|call| call.trim_start().starts_with("mcp__"));
    let is_plain = annotation.is_ascii() && !annotation.contains(['#', '"', '\'', '(', '{']);
    (is_result && is_plain).then_some((from, from + annotation.len()))
}

#[cfg(test)]
mod tests {
    use super::prepared;

    #[test]
    fn what_silences_the_checker_is_left_out_in_place() {
        for (source, expected) in [
            ("import x  # ty: ignore\n", "import x  # --: ignore\n"),
            ("import x  # noqa # ty:ignore[a]\r\ny = 1", "import x  # noqa # --:ignore[a]\r\ny = 1"),
            ("x = 'city: ignore'\n", "x = 'city: ignore'\n"),
            ("rows: list[dict] = await mcp__s__t()\n", "rows             = await mcp__s__t()\n"),
            ("  page : dict = (await mcp__s__t())['a']\n", "  page        = (await mcp__s__t())['a']\n"),
            ("ä: dict = await mcp__s__t()\n", "ä       = await mcp__s__t()\n"),
            ("rows: list[dict] = await other()\n", "rows: list[dict] = await other()\n"),
            ("if x: y = await mcp__s__t()\n", "if x: y = await mcp__s__t()\n"),
            ("else: y = await mcp__s__t()\n", "else: y = await mcp__s__t()\n"),
            ("with_: 'dict' = await mcp__s__t()\n", "with_: 'dict' = await mcp__s__t()\n"),
        ] {
            assert_eq!(prepared(source), expected);
            assert_eq!(prepared(source).len(), source.len());
        }
    }
}
