//! The functions of a program, their callers, and the arguments.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::source_order::{
    SourceOrderVisitor, walk_comprehension, walk_except_handler, walk_expr, walk_parameter, walk_pattern,
    walk_stmt,
};
use ruff_python_ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprCall, ExprContext, Parameter, Pattern, Stmt, StmtAssign,
    StmtClassDef, StmtFunctionDef,
};
use ruff_text_size::{Ranged as _, TextRange};

use super::Addition;
use super::ahead::{Foresight, Local, Locals};
use super::claims::hides;
use super::writer::AnnotationWriter;
use crate::evidence::handlers::last_name;
use crate::evidence::origins::captured;

/// Functions that call their first argument with each element of the second.
const MAPPERS: [&str; 2] = ["map", "filter"];
/// Functions and methods that call what they get as `key` with each element.
const KEYED: [&str; 4] = ["sorted", "min", "max", "sort"];
/// What runs a coroutine that it is given; its own result may be dropped.
const RUNNERS: [&str; 4] = ["run", "gather", "create_task", "wait_for"];
const CONSTRUCTOR: &str = "__init__";

/// A function, and the class that it is a method of.
#[derive(Clone, Copy)]
pub(super) struct Function<'a> {
    pub(super) definition: &'a StmtFunctionDef,
    pub(super) class: Option<&'a StmtClassDef>,
}

