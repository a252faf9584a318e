//! A tool on one line: what it takes and what it returns.

use super::arguments::Arguments;
use super::definition::{ResultForm, ToolDefinition};
use super::hint::{self, HintStep, LANGUAGE_STEPS};
use super::loss::SchemaSide;
use super::model::{Model, ObjectField};
use super::naming::{ModelPart, TakenNames, name_definitions};
use super::typescript::{TypeScriptWriter, key, optional};

/// Fields of a row that are tried where not all of it fits, the most first.
const FIELDS: [usize; 9] = [32, 24, 16, 12, 8, 6, 4, 3, 2];

/// `name(args: In): Promise<Out>`, within a number of bytes for the two types together.
///
/// Types that need names follow: `declare function <this>;` is TypeScript.
pub fn typescript_signature(tool: &ToolDefinition, callable: &str, bytes: usize) -> String {
    let signature = Signature::of(tool);
    let form = |line: &SignatureLine<'_>| {
        let (input, output) = (line.input(), line.output());
        format!("{callable}(args{}: {input}): Promise<{output}>", optional(line.models.0))
    };
    signature.within(callable.len() + bytes, form).unwrap_or_else(|| {
        let room = bytes.saturating_sub("(args: ): Promise<>".len());
        let input = hint::type_in_place(&signature.input, room / 2);
        let output = signature.short_output(room.saturating_sub(input.len()));
        format!("{callable}(args: {input}): Promise<{output}>")
    })
}

/// `name(ticker: string, limit?: number) -> Out`, as programs call it: by keyword, required ones first.
///
/// ```
/// use mortise_declare::{ToolDefinition, keyword_signature};
/// use mortise_contract::{Contract, RawJson, ServerName};
///
/// let contract = Contract::parse(RawJson::parse(
///     r#"{"name": "q", "inputSchema": {"type": "object", "properties": {"day": {"type": "string"}}},
///         "outputSchema": {"type": "array", "items": {"type": "number"}}}"#,
/// )?)?;
/// let tool = ToolDefinition::of(&ServerName::parse("s")?, &contract);
/// assert_eq!(keyword_signature(&tool, "mcp__s__q", 100), "mcp__s__q(day?: string) -> Array<number>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn keyword_signature(tool: &ToolDefinition, callable: &str, bytes: usize) -> String {
    keyword_line(tool, callable, "", bytes)
}

/// `name(day?: string) -> observed Out`, for a definition whose output schema was observed in results and is not declared.
pub fn observed_signature(tool: &ToolDefinition, callable: &str, bytes: usize) -> String {
    keyword_line(tool, callable, "observed ", bytes)
}

fn keyword_line(tool: &ToolDefinition, callable: &str, mark: &str, bytes: usize) -> String {
    let signature = Signature::of(tool);
    let form =
        |line: &SignatureLine<'_>| format!("{callable}({}) -> {mark}{}", line.keywords(), line.output());
    signature.within(callable.len() + bytes, form).unwrap_or_else(|| {
        let room = bytes.saturating_sub("() -> ".len() + mark.len());
        let input = some_keywords(&signature.input, room / 2);
        let output = signature.short_output(room.saturating_sub(input.len()));
        format!("{callable}({input}) -> {mark}{output}")
    })
}

/// As many names of arguments as fit, and how many are left out.
fn some_keywords(input: &Model, bytes: usize) -> String {
    let names: Vec<String> = keywords(input)
        .into_iter()
        .map(|it| format!("{}{}", key(&it.key), if it.required { "" } else { "?" }))
        .collect();
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        let tail = format!("… (+{})", names.len() - at);
        if text.len() + name.len() + ", ".len() + tail.len() > bytes {
            return text + &tail;
        }
        text.push_str(name);
        text.push_str(if at + 1 < names.len() { ", " } else { "" });
    }
    text
}

/// The arguments of a tool, required ones first.
fn keywords(input: &Model) -> Vec<ObjectField> {
    let mut keywords = Arguments::of(input).object.fields;
    keywords.sort_by_key(|keyword| !keyword.required);
    keywords
}

struct Signature {
    input: Model,
    output: Option<Model>,
}

/// One attempt at a line, with the names of its types.
struct SignatureLine<'a> {
    models: (&'a Model, Option<&'a Model>),
    input: TypeScriptWriter<'a>,
    output: TypeScriptWriter<'a>,
}

impl Signature {
    fn of(tool: &ToolDefinition) -> Self {
        Self {
            input: Model::of(&tool.input_schema, "", SchemaSide::Input),
            output: tool.output_model(ResultForm::Unwrapped),
        }
    }

    /// What fits of the result.
    fn short_output(&self, bytes: usize) -> String {
        self.output.as_ref().map_or_else(|| "unknown".to_owned(), |model| hint::type_in_place(model, bytes))
    }

    /// The first step of the ladder at which the line fits, with as many fields below as fit too: the
    /// rows of a table are what its callers want to know.
    fn within(&self, bytes: usize, form: impl Fn(&SignatureLine<'_>) -> String) -> Option<String> {
        let mut ladder = LANGUAGE_STEPS.into_iter().skip_while(|step| *step < HintStep::NoTags);
        let fits = |line: &String| line.len() <= bytes;
        let (step, line) =
            ladder.find_map(|step| Some((step, Some(self.line(step, 0, &form)).filter(fits)?)))?;
        if step <= HintStep::Repeated {
            return Some(line);
        }
        let fuller = FIELDS.into_iter().map(|kept| self.line(step, kept, &form)).find(fits);
        Some(fuller.unwrap_or(line))
    }

    fn line(&self, step: HintStep, kept: usize, form: impl Fn(&SignatureLine<'_>) -> String) -> String {
        let applied = |model: &Model| step.apply_keeping(model, kept);
        let models = (applied(&self.input), self.output.as_ref().map(applied));
        let mut parts = vec![ModelPart { prefix: "", side: "Args", model: &models.0 }];
        parts.extend(models.1.as_ref().map(|model| ModelPart { prefix: "", side: "Result", model }));
        let mut names = name_definitions(&parts, &mut TakenNames::default()).into_iter();
        let (input_names, output_names) =
            (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        let shown = step.shown(false);
        let line = SignatureLine {
            models: (&models.0, models.1.as_ref()),
            input: TypeScriptWriter { names: &input_names, shown },
            output: TypeScriptWriter { names: &output_names, shown },
        };
        form(&line) + &line.definitions()
    }
}

impl SignatureLine<'_> {
    fn input(&self) -> String {
        self.input.inline(&self.models.0.root)
    }

    fn output(&self) -> String {
        self.models.1.map_or_else(|| "unknown".to_owned(), |model| self.output.inline(&model.root))
    }

    fn keywords(&self) -> String {
        let shown = |it: ObjectField| {
            let mark = if it.required { "" } else { "?" };
            format!("{}{mark}: {}", key(&it.key), self.input.inline(&it.kind))
        };
        keywords(self.models.0).into_iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    /// `; type Node = { … }` for every type that the line names.
    fn definitions(&self) -> String {
        let mut seen: Vec<&str> = Vec::new();
        let mut text = String::new();
        let sides = [(Some(self.models.0), &self.input), (self.models.1, &self.output)];
        for (model, writer) in sides.into_iter().filter_map(|(model, writer)| Some((model?, writer))) {
            for (definition, name) in model.definitions.iter().zip(writer.names) {
                if !seen.contains(&name.as_str()) {
                    seen.push(name);
                    text.push_str(&format!("; type {name} = {}", writer.inline(&definition.kind)));
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests;
