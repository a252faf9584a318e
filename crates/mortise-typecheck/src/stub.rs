//! One tool as the type checker sees it: a stub module, and what is in it.

use std::collections::HashMap;
use std::sync::Arc;

use mortise_contract::shape::Shape as Declared;
use mortise_contract::text::cut;
use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{Contract, NameMap};
use mortise_declare::{Loss, PythonOptions, SchemaSide, ToolDefinition, python_declarations};
use ruff_python_ast::{Expr, Stmt};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};
use serde_json::Value;

use crate::request::{CheckedTool, ObservedOutput, Outputs};

/// How the modules of stubs begin. No program has such a module.
const MODULE: &str = "_declared_";
const OBSERVED_MODULE: &str = "_observed_";
/// Characters of a shape or signature that are shown.
const SHOWN: usize = 400;

#[derive(Debug)]
pub(crate) struct Stub {
    pub(crate) module: String,
    /// Its text, a `.pyi` file.
    pub(crate) text: String,
    /// The name of the function in it.
    pub(crate) function: String,
    pub(crate) signature: ToolSignature,
    /// The shapes in it, by class name.
    pub(crate) shapes: HashMap<String, ObjectShape>,
    /// What its arguments are declared to be.
    pub(crate) properties: HashMap<String, Declared>,
    pub(crate) input_schema: Value,
    contract: Arc<Contract>,
    outputs: Outputs,
    /// What stands for its output schema.
    observed: Option<ObservedOutput>,
}

/// What a tool takes and returns.
#[derive(Debug, Default)]
pub(crate) struct ToolSignature {
    /// `mcp__s__t(*, a: str) -> Row`.
    pub(crate) text: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Whether other arguments are welcome.
    pub(crate) takes_others: bool,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) is_required: bool,
}

/// An object that a tool returns or takes.
#[derive(Debug)]
pub(crate) struct ObjectShape {
    /// `Row = {date: str, revenue: int | float, note?: str}`.
    pub(crate) text: String,
    pub(crate) keys: Vec<String>,
    /// The types of the keys, in the same order.
    pub(crate) kinds: Vec<String>,
    pub(crate) rest: OtherKeys,
    /// How many results show it, where it was observed and not declared.
    pub(crate) observed: Option<u64>,
}

/// Keys that a shape does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherKeys {
    /// The object may have any other key.
    Open,
    /// The object has no other key.
    Closed,
    /// Other keys have a declared type.
    Typed,
}

impl ObjectShape {
    /// Whether a key is declared and need not be there.
    pub(crate) fn is_optional(&self, key: &str) -> bool {
        let at = self.keys.iter().position(|known| known == key);
        at.and_then(|at| self.kinds.get(at)).is_some_and(|kind| kind.starts_with("NotRequired["))
    }
}

impl Stub {
    /// The stub of a tool as its server declares it, or, with `observed`, as its results were.
    pub(crate) fn of(tool: &CheckedTool, observed: Option<&ObservedOutput>) -> Option<Self> {
        let mut definition = ToolDefinition::of(&tool.server, &tool.contract);
        definition.forward_output_schema = tool.outputs == Outputs::Declared;
        if let Some(observed) = observed {
            definition.output_schema = Some(observed.schema.clone());
            (definition.unreadable_output, definition.forward_output_schema) = (None, true);
            // The values are those that programs got: nothing is taken out of them.
            (definition.shape_rule, definition.is_projected) = (ShapeRule::Keep, false);
        }
        let names = NameMap::new([(&definition.server, &definition.tool)]);
        let properties = properties(&definition.input_schema);
        let input_schema = definition.input_schema.clone();
        let options = PythonOptions { extra_items: true, ..PythonOptions::default() };
        let mut declared = python_declarations(std::slice::from_ref(&definition), &names, &options);
        if declared.losses.iter().flat_map(|(_, losses)| losses).any(stands_for_others) {
            definition.forward_output_schema = false;
            declared = python_declarations(&[definition], &names, &options);
        }
        let text = declared.text;
        let mut stub = Self {
            module: Self::module_of(&tool.callable, observed.is_some()),
            text: String::new(),
            function: String::new(),
            signature: ToolSignature::default(),
            shapes: HashMap::new(),
            properties,
            input_schema,
            contract: tool.contract.clone(),
            outputs: tool.outputs,
            observed: observed.cloned(),
        };
        stub.read(&text, &tool.callable);
        stub.text = text;
        (!stub.function.is_empty()).then_some(stub)
    }

    /// The module of a tool's stub.
    pub(crate) fn module_of(callable: &str, is_observed: bool) -> String {
        format!("{}{callable}", if is_observed { OBSERVED_MODULE } else { MODULE })
    }

