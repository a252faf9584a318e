//! The bridge protocol: `TOPIC`, `SINK` and `parse` of a parser module.

use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged as _;

use super::forbidden::{self, Allowance};
use super::signature::{self, Gives};
use super::{Module, bytes};
use crate::format::{ErrorBody, ErrorCode, Warning};

/// What a parser's rows can be written to.
pub const SINKS: [&str; 3] = ["parquet", "sqlite", "csv"];

/// What a parser may have besides the usual.
#[derive(Clone, Debug, Default)]
pub struct BridgeOptions {
    /// Further modules that it may import.
    pub extra_imports: Vec<String>,
}

/// What was found of the bridge protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct BridgeReport {
    /// The value of `TOPIC`.
    pub topic: Option<String>,
    /// The value of `SINK`.
    pub sink: Option<String>,
    /// How the protocol is broken, in the order `TOPIC`, `SINK`, `parse`.
    pub errors: Vec<ErrorBody>,
    /// Imports and calls that are not allowed.
    pub forbidden: Vec<ErrorBody>,
    /// What is odd but works.
    pub warnings: Vec<Warning>,
    /// Imported modules that are not Python's own, so that the code can't run without an installation.
    pub foreign_modules: Vec<String>,
}

impl BridgeReport {
    /// Whether the protocol is kept; forbidden imports and calls are a matter of their own.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// All errors as one, the protocol's first.
    pub fn error(&self) -> Option<ErrorBody> {
        ErrorBody::of_many(self.errors.iter().chain(&self.forbidden).cloned())
    }
}

pub(super) fn check(module: &Module, options: &BridgeOptions) -> BridgeReport {
    let allowance = Allowance::parser(&options.extra_imports);
    let mut report = BridgeReport {
        topic: None,
        sink: None,
        errors: Vec::new(),
        forbidden: forbidden::find(module, &allowance),
        warnings: Vec::new(),
        foreign_modules: forbidden::foreign_modules(module, &options.extra_imports),
    };
    let handler = handler(module);
    let body = handler.map_or(module.body(), |body| body);
    match constant(
        module,
        body,
        "TOPIC",
        is_topic,
        "lower-case letters, digits and `_`, a letter first",
        "orders",
    ) {
        Ok(topic) => report.topic = Some(topic),
        Err(error) => report.errors.push(error),
    }
    let is_sink = |text: &str| SINKS.contains(&text);
    match constant(module, body, "SINK", is_sink, "`parquet`, `sqlite` or `csv`", "parquet") {
        Ok(sink) => report.sink = Some(sink),
        Err(error) => report.errors.push(error),
    }
    if handler.is_some() {
        let message =
            "a class `Handler` is the older form; write `TOPIC`, `SINK` and `parse` at the top of the module";
        report.warnings.push(Warning {
            code: "WARN_HANDLER_CLASS".to_owned(),
            message: message.to_owned(),
            field: Some("Handler".to_owned()),
        });
        return report;
    }
    match signature::function(module, "parse", Gives::ReturnedOrYielded, ErrorCode::BridgeProtocol) {
        Ok(parse) => report.warnings.extend(parameter_warning(module, parse)),
        Err(error) => report.errors.push(error),
    }
    report
}

/// The body of a class `Handler` with a method `parse`, where there is no function `parse`.
fn handler(module: &Module) -> Option<&[Stmt]> {
    let has_parse = |body: &[Stmt]| {
        body.iter().filter_map(Stmt::as_function_def_stmt).any(|function| function.name.as_str() == "parse")
    };
    if has_parse(module.body()) {
        return None;
    }
    let classes = module.body().iter().filter_map(Stmt::as_class_def_stmt);
    let mut handlers = classes.filter(|class| class.name.as_str() == "Handler");
    handlers.find(|class| has_parse(&class.body)).map(|class| class.body.as_slice())
}

/// The one text that a name is set to.
fn constant(
    module: &Module,
    body: &[Stmt],
    name: &str,
    is_valid: impl Fn(&str) -> bool,
    expected: &str,
    example: &str,
) -> Result<String, ErrorBody> {
    let refuse = |reason: String| {
        let suggestion = format!("write `{name} = \"{example}\"` once, at the top of the module");
        ErrorBody::new(ErrorCode::BridgeProtocol, reason, suggestion).at_field(name)
    };
    let assigned: Vec<(&Stmt, Option<&Expr>)> =
        body.iter().filter_map(|statement| Some((statement, assigned_value(statement, name)?))).collect();
    let (statement, value) = match assigned.as_slice() {
        [] => return Err(refuse(format!("`{name}` is not set at the top of the module")).at_line(1)),
        [one] => *one,
        [_, second, ..] => {
            let error = refuse(format!("`{name}` is set {} times", assigned.len()));
            return Err(module.located(error, second.0));
        }
    };
    let Some(literal) = value.and_then(Expr::as_string_literal_expr) else {
        return Err(module.located(refuse(format!("`{name}` is not a plain text")), statement));
    };
    let text = literal.value.to_str();
    match is_valid(text) {
        true => Ok(text.to_owned()),
        false => Err(module.located(refuse(format!("`{name}` is `{text}`; expected {expected}")), literal)),
    }
}

/// What a statement sets a name to, if it does; the inner value is absent where it is not said or not one value.
fn assigned_value<'a>(statement: &'a Stmt, name: &str) -> Option<Option<&'a Expr>> {
    let is_name = |target: &Expr| matches!(target, Expr::Name(target) if target.id.as_str() == name);
    match statement {
        Stmt::Assign(assign) => {
            let direct = assign.targets.iter().any(is_name);
            let unpacked = assign.targets.iter().any(|target| match target {
                Expr::Tuple(tuple) => tuple.elts.iter().any(is_name),
                Expr::List(list) => list.elts.iter().any(is_name),
                _ => false,
            });
            (direct || unpacked).then_some(direct.then_some(&assign.value))
        }
        Stmt::AnnAssign(assign) if is_name(&assign.target) => Some(assign.value.as_deref()),
        Stmt::AugAssign(assign) if is_name(&assign.target) => Some(None),
        _ => None,
    }
}

fn is_topic(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn parameter_warning(module: &Module, parse: &StmtFunctionDef) -> Option<Warning> {
    let parameters = &parse.parameters;
    let first = parameters.posonlyargs.iter().chain(&parameters.args).next()?;
    let name = first.parameter.name.as_str();
    let annotation =
        first.parameter.annotation.as_deref().map(|expression| &module.text()[bytes(expression.range())]);
    let message = match (name, annotation) {
        ("file_path", Some("str")) => return None,
        ("file_path", _) => "`parse` takes `file_path` without `: str`".to_owned(),
        _ => format!("`parse` takes `{name}`; the usual name is `file_path`"),
    };
    Some(Warning { code: "WARN_PARSE_PARAMETER".to_owned(), message, field: Some("parse".to_owned()) })
}