/// What one call passes for a parameter.
#[derive(Clone, Copy)]
pub(super) enum Passed<'a> {
    Value(&'a Expr),
    /// Each element of this: `map(line, rows)`.
    Element(&'a Expr),
}

/// A use of a function that calls it.
enum Use<'a> {
    Call(&'a ExprCall),
    /// Called with each element of this, and nothing else.
    Each(&'a Expr),
}

/// Functions, and how their names are used.
#[derive(Default)]
pub(super) struct Uses<'a> {
    pub(super) functions: Vec<Function<'a>>,
    uses: HashMap<&'a str, Vec<Use<'a>>>,
    /// Names and attributes that are read, and how often.
    pub(super) reads: HashMap<&'a str, usize>,
    /// Names and attributes that get something, and how often.
    pub(super) bound: HashMap<&'a str, usize>,
    /// `groups = defaultdict(list)` and the like.
    pub(super) assignments: Vec<&'a StmtAssign>,
    /// Calls whose result is dropped.
    dropped: HashSet<TextRange>,
    pub(super) calls: Vec<&'a ExprCall>,
    pub(super) locals: Locals<'a>,
    class: Option<&'a StmtClassDef>,
}

impl<'a> Uses<'a> {
    /// Adds what is passed to a function wherever it is called, if it is only ever called.
    pub(super) fn parameters(
        &self,
        function: &Function<'a>,
        writer: &mut AnnotationWriter<'a, '_>,
        added: &mut Vec<Addition>,
        foresight: &Foresight<'_>,
    ) {
        let definition = function.definition;
        let Some(uses) = self.all_uses(function).filter(|_| definition.decorator_list.is_empty()) else {
            return;
        };
        let mut rebound = Rebound::default();
        definition.body.iter().for_each(|statement| rebound.visit_stmt(statement));
        let is_method = function.class.is_some();
        let by_position = definition.parameters.posonlyargs.iter().chain(&definition.parameters.args);
        // The first is the object itself.
        let by_position =
            by_position.skip(usize::from(is_method)).enumerate().map(|(at, parameter)| (Some(at), parameter));
        let by_name = definition.parameters.kwonlyargs.iter().map(|parameter| (None, parameter));
        for (position, parameter) in by_position.chain(by_name) {
            let name = parameter.parameter.name.as_str();
            let at = parameter.parameter.name.end();
            let annotation = parameter.parameter.annotation.as_deref();
            let is_said =
                annotation.is_some_and(|annotation| !hides(annotation)) && !foresight.is_foreseen(at);
            // With a type of its own, a parameter could not become anything else.
            if is_said || rebound.0.contains(name) || added.iter().any(|known| known.at == at) {
                continue;
            }
            let default = parameter.default.as_deref();
            let given = |one: &Use<'a>| match one {
                Use::Each(list) => {
                    (position == Some(0)).then_some(Passed::Element(list)).or(default.map(Passed::Value))
                }
                Use::Call(call) => {
                    let by_position = position.and_then(|at| call.arguments.args.get(at));
                    let by_name = || call.arguments.find_keyword(name).map(|keyword| &keyword.value);
                    by_position.or_else(by_name).or(default).map(Passed::Value)
                }
            };
            // A function that forwards its parameter to itself forwards what others pass.
            let is_forwarded = |one: &&Use<'a>| match (one, given(one)) {
                (Use::Call(call), Some(Passed::Value(Expr::Name(value)))) => {
                    definition.range().contains_range(call.range()) && value.id == name
                }
                _ => false,
            };
            let passed = uses.iter().filter(|one| !is_forwarded(one)).map(given);
            let passed: Option<Vec<Passed<'_>>> =
                passed.chain(default.map(|value| Some(Passed::Value(value)))).collect();
            let Some(passed) = passed else { continue };
            if let Some((kind, is_foreseen)) = foresight.union(self, &passed, writer, added, at) {
                let replaced = annotation.map(|annotation| TextRange::new(at, annotation.end()));
                added.push(Addition { at, annotation: format!(": {kind}"), replaced, is_foreseen });
            }
        }
    }

    /// All uses of a function, if each of them is a call that shows its arguments.
    fn all_uses(&self, function: &Function<'a>) -> Option<&[Use<'a>]> {
        let own = function.definition.name.as_str();
        let name = match function.class {
            Some(class) if own == CONSTRUCTOR => class.name.as_str(),
            _ => own,
        };
        // `super().__init__(…)` calls it too.
        let is_called_otherwise = own == CONSTRUCTOR
            && (self.reads.contains_key(CONSTRUCTOR) || self.bound.get(CONSTRUCTOR) != Some(&1));
        let uses = self.uses.get(name)?;
        let is_only_called = self.reads.get(name) == Some(&uses.len()) && self.bound.get(name) == Some(&1);
        let is_unpacked = |one: &Use<'_>| match one {
            Use::Call(call) => {
                let is_of_class = function.class.is_some() && own != CONSTRUCTOR && self.is_by_class(call);
                call.arguments.args.iter().any(Expr::is_starred_expr)
                    || call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none())
                    || is_of_class
                    || (function.class.is_some() && own != CONSTRUCTOR) != call.func.is_attribute_expr()
            }
            Use::Each(_) => function.class.is_some() && own == CONSTRUCTOR,
        };
        (is_only_called && !is_called_otherwise && !uses.iter().any(is_unpacked)).then_some(uses)
    }

    /// `TypecheckReport.line(report, row)`: the object itself is passed by position.
    fn is_by_class(&self, call: &ExprCall) -> bool {
        let Expr::Attribute(method) = &*call.func else { return false };
        let Expr::Name(object) = &*method.value else { return false };
        self.functions
            .iter()
            .filter_map(|function| function.class)
            .any(|class| class.name.as_str() == object.id)
    }

    /// Whether what a function returns is used anywhere.
    pub(super) fn is_result_used(&self, name: &str) -> bool {
        let calls = self.uses.get(name).into_iter().flatten();
        calls.into_iter().any(|one| match one {
            Use::Call(call) => !self.dropped.contains(&call.range()),
            Use::Each(_) => true,
        })
    }

    fn bind(&mut self, name: &'a str) {
        *self.bound.entry(name).or_default() += 1;
        self.locals.count(name);
    }

    /// Notes `map(line, rows)` and `sorted(rows, key=line)`.
    fn refer(&mut self, call: &'a ExprCall) {
        let Some(name) = last_name(&call.func) else { return };
        let arguments = &call.arguments.args;
        let (function, list) = match (&*call.func, arguments.first()) {
            (Expr::Name(_), Some(function)) if MAPPERS.contains(&name) && arguments.len() == 2 => {
                (Some(function), arguments.get(1))
            }
            (func, first) if KEYED.contains(&name) => {
                let key = call.arguments.find_keyword("key").map(|keyword| &keyword.value);
                let list = func.as_attribute_expr().map_or(first, |method| Some(&*method.value));
                (key, list)
            }
            _ => return,
        };
        let name = match function {
            Some(Expr::Name(name)) => name.id.as_str(),
            Some(Expr::Attribute(method)) => method.attr.as_str(),
            _ => return,
        };
        if let Some(list) = list {
            self.uses.entry(name).or_default().push(Use::Each(list));
        }
    }

    /// Notes the calls of a statement whose results go nowhere.
    fn drop_results(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Await(awaited) => self.drop_results(&awaited.value),
            Expr::Call(call) => {
                self.dropped.insert(call.range());
                if last_name(&call.func).is_some_and(|name| RUNNERS.contains(&name)) {
                    call.arguments.args.iter().for_each(|argument| self.drop_results(argument));
                }
            }
            _ => {}
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Uses<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let (class, function) = (self.class, self.locals.function);
        match statement {
            Stmt::FunctionDef(definition) => {
                self.functions.push(Function { definition, class });
                self.bind(definition.name.as_str());
                self.class = None;
                self.locals.function = Some(definition.range());
            }
            Stmt::ClassDef(definition) => {
                self.bind(definition.name.as_str());
                self.class = Some(definition);
            }
            Stmt::Assign(assignment) => {
                self.assignments.push(assignment);
                if let [Expr::Name(name)] = &*assignment.targets {
                    let local = Local::Value { target: name.end(), value: &assignment.value };
                    self.locals.note(name.id.as_str(), local);
                }
            }
            Stmt::For(inner) => self.locals.note_loop(&inner.target, &inner.iter),
            Stmt::Global(inner) => inner.names.iter().for_each(|name| self.locals.share(name)),
            Stmt::Nonlocal(inner) => inner.names.iter().for_each(|name| self.locals.share(name)),
            Stmt::Expr(expression) => self.drop_results(&expression.value),
            _ => {}
        }
        walk_stmt(self, statement);
        (self.class, self.locals.function) = (class, function);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load => *self.reads.entry(name.id.as_str()).or_default() += 1,
                _ => self.bind(name.id.as_str()),
            },
            Expr::Attribute(attribute) => {
                let count = match attribute.ctx {
                    ExprContext::Load => &mut self.reads,
                    _ => &mut self.bound,
                };
                *count.entry(attribute.attr.as_str()).or_default() += 1;
            }
            Expr::Call(call) => {
                self.calls.push(call);
                if let Some(name) = last_name(&call.func) {
                    self.uses.entry(name).or_default().push(Use::Call(call));
                }
                self.refer(call);
            }
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        self.bind(name.as_str());
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bind(parameter.name.as_str());
        self.locals.note(parameter.name.as_str(), Local::Parameter(parameter));
        walk_parameter(self, parameter);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.locals.note_loop(&comprehension.target, &comprehension.iter);
        walk_comprehension(self, comprehension);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        inner.name.iter().for_each(|name| self.locals.count(name));
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        captured(pattern).into_iter().for_each(|name| self.locals.count(name));
        walk_pattern(self, pattern);
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
        self.0.extend(captured(pattern));
        walk_pattern(self, pattern);
    }
}
