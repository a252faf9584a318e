//! Python's text of an error, taken apart.

/// One place that led to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Line of the program, from 1.
    pub(super) line: u32,
    /// The function that it is in; none at the top.
    pub(super) function: Option<String>,
    /// The line, without its indentation.
    pub(super) source: String,
    /// `~~^~~` below the part that failed; empty if all of it did.
    pub(super) caret: String,
}

/// The places from the outside in, and the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Traceback {
    pub(super) frames: Vec<Frame>,
    /// `ZeroDivisionError: division by zero`.
    pub(super) error: String,
}

const START: &str = "Traceback (most recent call last):";
const FILE: &str = "  File \"<program>\", line ";

impl Traceback {
    /// Reads a traceback of one error in the program; `None` for chains and groups, whose text says more.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end();
        let rest = text.strip_prefix(START).map_or(text, |rest| rest.trim_start_matches('\n'));
        let mut lines = rest.lines().peekable();
        let mut frames = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("  ")) {
            let place = line.strip_prefix(FILE)?;
            let (number, function) = match place.split_once(", in ") {
                Some((number, function)) => (number, Some(function).filter(|name| *name != "<module>")),
                None => (place, None),
            };
            let inside: Vec<&str> =
                std::iter::from_fn(|| lines.next_if(|line| line.starts_with("    "))).collect();
            let (source, caret) = match inside.as_slice() {
                [] => ("", ""),
                [source] => (*source, ""),
                [source, caret] if is_caret(caret) => (*source, *caret),
                _ => return None,
            };
            let indent = source.len() - source.trim_start().len();
            frames.push(Frame {
                line: number.trim().parse().ok()?,
                function: function.map(str::to_owned),
                source: source.trim_start().to_owned(),
                caret: caret.get(indent..).unwrap_or_default().to_owned(),
            });
        }
        let error: Vec<&str> = lines.collect();
        let is_complete = !frames.is_empty() && !error.is_empty() && !error.contains(&START);
        is_complete.then(|| Self { frames, error: error.join("\n") })
    }
}

fn is_caret(line: &str) -> bool {
    line.trim().chars().all(|character| matches!(character, '^' | '~' | ' '))
}
