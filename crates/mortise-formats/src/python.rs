//! Python code, looked at without running it: syntax, what it may use, what it must define.
//!
//! The checks find mistakes and keep generated code within its promises. They are not a sandbox: code runs only where
//! there is nothing to reach.

mod bridge;
mod flat;
mod forbidden;
mod signature;
mod table;

use std::ops::Range;

use ruff_python_ast::{ModModule, PythonVersion, Stmt};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_module, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

use crate::fence::unfenced;
use crate::format::{ErrorBody, ErrorCode};
use crate::limits;

pub use bridge::{BridgeOptions, BridgeReport, SINKS};
pub use flat::MAX_LEVELS;
pub use table::{SourceEdit, TableEntry, TopFunction};

/// The largest source that is read.
pub const MAX_SOURCE_BYTES: usize = limits::CODE_BYTES;

/// A Python version: major and minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u8, pub u8);

impl std::fmt::Display for Version {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.0, self.1)
    }
}

/// Source text that parses as a Python module.
///
/// ```
/// use mortise_formats::python::{Module, Version};
///
/// let module = Module::parse("def extract(path: str) -> dict:\n    return {'year': path[:4]}\n")?;
/// assert!(module.check_extract().is_ok());
/// assert_eq!(module.min_version(), Version(3, 10));
/// # Ok::<(), crate::format::ErrorBody>(())
/// ```
#[derive(Debug)]
pub struct Module {
    text: String,
    parsed: Parsed<ModModule>,
}

impl Module {
    /// Parses a source; one Markdown fence around it, a byte order mark and carriage returns are taken away first.
    pub fn parse(source: &str) -> Result<Self, ErrorBody> {
        let text = unfenced(source).replace("\r\n", "\n").replace('\r', "\n");
        if text.len() > MAX_SOURCE_BYTES {
            return Err(too_large(format!(
                "{} bytes of code; at most {MAX_SOURCE_BYTES} are read",
                text.len()
            )));
        }
        if !flat::is_flat(&text) {
            return Err(too_large(format!("the code nests deeper than {MAX_LEVELS} levels")));
        }
        match parse_module(&text) {
            Ok(parsed) => Ok(Self { text, parsed }),
            Err(error) => {
                let suggestion = "correct the syntax at this place";
                let body = ErrorBody::new(ErrorCode::PythonSyntax, error.error.to_string(), suggestion);
                Err(at(body, &text, error.location))
            }
        }
    }

    /// The source as it was parsed; ranges count bytes of this text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The least version that has all the syntax used, at least 3.10.
    pub fn min_version(&self) -> Version {
        let versions: Vec<PythonVersion> =
            PythonVersion::iter().filter(|version| *version >= PythonVersion::PY310).collect();
        let fits = |version: &&PythonVersion| {
            let options = ParseOptions::from(Mode::Module).with_target_version(**version);
            parse_unchecked(&self.text, options).unsupported_syntax_errors().is_empty()
        };
        let least = versions.iter().find(fits).or(versions.last()).unwrap_or(&PythonVersion::PY310);
        Version(least.major, least.minor)
    }

    /// Imports and calls that code for paths may not have: every one, with its line.
    pub fn forbidden_in_extractor(&self) -> Vec<ErrorBody> {
        forbidden::find(self, &forbidden::Allowance::extractor())
    }

    /// Whether a function `extract` stands at the top with one parameter and returns a value.
    pub fn check_extract(&self) -> Result<(), ErrorBody> {
        signature::extract(self)
    }

    /// Whether the module keeps the bridge protocol of parsers.
    pub fn check_bridge(&self, options: &BridgeOptions) -> BridgeReport {
        bridge::check(self, options)
    }

    pub(crate) fn body(&self) -> &[Stmt] {
        &self.parsed.syntax().body
    }

    /// The same error with the place of a node.
    fn located(&self, error: ErrorBody, node: impl Ranged) -> ErrorBody {
        at(error, &self.text, node.range())
    }

    /// The line of a node, from 1.
    fn line(&self, node: impl Ranged) -> u32 {
        position(&self.text, node.range()).0
    }
}

/// Checks code for paths as far as it goes without running it: syntax, what it uses, its signature.
///
/// The first stage that fails decides; its further errors are details.
pub fn check_extractor(source: &str) -> Result<Module, ErrorBody> {
    let module = Module::parse(source)?;
    if let Some(error) = ErrorBody::of_many(module.forbidden_in_extractor()) {
        return Err(error);
    }
    module.check_extract()?;
    Ok(module)
}

fn too_large(reason: String) -> ErrorBody {
    ErrorBody::new(ErrorCode::PythonSyntax, reason, "make the code smaller").at_line(1)
}

fn at(error: ErrorBody, text: &str, range: TextRange) -> ErrorBody {
    let (line, column) = position(text, range);
    error.at_line(line).at_column(column)
}

/// Line and column, from 1, of the start of a range.
fn position(text: &str, range: TextRange) -> (u32, u32) {
    let start = text.floor_char_boundary(range.start().to_usize().min(text.len()));
    let before = &text[..start];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

fn bytes(range: TextRange) -> Range<usize> {
    range.start().to_usize()..range.end().to_usize()
}

#[cfg(test)]
mod tests;
