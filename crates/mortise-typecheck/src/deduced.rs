//! What the functions of a program take and return, where it does not say so itself.
//!
//! The checker takes a parameter or a result without annotation for anything. But a helper that gets rows of a tool
//! wherever it is called takes such rows, and one that returns a part of a result returns that. Where the types of one
//! look say so, they are written into the program for the next.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::source_order::{
    SourceOrderVisitor, walk_except_handler, walk_expr, walk_parameter, walk_pattern, walk_stmt,
};
use ruff_python_ast::{
    Alias, ExceptHandler, Expr, ExprCall, ExprContext, Parameter, Pattern, Stmt, StmtFunctionDef,
};
use ruff_text_size::{Ranged as _, TextSize};

use crate::kinds::Types;
use crate::stub::Stub;

/// Bytes of a type; longer ones are left alone.
const LENGTH: usize = 400;
/// Annotations in one program; the rest is left alone.
const ADDED: usize = 100;
/// Types that are written as they are shown.
const PLAIN: [&str; 9] = ["list", "dict", "tuple", "set", "str", "int", "float", "bool", "None"];
/// Functions by which a program can call functions that it does not name.
const DYNAMIC: [&str; 5] = ["eval", "exec", "globals", "locals", "vars"];
/// Types that say nothing, and how they are written.
const ANYTHING: ([&str; 2], &str) = (["Any", "Unknown"], "_declared_anything");

/// What is added to a program.
#[derive(Debug, Default)]
pub(crate) struct Deduced {
    /// Annotations and where they go, in order.
    pub(crate) annotations: Vec<(TextSize, String)>,
    /// Classes that they name by their number here: module and name.
    classes: Vec<(String, String)>,
}

impl Deduced {
    /// What a program with the annotations imports for them.
    pub(crate) fn imports(&self) -> impl Iterator<Item = String> {
        let anything = format!("from typing import Any as {}", ANYTHING.1);
        let alias = |(at, (module, class)): (usize, &(String, String))| {
            format!("from {module} import {class} as _declared_{at}")
        };
        let anything = (!self.annotations.is_empty()).then_some(anything);
        anything.into_iter().chain(self.classes.iter().enumerate().map(alias))
    }

    /// Reads off the types what can be added to a program in which all this stands already; none if there is nothing.
    /// `origin` tells where a place was before that.
    pub(crate) fn and_further<'a>(
        &self,
        program: &'a [Stmt],
        types: &Types<'a>,
        origin: impl Fn(TextSize) -> Option<TextSize>,
    ) -> Option<Self> {
        let mut reader = Reader::default();
        program.iter().for_each(|statement| reader.visit_stmt(statement));
        // Words that the program gives another meaning can't be written, and calls that nobody sees pass anything.
        let is_odd = PLAIN.iter().any(|word| reader.bound.contains_key(word))
            || DYNAMIC.iter().any(|word| reader.reads.contains_key(word));
        if types.stubs.is_empty() || is_odd {
            return None;
        }
        let mut writer = Writer::new(types, &self.classes);
        writer.classes.retain(|class, _| !reader.bound.contains_key(class));
        let mut added = Vec::new();
        for (function, is_method) in &reader.functions {
            if !is_method {
                reader.parameters(function, &mut writer, &mut added);
            }
            // A name that gets something else somewhere may stand for that: an overridden method, a replaced function.
            if reader.bound.get(function.name.as_str()) == Some(&1) {
                added.extend(returned(function, &mut writer));
            }
            if self.annotations.len() + added.len() > ADDED {
                break;
            }
        }
        let added = added.into_iter().filter_map(|(at, annotation)| Some((origin(at)?, annotation)));
        let mut annotations: Vec<(TextSize, String)> =
            self.annotations.iter().cloned().chain(added).collect();
        annotations.sort_by_key(|(at, _)| *at);
        (annotations.len() > self.annotations.len()).then_some(Self { annotations, classes: writer.used })
    }
}

/// Functions, and how their names are used.
#[derive(Default)]
struct Reader<'a> {
    /// Whether each stands in a class.
    functions: Vec<(&'a StmtFunctionDef, bool)>,
    calls: HashMap<&'a str, Vec<&'a ExprCall>>,
    reads: HashMap<&'a str, usize>,
    bound: HashMap<&'a str, usize>,
    is_in_class: bool,
}