    /// Whether this is still the stub of the tool.
    pub(crate) fn is_of(&self, tool: &CheckedTool, observed: Option<&ObservedOutput>) -> bool {
        Arc::ptr_eq(&self.contract, &tool.contract)
            && self.outputs == tool.outputs
            && self.observed.as_ref() == observed
    }

    fn read(&mut self, text: &str, callable: &str) {
        let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
        let Some(parsed) = parsed.try_into_module() else { return };
        for statement in parsed.suite() {
            match statement {
                Stmt::ClassDef(class) => {
                    let fields: Vec<(String, &Expr)> = class
                        .body
                        .iter()
                        .filter_map(Stmt::as_ann_assign_stmt)
                        .filter_map(|field| {
                            Some((field.target.as_name_expr()?.id.to_string(), &*field.annotation))
                        })
                        .collect();
                    let keywords = class.arguments.as_ref().map_or(&[][..], |arguments| &arguments.keywords);
                    self.add(text, class.name.as_str(), &fields, keywords);
                }
                Stmt::Assign(assignment) => {
                    let Expr::Call(call) = &*assignment.value else { continue };
                    let [Expr::StringLiteral(name), Expr::Dict(fields)] = &*call.arguments.args else {
                        continue;
                    };
                    let fields: Vec<(String, &Expr)> = fields
                        .items
                        .iter()
                        .filter_map(|item| {
                            let key = item.key.as_ref()?.as_string_literal_expr()?;
                            Some((key.value.to_string(), &item.value))
                        })
                        .collect();
                    self.add(text, name.value.to_str(), &fields, &call.arguments.keywords);
                }
                Stmt::FunctionDef(function) => {
                    self.function = function.name.to_string();
                    self.signature.takes_others = function.parameters.kwarg.is_some();
                    self.signature.parameters = function
                        .parameters
                        .kwonlyargs
                        .iter()
                        .map(|parameter| Parameter {
                            name: parameter.parameter.name.to_string(),
                            is_required: parameter.default.is_none(),
                        })
                        .collect();
                    let returns =
                        function.returns.as_ref().map_or("Any", |returns| part(text, returns.range()));
                    let parameters = part(text, function.parameters.range());
                    self.signature.text = cut(&format!("{callable}{parameters} -> {returns}"), SHOWN);
                }
                _ => {}
            }
        }
    }

    fn add(
        &mut self,
        text: &str,
        name: &str,
        fields: &[(String, &Expr)],
        keywords: &[ruff_python_ast::Keyword],
    ) {
        let shown: Vec<String> = fields
            .iter()
            .map(|(key, kind)| match kind {
                Expr::Subscript(inner)
                    if inner.value.as_name_expr().is_some_and(|name| name.id == "NotRequired") =>
                {
                    format!("{key}?: {}", part(text, inner.slice.range()))
                }
                kind => format!("{key}: {}", part(text, kind.range())),
            })
            .collect();
        let has = |wanted: &str| {
            keywords.iter().any(|keyword| keyword.arg.as_ref().is_some_and(|name| name == wanted))
        };
        let rest = match (has("closed"), has("extra_items")) {
            (true, _) => OtherKeys::Closed,
            (_, true) => OtherKeys::Typed,
            _ => OtherKeys::Open,
        };
        let shape = ObjectShape {
            text: cut(&format!("{name} = {{{}}}", shown.join(", ")), SHOWN),
            keys: fields.iter().map(|(key, _)| key.clone()).collect(),
            kinds: fields.iter().map(|(_, kind)| part(text, kind.range()).to_owned()).collect(),
            rest,
            observed: self.observed.as_ref().map(|observed| observed.results),
        };
        self.shapes.insert(name.to_owned(), shape);
    }
}

/// The shapes of arguments, each with the definitions that its references lead to.
fn properties(schema: &Value) -> HashMap<String, Declared> {
    let listed = schema.get("properties").and_then(Value::as_object);
    let shape = |property: &Value| {
        let Value::Object(members) = property else { return Declared::of(property) };
        if !refers(property) {
            return Declared::of(property);
        }
        let mut members = members.clone();
        for definitions in ["$defs", "definitions"] {
            if let Some(found) = schema.get(definitions) {
                members.entry(definitions).or_insert_with(|| found.clone());
            }
        }
        Declared::of(&Value::Object(members))
    };
    listed.into_iter().flatten().map(|(name, property)| (name.clone(), shape(property))).collect()
}

/// Whether a schema refers to another.
fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.contains_key("$ref") || members.values().any(refers),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

/// Whether one of several types was taken for all of them: its keys are not all that there are.
fn stands_for_others(loss: &Loss) -> bool {
    loss.side == SchemaSide::Output && loss.keyword == "allOf"
}

fn part(text: &str, range: TextRange) -> &str {
    text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
}

#[cfg(test)]
mod tests;
