//! Tools on their way into a file: read, kept within a bound, in order, their types named.

use mortise_contract::{CallableName, NameMap};

use super::Declarations;
use super::definition::{ResultForm, ToolDefinition};
use super::events;
use super::hint::{self, HintStep, LANGUAGE_STEPS};
use super::loss::{Action, Loss, Losses, SchemaSide, Severity, sort};
use super::model::{Model, name_variants};
use super::naming::{ModelPart, NameScope, TakenNames, name_definitions, tool_prefix};
use super::typescript::optional;
use crate::limits;

/// What both languages ask for.
pub(super) struct PrepareOptions {
    pub(super) results: ResultForm,
    pub(super) index_signatures: bool,
    /// Bytes of the types of one tool.
    pub(super) tool_bytes: usize,
    /// Where the names of types are valid.
    pub(super) scope: NameScope,
}

/// One tool with its types.
pub(super) struct Prepared<'a> {
    pub(super) definition: &'a ToolDefinition,
    pub(super) callable: &'a CallableName,
    /// `ServerTool`, the beginning of the names that belong to the tool.
    pub(super) prefix: String,
    /// How far its types were shortened, each side on its own.
    pub(super) steps: ShorteningSteps,
    /// `?` where it can be called without arguments, however its types are shortened.
    pub(super) optional: &'static str,
    pub(super) input: Model,
    pub(super) output: Option<Model>,
    /// The place of the output type within the output schema.
    pub(super) output_pointer: &'static str,
    /// The names of the definitions of both.
    pub(super) input_names: Vec<String>,
    pub(super) output_names: Vec<String>,
    losses: Vec<Loss>,
    /// Bytes of the output type, whole and as it is shown.
    output_bytes: (usize, usize),
}

/// How far the types of one tool were shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShorteningSteps {
    pub(super) input: HintStep,
    pub(super) output: HintStep,
}

impl ShorteningSteps {
    /// A sentence in place of types that are not shown.
    pub(super) fn sentence(self) -> Option<&'static str> {
        match (self.input == HintStep::Sentence, self.output == HintStep::Sentence) {
            (true, true) => Some("Its types are too long to be shown."),
            (true, false) => Some("The types of its arguments are too long to be shown."),
            (false, true) => Some("The type of what it returns is too long to be shown."),
            (false, false) => None,
        }
    }
}

/// Reads the tools that `names` knows, each once, by callable name; and all names that are taken by types.
pub(super) fn prepare<'a>(
    tools: &'a [ToolDefinition],
    names: &'a NameMap,
    reading: &PrepareOptions,
) -> (Vec<Prepared<'a>>, TakenNames) {
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
        parts.push(ModelPart { prefix: &tool.prefix, side: "Args", model: &tool.input });
        parts.extend(tool.output.as_ref().map(|model| ModelPart {
            prefix: &tool.prefix,
            side: "Result",
            model,
        }));
    }
    let mut taken = TakenNames::new(reading.scope);
    let mut named = name_definitions(&parts, &mut taken).into_iter();
    for tool in &mut prepared {
        tool.input_names = named.next().unwrap_or_default();
        if tool.output.is_some() {
            tool.output_names = named.next().unwrap_or_default();
        }
    }
    (prepared, taken)
}

/// The declarations with the losses of the tools that have any; logs which output schemas are sent.
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
    pub(super) fn lose(&mut self, side: SchemaSide, losses: Losses) {
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
        if self.steps.output != HintStep::Full {
            events::reduced(self.definition, name, language, self.output_bytes, self.steps.output.as_str());
        }
    }
}

fn read<'a>(
    definition: &'a ToolDefinition,
    callable: &'a CallableName,
    reading: &PrepareOptions,
) -> Prepared<'a> {
    let input = name_variants(Model::of(&definition.input_schema, "", SchemaSide::Input));
    let output = definition.output_model(reading.results).map(name_variants);
    let mut losses = definition.unsaid();
    losses.extend(cut_description(definition));
    losses.extend(input.losses.clone());
    losses.extend(output.iter().flat_map(|model| model.losses.clone()));
    let mut sides = [Some(&input), output.as_ref()].map(|model| Shortening::of(model, reading));
    while sides.iter().map(|side| side.bytes).sum::<usize>() > reading.tool_bytes {
        // The longer side gives way first, so that a long result leaves the arguments alone.
        let [of_input, of_output] = &mut sides;
        let output_first = of_output.bytes >= of_input.bytes;
        let (first, second) = if output_first { (of_output, of_input) } else { (of_input, of_output) };
        if !first.shorten() && !second.shorten() {
            break;
        }
    }
    let [of_input, of_output] = sides;
    for (side, shortened) in [(SchemaSide::Input, &of_input), (SchemaSide::Output, &of_output)] {
        losses.extend(shortened.loss(side));
    }
    Prepared {
        definition,
        callable,
        prefix: tool_prefix(definition),
        steps: ShorteningSteps { input: of_input.step, output: of_output.step },
        optional: optional(&input),
        output_pointer: definition.result_pointer(reading.results),
        output_bytes: (of_output.whole, of_output.bytes),
        input: of_input.step.apply(&input),
        output: output.as_ref().map(|model| of_output.step.apply(model)),
        input_names: Vec::new(),
        output_names: Vec::new(),
        losses,
    }
}

/// The loss of a tool's description that is too long.
fn cut_description(definition: &ToolDefinition) -> Vec<Loss> {
    let mut losses = Losses::new(SchemaSide::Input);
    let bytes = definition.description.as_ref().map_or(0, String::len);
    if bytes > limits::DESCRIPTION_BYTES {
        let reason = format!("{bytes} bytes; only {} are shown", limits::DESCRIPTION_BYTES);
        losses
            .add("", "description", (Action::Truncated, Severity::Warn), reason)
            .fix("say it in fewer words");
    }
    losses.finish()
}

/// One side of a tool on its way down the ladder.
struct Shortening<'a> {
    model: Option<&'a Model>,
    reading: &'a PrepareOptions,
    step: HintStep,
    /// Bytes before the first step and after the last.
    whole: usize,
    bytes: usize,
}

impl<'a> Shortening<'a> {
    fn of(model: Option<&'a Model>, reading: &'a PrepareOptions) -> Self {
        let whole = size(model, HintStep::Full, reading);
        Self { model, reading, step: HintStep::Full, whole, bytes: whole }
    }

    /// Goes one step down; false where there is none.
    fn shorten(&mut self) -> bool {
        if self.model.is_none() || self.step == HintStep::Sentence {
            return false;
        }
        let next = LANGUAGE_STEPS.into_iter().find(|step| *step > self.step);
        self.step = next.unwrap_or(HintStep::Sentence);
        self.bytes = size(self.model, self.step, self.reading);
        true
    }

    fn loss(&self, side: SchemaSide) -> Vec<Loss> {
        if self.step == HintStep::Full {
            return Vec::new();
        }
        let mut losses = hint::shortened(self.step, self.reading.tool_bytes);
        if side == SchemaSide::Input {
            for loss in &mut losses {
                loss.side = side;
                loss.fix = Some("make the input schema smaller, or allow more bytes");
            }
        }
        losses
    }
}

/// Bytes of a type in TypeScript; its Python is about as long.
fn size(model: Option<&Model>, step: HintStep, reading: &PrepareOptions) -> usize {
    let shown = step.shown(reading.index_signatures);
    model.map_or(0, |model| hint::one_line(&step.apply(model), shown).len())
}