impl<'a> Reader<'a> {
    /// Adds what is passed to a function wherever it is called, if it is only ever called.
    fn parameters(
        &self,
        function: &'a StmtFunctionDef,
        writer: &mut Writer<'a, '_>,
        added: &mut Vec<(TextSize, String)>,
    ) {
        let name = function.name.as_str();
        let Some(calls) = self.calls.get(name).filter(|_| function.decorator_list.is_empty()) else { return };
        let is_only_called = self.reads.get(name) == Some(&calls.len()) && self.bound.get(name) == Some(&1);
        let is_unpacked = |call: &&ExprCall| {
            call.arguments.args.iter().any(Expr::is_starred_expr)
                || call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none())
        };
        if !is_only_called || calls.iter().any(is_unpacked) {
            return;
        }
        let mut rebound = Rebound::default();
        function.body.iter().for_each(|statement| rebound.visit_stmt(statement));
        let by_position = function.parameters.posonlyargs.iter().chain(&function.parameters.args);
        let by_position = by_position.enumerate().map(|(at, parameter)| (Some(at), parameter));
        let by_name = function.parameters.kwonlyargs.iter().map(|parameter| (None, parameter));
        for (position, parameter) in by_position.chain(by_name) {
            let name = parameter.parameter.name.as_str();
            // With a type of its own, a parameter could not become anything else.
            if parameter.parameter.annotation.is_some() || rebound.0.contains(name) {
                continue;
            }
            let default = parameter.default.as_deref();
            let given = |call: &&'a ExprCall| {
                let by_position = position.and_then(|at| call.arguments.args.get(at));
                let by_name = || call.arguments.find_keyword(name).map(|keyword| &keyword.value);
                by_position.or_else(by_name).or(default)
            };
            // What a function passes on to itself is what others pass.
            let is_passed_on = |call: &&'a ExprCall| {
                let value = given(call).and_then(Expr::as_name_expr);
                function.range().contains_range(call.range()) && value.is_some_and(|value| value.id == name)
            };
            let passed = calls.iter().filter(|call| !is_passed_on(call)).map(given);
            let passed: Option<Vec<&Expr>> = passed.chain(default.map(Some)).collect();
            if let Some(kind) = passed.and_then(|passed| writer.union(&passed)) {
                added.push((parameter.parameter.name.end(), format!(": {kind}")));
            }
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Reader<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let is_in_class = self.is_in_class;
        match statement {
            Stmt::FunctionDef(function) => {
                self.functions.push((function, is_in_class));
                *self.bound.entry(function.name.as_str()).or_default() += 1;
                self.is_in_class = false;
            }
            Stmt::ClassDef(class) => {
                *self.bound.entry(class.name.as_str()).or_default() += 1;
                self.is_in_class = true;
            }
            _ => {}
        }
        walk_stmt(self, statement);
        self.is_in_class = is_in_class;
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => {
                let count = match name.ctx {
                    ExprContext::Load => &mut self.reads,
                    _ => &mut self.bound,
                };
                *count.entry(name.id.as_str()).or_default() += 1;
            }
            Expr::Attribute(attribute) if attribute.ctx != ExprContext::Load => {
                *self.bound.entry(attribute.attr.as_str()).or_default() += 1;
            }
            Expr::Call(call) => {
                if let Expr::Name(name) = &*call.func {
                    self.calls.entry(name.id.as_str()).or_default().push(call);
                }
            }
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        *self.bound.entry(name.as_str()).or_default() += 1;
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        *self.bound.entry(parameter.name.as_str()).or_default() += 1;
        walk_parameter(self, parameter);
    }
}

/// Names that get a value within a function.
#[derive(Default)]
struct Rebound<'a>(HashSet<&'a str>);

impl<'a> SourceOrderVisitor<'a> for Rebound<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => drop(self.0.insert(function.name.as_str())),
            Stmt::ClassDef(class) => drop(self.0.insert(class.name.as_str())),
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression
            && name.ctx != ExprContext::Load
        {
            self.0.insert(name.id.as_str());
        }
        walk_expr(self, expression);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        self.0.insert(alias.asname.as_ref().unwrap_or(&alias.name).as_str());
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        self.0.extend(inner.name.as_ref().map(|name| name.as_str()));
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(capture) => capture.name.as_ref(),
            Pattern::MatchStar(star) => star.name.as_ref(),
            Pattern::MatchMapping(mapping) => mapping.rest.as_ref(),
            _ => None,
        };
        self.0.extend(name.map(|name| name.as_str()));
        walk_pattern(self, pattern);
    }
}

