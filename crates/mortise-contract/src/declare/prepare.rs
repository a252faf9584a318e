//! Tools on their way into a file: read, kept within a bound, in order, their types named.

use super::Declarations;
use super::definition::{ResultForm, ToolDefinition};
use super::events;
use super::hint::{self, HintStep, LANGUAGE_STEPS};
use super::loss::{Loss, Losses, Side, sort};
use super::model::{Model, name_variants};
use super::naming::{Names, Part, name_definitions, tool_prefix};
use crate::{CallableName, NameMap};

/// What both languages ask for.
pub(super) struct Reading {
    pub(super) results: ResultForm,
    pub(super) index_signatures: bool,
    /// Bytes of the types of one tool.
    pub(super) tool_bytes: usize,
}

/// One tool with its types.
pub(super) struct Prepared<'a> {
    pub(super) definition: &'a ToolDefinition,
    pub(super) callable: &'a CallableName,
    /// `ServerTool`, the beginning of the names that belong to the tool.
    pub(super) prefix: String,
    /// How far its types were shortened.
    pub(super) step: HintStep,
    pub(super) input: Model,
    pub(super) output: Option<Model>,
    /// The names of the definitions of both.
    pub(super) input_names: Vec<String>,
    pub(super) output_names: Vec<String>,
    losses: Vec<Loss>,
    /// Bytes of the output type, whole and as it is shown.
    output_bytes: (usize, usize),
}

/// Reads the tools that `names` knows, each once, by callable name; and all names that are taken by types.
pub(super) fn prepare<'a>(
    tools: &'a [ToolDefinition],
    names: &'a NameMap,
    reading: &Reading,
) -> (Vec<Prepared<'a>>, Names) {
    let mut prepared: Vec<Prepared<'a>> = tools
        .iter()
        .filter_map(|definition| {
            let callable = names.callable(&definition.server, &definition.tool)?;
            Some(read(definition, callable, reading))
        })
        .collect();
    prepared.sort_by(|a, b| a.callable.cmp(b.callable));
    prepared.dedup_by(|a, b| a.callable == b.callable);
    let mut parts = Vec::new();
    for tool in &prepared {
        parts.push(Part { prefix: &tool.prefix, side: "Args", model: &tool.input });
        parts.extend(tool.output.as_ref().map(|model| Part { prefix: &tool.prefix, side: "Result", model }));
    }
    let mut taken = Names::default();
    let mut named = name_definitions(&parts, &mut taken).into_iter();
    for tool in &mut prepared {
        tool.input_names = named.next().unwrap_or_default();
        if tool.output.is_some() {
            tool.output_names = named.next().unwrap_or_default();
        }
    }
    (prepared, taken)
}

/// The declarations with the losses of the tools that have any; says in the log what goes along.
pub(super) fn finish(language: &'static str, text: String, tools: Vec<Prepared<'_>>) -> Declarations {
    let mut losses = Vec::new();
    for mut tool in tools {
        sort(&mut tool.losses);
        tool.log(language);
        if !tool.losses.is_empty() {
            losses.push((tool.callable.to_string(), tool.losses));
        }
    }
    Declarations { text, losses }
}

impl Prepared<'_> {
    /// Adds what the language itself can't keep.
    pub(super) fn lose(&mut self, side: Side, losses: Losses) {
        let mut losses = losses.finish();
        losses.iter_mut().for_each(|loss| loss.side = side);
        self.losses.extend(losses);
    }

    fn log(&self, language: &'static str) {
        let name = self.callable.as_str();
        if self.output.is_none() {
            return events::absent(name, language, self.definition);
        }
        events::forwarded(name, language, language, self.output_bytes.1, self.losses.len());
        if self.step != HintStep::Full {
            events::reduced(self.definition, name, language, self.output_bytes, self.step.as_str());
        }
    }
}

fn read<'a>(definition: &'a ToolDefinition, callable: &'a CallableName, reading: &Reading) -> Prepared<'a> {
    let input = name_variants(Model::of(&definition.input_schema, "", Side::Input));
    let output = definition.output_model(reading.results).map(name_variants);
    let mut losses = definition.input_losses();
    losses.extend(input.losses.clone());
    losses.extend(output.iter().flat_map(|model| model.losses.clone()));
    let both = |step: HintStep| (step.apply(&input), output.as_ref().map(|model| step.apply(model)));
    // The Python of a type is about as long as its TypeScript.
    let sizes = |step: HintStep| {
        let (input, output) = both(step);
        let bytes = |model: &Model| hint::one_line(model, step.shown(reading.index_signatures)).len();
        (bytes(&input), output.as_ref().map_or(0, bytes))
    };
    let fits = |step: &HintStep| {
        let (input, output) = sizes(*step);
        input + output <= reading.tool_bytes
    };
    let step = LANGUAGE_STEPS.into_iter().find(fits).unwrap_or(HintStep::Sentence);
    if step != HintStep::Full {
        losses.extend(hint::shortened(step, reading.tool_bytes));
    }
    let output_bytes = (sizes(HintStep::Full).1, sizes(step).1);
    let (input, output) = both(step);
    Prepared {
        definition,
        callable,
        prefix: tool_prefix(definition),
        step,
        input,
        output,
        input_names: Vec::new(),
        output_names: Vec::new(),
        losses,
        output_bytes,
    }
}
