//! Tools as TypeScript.

mod write;

use std::collections::BTreeMap;

use mortise_contract::NameMap;
use serde_json::Value;

use super::definition::{ResultForm, ToolDefinition};
use super::hint::{self, HintStep};
use super::loss::SchemaSide;
use super::model::Model;
use super::naming::NameScope;
use super::prepare::{PrepareOptions, Prepared, finish, prepare};
use super::{Declarations, text};
use crate::limits;

pub(super) use write::{Shown, TypeScriptWriter, key};

/// How the declarations are brought into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TypeScriptForm {
    /// `declare const tools: { … };`: names that are simply there. A type that is called like one of TypeScript's
    /// libraries gets a trailing `_`.
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
    /// Whether objects that explicitly allow other keys show an index signature.
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

/// The compact type of a schema within a number of bytes, shortened by structure; what does not fit is `unknown`.
///
/// Types that need names follow the type: `type T = <this>;` is TypeScript.
///
/// ```
/// use mortise_declare::typescript_type;
/// use serde_json::json;
///
/// let schema = json!({"type": "array", "items": {"properties": {"n": {"type": "integer"}}, "required": ["n"]}});
/// assert_eq!(typescript_type(&schema, 100), "Array<{ /** integer */ n: number; }>");
/// assert_eq!(typescript_type(&schema, 30), "Array<{ n: number; }>");
/// ```
pub fn typescript_type(schema: &Value, bytes: usize) -> String {
    hint::compact_type(&Model::of(schema, "", SchemaSide::Output), bytes)
}

/// `?` where a tool can be called without arguments.
pub(super) fn optional(input: &Model) -> &'static str {
    use super::model::Type;
    match &input.root {
        Type::Unknown => "?",
        Type::Object(object) if object.fields.iter().all(|field| !field.required) => "?",
        _ => "",
    }
}

/// Declares tools; those that `names` does not know are left out.
pub fn typescript_declarations(
    tools: &[ToolDefinition],
    names: &NameMap,
    options: &TypeScriptOptions,
) -> Declarations {
    let reading = PrepareOptions {
        results: options.results,
        index_signatures: options.index_signatures,
        tool_bytes: options.tool_bytes,
        scope: match options.form {
            TypeScriptForm::Ambient => NameScope::Global,
            TypeScriptForm::Module => NameScope::File,
        },
    };
    let (tools, _) = prepare(tools, names, &reading);
    let mut file = TypeScriptFile { types: BTreeMap::new(), methods: Vec::new(), options };
    tools.iter().for_each(|tool| file.add(tool));
    finish("typescript", file.finish(), tools)
}

struct TypeScriptFile<'a> {
    types: BTreeMap<String, String>,
    methods: Vec<String>,
    options: &'a TypeScriptOptions,
}

impl TypeScriptFile<'_> {
    fn add(&mut self, tool: &Prepared<'_>) {
        let export = if self.options.form == TypeScriptForm::Module { "export " } else { "" };
        let mut types = |model: &Model, names: &[String], step: HintStep| {
            let writer = TypeScriptWriter { names, shown: step.shown(self.options.index_signatures) };
            for (definition, name) in model.definitions.iter().zip(names) {
                self.types.entry(name.clone()).or_insert_with(|| {
                    let doc = writer.doc_lines(&definition.doc, 0);
                    let body = writer.block(&definition.kind, 0);
                    format!("{doc}{export}type {name} = {body};\n")
                });
            }
            writer.block(&model.root, 1)
        };
        let input = types(&tool.input, &tool.input_names, tool.steps.input);
        let output = match &tool.output {
            Some(output) => types(output, &tool.output_names, tool.steps.output),
            None => "unknown".to_owned(),
        };
        let output = match self.options.results {
            ResultForm::Unwrapped => output,
            ResultForm::AsSent => format!("CallToolResult<{output}>"),
        };
        let doc = self.tool_doc(tool);
        let args = tool.optional;
        self.methods.push(format!("{doc}  {}(args{args}: {input}): Promise<{output}>;\n", tool.callable));
    }

    fn tool_doc(&self, tool: &Prepared<'_>) -> String {
        let mut lines = Vec::new();
        if let Some(description) = &tool.definition.description {
            lines.extend(text::description_lines(description).iter().map(|line| text::unclosed(line)));
        }
        let shown = tool.steps.output.shown(self.options.index_signatures);
        let writer = TypeScriptWriter { names: &tool.output_names, shown };
        if let Some(said) = tool.output.as_ref().and_then(|output| writer.doc(&output.doc)) {
            lines.push(format!("@returns {said}"));
        }
        lines.extend(tool.definition.silence().map(str::to_owned));
        lines.extend(tool.steps.sentence().map(str::to_owned));
        write::comment(&lines, 1)
    }

    fn finish(self) -> String {
        let mut out = String::new();
        let is_module = self.options.form == TypeScriptForm::Module;
        let export = if is_module { "export " } else { "" };
        if self.options.results == ResultForm::AsSent {
            out.push_str(&format!("{export}{RESULT_TYPE}\n"));
        }
        for text in self.types.values() {
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
