//! Tools as Python stubs: TypedDicts and keyword-only async functions.
//!
//! The text is a `.pyi` file: names may be used before they are defined.

mod class;
mod function;
mod write;

use super::Declarations;
use super::definition::{ResultForm, ToolDefinition};
use super::hint::{self, HintStep, LANGUAGE_STEPS};
use super::loss::{Loss, Losses, Side, sort};
use super::model::Model;
use super::naming::{Names, Part, name_definitions, tool_prefix};
use super::typescript::{output_model, shortened};
use crate::{CallableName, NameMap, limits};
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
    let mut tools: Vec<Tool<'_>> = tools
        .iter()
        .filter_map(|definition| {
            let callable = names.callable(&definition.server, &definition.tool)?;
            Some(read(definition, callable, options))
        })
        .collect();
    tools.sort_by(|a, b| a.callable.cmp(b.callable));
    let mut parts = Vec::new();
    for tool in &tools {
        parts.push(Part { prefix: &tool.prefix, side: "Args", model: &tool.input });
        parts.extend(tool.output.as_ref().map(|model| Part { prefix: &tool.prefix, side: "Result", model }));
    }
    let mut taken = Names::default();
    let mut named = name_definitions(&parts, &mut taken).into_iter();
    let mut classes = Classes::new(taken, options.extra_items);
    let mut functions = Vec::new();
    for tool in &mut tools {
        let input_names = named.next().unwrap_or_default();
        let output_names = if tool.output.is_some() { named.next().unwrap_or_default() } else { Vec::new() };
        functions.push(classes.function(tool, &input_names, &output_names));
        sort(&mut tool.losses);
    }
    let losses = tools
        .into_iter()
        .filter(|tool| !tool.losses.is_empty())
        .map(|tool| (tool.callable.to_string(), tool.losses))
        .collect();
    Declarations { text: classes.file(&functions), losses }
}

/// A tool on its way into a file.
struct Tool<'a> {
    definition: &'a ToolDefinition,
    callable: &'a CallableName,
    prefix: String,
    step: HintStep,
    input: Model,
    output: Option<Model>,
    losses: Vec<Loss>,
}

impl Tool<'_> {
    fn lose(&mut self, side: Side, losses: Losses) {
        let mut losses = losses.finish();
        losses.iter_mut().for_each(|loss| loss.side = side);
        self.losses.extend(losses);
    }
}

fn read<'a>(definition: &'a ToolDefinition, callable: &'a CallableName, options: &PythonOptions) -> Tool<'a> {
    let input = Model::of(&definition.input_schema, "", Side::Input);
    let output = output_model(definition, options.results);
    let mut losses = input.losses.clone();
    losses.extend(output.iter().flat_map(|model| model.losses.clone()));
    let both = |step: HintStep| (step.apply(&input), output.as_ref().map(|model| step.apply(model)));
    let size = |step: HintStep| {
        let (input, output) = both(step);
        // The TypeScript of a type is about as long as its Python.
        let bytes = |model: &Model| hint::one_line(model, step.shown(false)).len();
        bytes(&input) + output.as_ref().map_or(0, bytes)
    };
    let step = LANGUAGE_STEPS.into_iter().find(|step| size(*step) <= options.tool_bytes);
    let step = step.unwrap_or(HintStep::Sentence);
    if step != HintStep::Full {
        losses.extend(shortened(step, options.tool_bytes));
    }
    let (input, output) = both(step);
    Tool { definition, callable, prefix: tool_prefix(definition), step, input, output, losses }
}

#[cfg(test)]
mod tests;
