//! The program as the checker reads it: every character in its place, without what would silence the checker.

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::deduced::hides;
use crate::gather::marks;
use crate::names::NAMESPACE;

/// Leaves out comments that tell the checker to look away, and annotations that hide what a variable holds. Also
/// returns where calls of `gather` get their mark.
pub(crate) fn prepared(source: &str) -> (String, Vec<TextSize>) {
    let mut text = String::with_capacity(source.len());
    for line in source.split_inclusive(['\n', '\r']) {
        let start = text.len();
        text.push_str(line);
        // All of it is ASCII, so every place stays where it is.
        while let Some(at) = silencing(&text[start..]) {
            text.replace_range(start + at..start + at + "ty".len(), "--");
        }
    }
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
    let Some(parsed) = parsed.try_into_module().filter(|parsed| parsed.errors().is_empty()) else {
        return (text, Vec::new());
    };
    for claim in Claims::of(source, parsed.suite()) {
        blank(&mut text, claim);
    }
    (text, marks(parsed.suite()))
}

/// Puts spaces in place of a range; line ends stay where they are, and the line goes on behind them.
pub(crate) fn blank(text: &mut String, range: TextRange) {
    let range = usize::from(range.start())..usize::from(range.end());
    let Some(written) = text.get(range.clone()) else { return };
    let bytes = written.as_bytes();
    let is_end = |at: usize| matches!(bytes.get(at), Some(b'\n' | b'\r'));
    let blank = (0..bytes.len()).map(|at| match (is_end(at), is_end(at + 1)) {
        (true, _) => char::from(bytes[at]),
        (false, true) => '\\',
        (false, false) => ' ',
    });
    let blank: String = blank.collect();
    text.replace_range(range, &blank);
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

/// Annotations of variables, with their colons, that say less than the values: `rows: list[dict] = []`.
struct Claims<'a> {
    source: &'a str,
    found: Vec<TextRange>,
    /// Whether this place is directly in a class, where annotations declare fields.
    is_class: bool,
}

impl<'a> Claims<'a> {
    fn of(source: &'a str, program: &[Stmt]) -> Vec<TextRange> {
        let mut claims = Self { source, found: Vec::new(), is_class: false };
        program.iter().for_each(|statement| claims.visit_stmt(statement));
        claims.found
    }
}

impl<'a> SourceOrderVisitor<'a> for Claims<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let is_class = self.is_class;
        match statement {
            Stmt::ClassDef(_) => self.is_class = true,
            Stmt::FunctionDef(_) => self.is_class = false,
            Stmt::AnnAssign(assignment) if !is_class => {
                let range = TextRange::new(assignment.target.end(), assignment.annotation.end());
                let text = self.source.get(usize::from(range.start())..usize::from(range.end()));
                // Without its brackets a line can't go on in the next.
                let is_one_line = text.is_some_and(|text| !text.contains(['\n', '\r']));
                let is_hidden = |value: &Expr| is_result(value) || hides(&assignment.annotation);
                if is_one_line && assignment.simple && assignment.value.as_deref().is_some_and(is_hidden) {
                    self.found.push(range);
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
        self.is_class = is_class;
    }
}

/// Whether a value is what a tool returns, or a part of that.
fn is_result(value: &Expr) -> bool {
    match value {
        Expr::Subscript(subscript) => is_result(&subscript.value),
        Expr::Await(awaited) => {
            let function = awaited.value.as_call_expr().and_then(|call| call.func.as_name_expr());
            function.is_some_and(|name| name.id.starts_with(NAMESPACE))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use ruff_text_size::{TextRange, TextSize};

    use super::{blank, prepared};

    #[test]
    fn a_line_goes_on_behind_what_is_blanked() {
        let mut text = "def f() -> dict[\n  str, int\r\n]: pass".to_owned();
        let size = |at: usize| TextSize::try_from(at).unwrap();
        let end = text.find(']').unwrap() + 1;
        blank(&mut text, TextRange::new(size(7), size(end)));
        assert_eq!(text, "def f()        \\\n         \\\r\n : pass");
    }

    #[test]
    fn what_silences_the_checker_is_left_out_in_place() {
        for (source, expected) in [
            ("import x  # ty: ignore\n", "import x  # --: ignore\n"),
            ("import x  # noqa # ty:ignore[a]\r\ny = 1", "import x  # noqa # --:ignore[a]\r\ny = 1"),
            ("x = 'city: ignore'\n", "x = 'city: ignore'\n"),
            ("rows: list[dict] = await mcp__s__t()\n", "rows             = await mcp__s__t()\n"),
            ("page : str = (await mcp__s__t())['a']\n", "page       = (await mcp__s__t())['a']\n"),
            ("ä: dict = await mcp__s__t()\n", "ä       = await mcp__s__t()\n"),
            ("rows: list[dict] = []\n", "rows             = []\n"),
            ("with_: 'dict' = await mcp__s__t()\n", "with_         = await mcp__s__t()\n"),
        ] {
            let (text, _) = prepared(source);
            assert_eq!(text, expected);
            assert_eq!(text.len(), source.len());
        }
    }

    #[test]
    fn annotations_that_say_more_than_the_value_stay() {
        for source in [
            "total: float = 0\n",
            "rows: list[Row] = []\n",
            "class A:\n    rows: list[dict] = []\n",
            "rows: list[\n    dict\n] = []\n",
            "rows: list[dict]\n",
            "if x: y = await mcp__s__t()\n",
        ] {
            assert_eq!(prepared(source).0, source);
        }
    }
}
