//! Tools as TypeScript.

mod write;

use serde_json::Value;

use super::definition::{ResultForm, ToolDefinition};
use super::hint::{self, HintStep, LANGUAGE_STEPS};
use super::loss::{Action, Loss, Losses, Severity, Side, sort};
use super::model::Model;
use super::naming::{Names, Part, name_definitions, tool_prefix};
use super::{Declarations, text};
use crate::limits;
use crate::{CallableName, NameMap};

pub(super) use write::{Shown, Writer};

/// How the declarations are brought into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TypeScriptForm {
    /// `declare const tools: { … };`: names that are simply there.
    #[default]
    Ambient,
    /// A `.d.ts` file that can be imported.
    Module,
}

/// How TypeScript is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeScriptOptions {
    /// Ambient or a module.
    pub form: TypeScriptForm,
    /// Programs get the value; with [`ResultForm::AsSent`] a call returns `CallToolResult<T>`.
    pub results: ResultForm,
    /// Whether objects that allow other keys in so many words show an index signature.
    pub index_signatures: bool,
    /// Bytes of the types of one tool; longer ones are shortened by structure.
    pub tool_bytes: usize,
}

impl Default for TypeScriptOptions {
    fn default() -> Self {
        Self {
            form: TypeScriptForm::default(),
            results: ResultForm::Unwrapped,
            index_signatures: false,
            tool_bytes: limits::DECLARATION_BYTES,
        }
    }
}

/// The compact type of a schema within a number of bytes, shortened by structure.
///
/// ```
/// use mortise_contract::declare::typescript_type;
/// use serde_json::json;
///
/// let schema = json!({"type": "array", "items": {"properties": {"n": {"type": "integer"}}, "required": ["n"]}});
/// assert_eq!(typescript_type(&schema, 100), "Array<{ /** integer */ n: number; }>");
/// assert_eq!(typescript_type(&schema, 30), "Array<{ n: number; }>");
/// ```
pub fn typescript_type(schema: &Value, bytes: usize) -> String {
    hint::compact(&Model::of(schema, "", Side::Output), bytes).0
}

/// `name(args: In): Promise<Out>` on one line, within a number of bytes for each of the two types.
pub fn typescript_signature(tool: &ToolDefinition, callable: &str, bytes: usize) -> String {
    let input = Model::of(&tool.input_schema, "", Side::Input);
    let output = output_model(tool, ResultForm::Unwrapped);
    let compact = |model: &Model| hint::compact(model, bytes).0;
    let result = output.as_ref().map_or_else(|| "unknown".to_owned(), compact);
    format!("{callable}(args{}: {}): Promise<{result}>", optional(&input), compact(&input))
}

/// The types of what a tool returns, if it says so and that is forwarded.
pub(super) fn output_model(tool: &ToolDefinition, form: ResultForm) -> Option<Model> {
    Some(Model::of(tool.forwarded()?, tool.result_pointer(form), Side::Output))
}

/// `?` where a tool can be called without arguments.
fn optional(input: &Model) -> &'static str {
    use super::model::Type;
    match &input.root {
        Type::Object(object) if object.fields.iter().all(|field| !field.required) => "?",
        _ => "",
    }
}

struct Tool<'a> {
    definition: &'a ToolDefinition,
    callable: &'a CallableName,
    prefix: String,
    step: HintStep,
    input: Model,
    output: Option<Model>,
    losses: Vec<Loss>,
}

/// Declares tools; those that `names` does not know are left out.
pub fn typescript_declarations(
    tools: &[ToolDefinition],
    names: &NameMap,
    options: &TypeScriptOptions,
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
    let named = name_definitions(&parts, &mut Names::default());
    let mut file = File { types: Vec::new(), methods: Vec::new(), options };
    let mut named = named.into_iter();
    for tool in &tools {
        let input = named.next().unwrap_or_default();
        let output = if tool.output.is_some() { named.next().unwrap_or_default() } else { Vec::new() };
        file.add(tool, &input, &output);
    }
    let losses = tools
        .into_iter()
        .filter(|tool| !tool.losses.is_empty())
        .map(|tool| (tool.callable.to_string(), tool.losses))
        .collect();
    Declarations { text: file.finish(), losses }
}