/// What a function returns, to be written behind its parameters.
fn returned(function: &StmtFunctionDef, writer: &mut Writer<'_, '_>) -> Option<(TextSize, String)> {
    if function.returns.is_some() {
        return None;
    }
    let mut returns = Returns::default();
    function.body.iter().for_each(|statement| returns.visit_stmt(statement));
    if returns.is_generator {
        return None;
    }
    let kind = writer.union(&returns.values)?;
    // Whoever does not return anything returns nothing, and callers may test for that.
    let nothing = if returns.is_bare || !always_ends(&function.body) { " | None" } else { "" };
    Some((function.parameters.end(), format!(" -> {kind}{nothing}")))
}

/// Whether it is plain to see that the end of a function is never reached.
fn always_ends(body: &[Stmt]) -> bool {
    match body.last() {
        Some(Stmt::Return(_) | Stmt::Raise(_)) => true,
        Some(Stmt::If(choice)) => {
            let is_complete = choice.elif_else_clauses.last().is_some_and(|clause| clause.test.is_none());
            is_complete
                && always_ends(&choice.body)
                && choice.elif_else_clauses.iter().all(|clause| always_ends(&clause.body))
        }
        _ => false,
    }
}

/// The values that a function returns.
#[derive(Default)]
struct Returns<'a> {
    values: Vec<&'a Expr>,
    /// Whether it also returns without a value.
    is_bare: bool,
    is_generator: bool,
}

impl<'a> SourceOrderVisitor<'a> for Returns<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            // Those return for themselves.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => return,
            Stmt::Return(statement) => {
                self.is_bare |= statement.value.is_none();
                self.values.extend(statement.value.as_deref());
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Lambda(_) => {}
            Expr::Yield(_) | Expr::YieldFrom(_) => self.is_generator = true,
            expression => walk_expr(self, expression),
        }
    }
}

/// Writes types so that the program can say them.
struct Writer<'a, 'b> {
    types: &'b Types<'a>,
    /// Which module has a class; none where several have it.
    classes: HashMap<&'a str, Option<&'a str>>,
    /// Classes that were written: module and name.
    used: Vec<(String, String)>,
}

impl<'a, 'b> Writer<'a, 'b> {
    fn new(types: &'b Types<'a>, used: &[(String, String)]) -> Self {
        let mut classes = HashMap::new();
        let of_stub =
            |stub: &&'a Stub| stub.shapes.keys().map(|class| (class.as_str(), stub.module.as_str()));
        for (class, module) in types.stubs.iter().flat_map(of_stub) {
            classes.entry(class).and_modify(|known| *known = None).or_insert(Some(module));
        }
        Self { types, classes, used: used.to_vec() }
    }

    /// All that some expressions can be, if objects of tools are among it.
    fn union(&mut self, values: &[&Expr]) -> Option<String> {
        let mut kinds: Vec<String> = Vec::new();
        let mut is_telling = false;
        for value in values {
            let shown = self.types.shown(value).unwrap_or_else(|| "Unknown".to_owned());
            let (kind, tells) = self.written(&shown)?;
            is_telling |= tells;
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let kind = kinds.join(" | ");
        (is_telling && kind.len() <= LENGTH).then_some(kind)
    }

    /// A type as it is shown, in words that the program can use, and whether a class of a tool is among them.
    fn written(&mut self, shown: &str) -> Option<(String, bool)> {
        let mut text = String::new();
        let mut is_telling = false;
        let mut rest = shown;
        while let Some(first) = rest.chars().next() {
            let is_part = |c: char| c == '_' || c.is_alphanumeric();
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            if end == 0 {
                if !matches!(first, '[' | ']' | ',' | ' ' | '|') {
                    return None;
                }
                text.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let (word, after) = rest.split_at(end);
            rest = after;
            if ANYTHING.0.contains(&word) {
                text.push_str(ANYTHING.1);
            } else if PLAIN.contains(&word) {
                text.push_str(word);
            } else {
                let (class, module) = self.classes.get_key_value(word)?;
                let class = ((*module)?.to_owned(), (*class).to_owned());
                let at = self.used.iter().position(|used| *used == class).unwrap_or(self.used.len());
                if at == self.used.len() {
                    self.used.push(class);
                }
                is_telling = true;
                text.push_str(&format!("_declared_{at}"));
            }
        }
        Some((text, is_telling))
    }
}
