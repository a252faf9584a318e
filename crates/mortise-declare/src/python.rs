//! Tools as Python stubs: TypedDicts and keyword-only async functions.
//!
//! The text is a `.pyi` file: names may be used before they are defined.

mod class;
mod comment;
mod function;
mod place;
mod write;

use mortise_contract::NameMap;

use super::Declarations;
use super::definition::{ResultForm, ToolDefinition};
use super::naming::NameScope;
use super::prepare::{PrepareOptions, finish, prepare};
use crate::limits;
use class::Classes;

/// How Python is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonOptions {
    /// Programs get the value; with [`ResultForm::AsSent`] the structured content as it was sent.
    pub results: ResultForm,
    /// Whether closed and typed further keys may be said with `closed` and `extra_items`, which
    /// Python has from 3.15 on and `typing_extensions` before.
    pub extra_items: bool,
    /// Bytes of the types of one tool; longer ones are shortened by structure.
    pub tool_bytes: usize,
}

impl Default for PythonOptions {
    fn default() -> Self {
        Self { results: ResultForm::Unwrapped, extra_items: false, tool_bytes: limits::DECLARATION_BYTES }
    }
}

/// Declares tools; those that `names` does not know are left out. Any subset of a catalogue can be
/// declared: the callable names are those of the whole.
pub fn python_declarations(
    tools: &[ToolDefinition],
    names: &NameMap,
    options: &PythonOptions,
) -> Declarations {
    let reading = PrepareOptions {
        results: options.results,
        index_signatures: false,
        tool_bytes: options.tool_bytes,
        scope: NameScope::File,
    };
    let (mut tools, taken) = prepare(tools, names, &reading);
    let mut classes = Classes::new(taken, options.extra_items);
    let functions: Vec<String> = tools.iter_mut().map(|tool| classes.function(tool)).collect();
    finish("python", classes.file(&functions), tools)
}

#[cfg(test)]
mod tests;