fn read<'a>(
    definition: &'a ToolDefinition,
    callable: &'a CallableName,
    options: &TypeScriptOptions,
) -> Tool<'a> {
    let input = Model::of(&definition.input_schema, "", Side::Input);
    let output = output_model(definition, options.results);
    let mut losses = input.losses.clone();
    losses.extend(output.iter().flat_map(|model| model.losses.clone()));
    let both = |step: HintStep| (step.apply(&input), output.as_ref().map(|model| step.apply(model)));
    let size = |step: HintStep| {
        let (input, output) = both(step);
        let shown = step.shown(options.index_signatures);
        let bytes = |model: &Model| hint::one_line(model, shown).len();
        bytes(&input) + output.as_ref().map_or(0, bytes)
    };
    let step = LANGUAGE_STEPS.into_iter().find(|step| size(*step) <= options.tool_bytes);
    let step = step.unwrap_or(HintStep::Sentence);
    if step != HintStep::Full {
        losses.extend(shortened(step, options.tool_bytes));
    }
    sort(&mut losses);
    let (input, output) = both(step);
    Tool { definition, callable, prefix: tool_prefix(definition), step, input, output, losses }
}

/// The loss of a rendering that was too long.
pub(super) fn shortened(step: HintStep, budget: usize) -> Vec<Loss> {
    let mut losses = Losses::new(Side::Output);
    let severity = if step > HintStep::Repeated { Severity::Warn } else { Severity::Info };
    let reason = format!("longer than {budget} bytes; {}", step.sentence());
    losses.add("", "budget", (Action::Truncated, severity), reason);
    losses.finish()
}

struct File<'a> {
    types: Vec<(String, String)>,
    methods: Vec<String>,
    options: &'a TypeScriptOptions,
}

impl File<'_> {
    fn add(&mut self, tool: &Tool<'_>, input_names: &[String], output_names: &[String]) {
        let shown = tool.step.shown(self.options.index_signatures);
        let export = if self.options.form == TypeScriptForm::Module { "export " } else { "" };
        let mut types = |model: &Model, names: &[String]| {
            let writer = Writer { names, shown };
            for (definition, name) in model.definitions.iter().zip(names) {
                if !self.types.iter().any(|(known, _)| known == name) {
                    let doc = writer.doc_lines(&definition.doc, 0);
                    let body = writer.block(&definition.kind, 0);
                    self.types.push((name.clone(), format!("{doc}{export}type {name} = {body};\n")));
                }
            }
            writer.block(&model.root, 1)
        };
        let input = types(&tool.input, input_names);
        let output = match &tool.output {
            Some(output) => types(output, output_names),
            None => "unknown".to_owned(),
        };
        let output = match self.options.results {
            ResultForm::Unwrapped => output,
            ResultForm::AsSent => format!("CallToolResult<{output}>"),
        };
        let doc = self.tool_doc(tool);
        let args = optional(&tool.input);
        self.methods.push(format!("{doc}  {}(args{args}: {input}): Promise<{output}>;\n", tool.callable));
    }

    fn tool_doc(&self, tool: &Tool<'_>) -> String {
        let mut lines = Vec::new();
        if let Some(description) = &tool.definition.description {
            let description = crate::excerpt::excerpt(description, limits::DESCRIPTION_BYTES);
            let clean = text::break_backticks(&text::visible(&description).replace("*/", "* /"));
            lines.extend(clean.lines().map(|line| line.trim_end().to_owned()));
        }
        if tool.definition.forwarded().is_none() {
            lines.push("Says nothing about what it returns.".to_owned());
        }
        if tool.step == HintStep::Sentence {
            lines.push("Its types are too long to be shown.".to_owned());
        }
        write::comment(&lines, 1)
    }

    fn finish(mut self) -> String {
        self.types.sort();
        let mut out = String::new();
        let is_module = self.options.form == TypeScriptForm::Module;
        let export = if is_module { "export " } else { "" };
        if self.options.results == ResultForm::AsSent {
            out.push_str(&format!("{export}{RESULT_TYPE}\n"));
        }
        for (_, text) in &self.types {
            out.push_str(text);
            out.push('\n');
        }
        let methods = self.methods.concat();
        out.push_str(&match is_module {
            true => {
                format!("export interface Tools {{\n{methods}}}\n\nexport declare const tools: Tools;\n")
            }
            false => format!("declare const tools: {{\n{methods}}};\n"),
        });
        out
    }
}

const RESULT_TYPE: &str = "\
type CallToolResult<T> = {
  content: Array<{ type: string; [key: string]: unknown; }>;
  isError?: boolean;
  structuredContent?: T;
  _meta?: { [key: string]: unknown; };
};
";

#[cfg(test)]
pub(super) mod tests;
