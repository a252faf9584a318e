//! Paths as rules see them: segments between slashes, without a root.

use mortise_formats::format::{ErrorBody, ErrorCode};

/// A path with `/` between its segments and without drive, root, `.` and empty segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RulePath {
    text: String,
}

impl RulePath {
    /// Reads a path in Windows' or Unix' form; `None` when it has a `..` or no segment.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let slashed = path.replace('\\', "/");
        let bytes = slashed.as_bytes();
        let has_drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
        let rest = if has_drive && (bytes.len() == 2 || bytes[2] == b'/') { &slashed[2..] } else { &slashed };
        let segments: Vec<&str> = rest.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let is_usable = !segments.is_empty() && !segments.contains(&"..");
        is_usable.then(|| Self { text: segments.join("/") })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The segments, the first folder first.
    pub(crate) fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.text.split('/')
    }

    /// How many segments there are, at least one.
    pub(crate) fn depth(&self) -> usize {
        self.segments().count()
    }

    /// The N-th segment from the end; 1 is the last.
    pub(crate) fn counted_from_end(&self, index: usize) -> Option<&str> {
        self.text.rsplit('/').nth(index.checked_sub(1)?)
    }

    pub(crate) fn filename(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or_default()
    }
}

/// All paths of an argument.
pub(crate) fn parse_all(paths: &[String]) -> Result<Vec<RulePath>, ErrorBody> {
    if paths.is_empty() {
        return Err(ErrorBody::new(
            ErrorCode::NoPaths,
            "`sample_paths` is empty",
            "give some paths of real files",
        )
        .at_field("sample_paths"));
    }
    let parsed = paths.iter().enumerate().map(|(index, path)| {
        RulePath::parse(path).ok_or_else(|| {
            ErrorBody::new(
                ErrorCode::ParamRange,
                "the path is empty or has a `..` segment; expected the path of a file",
                "give the path without `..`",
            )
            .at_field(format!("sample_paths[{index}]"))
        })
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::RulePath;

    #[track_caller]
    fn check(path: &str, expected: Option<&str>) {
        assert_eq!(RulePath::parse(path).as_ref().map(RulePath::as_str), expected, "{path:?}");
    }

    #[test]
    fn roots_and_doubles_are_no_segments() {
        check("/data//a/./b.csv", Some("data/a/b.csv"));
        check("./b.csv", Some("b.csv"));
        check(r"C:\data\a.csv", Some("data/a.csv"));
        check(r"\\share\a.csv", Some("share/a.csv"));
        check("ab:c/d", Some("ab:c/d"));
        check("c:d/e", Some("c:d/e"));
        check("a/../b", None);
        check("", None);
        check("///", None);
    }
}
