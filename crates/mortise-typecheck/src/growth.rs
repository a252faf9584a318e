//! How large the types of a program can grow.
//!
//! `a = (a, a)`, forty times over, is a type of 2⁴⁰ parts. The checker keeps it folded, and unfolds it in the first
//! message that speaks of it: no time limit helps then, for it does not look up. So the parts are counted beforehand,
//! generously, by what each name is made of.

mod expression;

use std::collections::{HashMap, HashSet};

use ruff_python_ast::{Expr, Parameters, Stmt, StmtFunctionDef};

use crate::finding::Unchecked;

/// Parts of the largest type. People's types have some dozens.
const PARTS: u64 = 10_000;
/// The same, times places where it could be spoken of.
const WORK: u64 = 2_000_000;
/// The most that is shown; beyond, nobody counts.
const SHOWN: u64 = 1_000_000;
/// Functions that call one another so deep; none that people write.
const CALLS: usize = 100;

/// Why the types of a program are too large to be followed, if they can be.
pub(crate) fn excess(program: &[Stmt]) -> Option<Unchecked> {
    let mut sizes = Sizes::default();
    sizes.collect(program);
    sizes.body(program);
    let parts = sizes.largest.min(SHOWN);
    (parts > PARTS || parts.saturating_mul(sizes.places) > WORK).then_some(Unchecked::Types { parts })
}

/// How many parts a type has, and whether it is a tuple, which grows when it is added to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    parts: u64,
    is_tuple: bool,
}

impl Size {
    const ONE: Self = Self { parts: 1, is_tuple: false };

    /// One or the other: types of the same size are taken for the same.
    fn or(self, other: Self) -> Self {
        if self == other { self } else { self.and(other) }
    }

    fn and(self, other: Self) -> Self {
        Self { parts: self.parts.saturating_add(other.parts), is_tuple: self.is_tuple || other.is_tuple }
    }

    fn max(self, other: Self) -> Self {
        Self { parts: self.parts.max(other.parts), is_tuple: self.is_tuple || other.is_tuple }
    }

    fn times(self, factor: u64) -> Self {
        Self { parts: self.parts.saturating_mul(factor), ..self }
    }

    fn within(self) -> Self {
        Self { parts: self.parts.saturating_add(1), is_tuple: false }
    }
}

#[derive(Default)]
struct Sizes<'a> {
    names: HashMap<&'a str, Size>,
    /// What names had before they were written, for each branch that is open.
    before: Vec<Vec<(&'a str, Option<Size>)>>,
    functions: HashMap<&'a str, Vec<&'a StmtFunctionDef>>,
    /// What functions return; nothing while it is being worked out.
    returned: HashMap<&'a str, Option<Size>>,
    /// What the function under way returns so far.
    returns: Size,
    /// Functions under way.
    depth: usize,
    /// Names that stand for types.
    variables: HashSet<&'a str>,
    largest: u64,
    /// Expressions that the checker could find fault with.
    places: u64,
}

impl<'a> Sizes<'a> {
    /// Finds functions and type variables, wherever they stand.
    fn collect(&mut self, body: &'a [Stmt]) {
        for statement in body {
            match statement {
                Stmt::FunctionDef(function) => {
                    self.functions.entry(function.name.as_str()).or_default().push(function);
                    self.type_variables(function.type_params.as_deref());
                    self.collect(&function.body);
                }
                Stmt::ClassDef(class) => {
                    self.type_variables(class.type_params.as_deref());
                    self.collect(&class.body);
                }
                Stmt::Assign(assignment) => {
                    let call = assignment.value.as_call_expr().map(|call| &*call.func);
                    let is_variable =
                        call.and_then(Expr::as_name_expr).is_some_and(|name| name.id == "TypeVar");
                    if let ([Expr::Name(name)], true) = (&*assignment.targets, is_variable) {
                        self.variables.insert(name.id.as_str());
                    }
                }
                statement => bodies(statement).into_iter().for_each(|body| self.collect(body)),
            }
        }
    }

    fn type_variables(&mut self, parameters: Option<&'a ruff_python_ast::TypeParams>) {
        for parameter in parameters.into_iter().flat_map(|parameters| &parameters.type_params) {
            self.variables.insert(parameter.name().as_str());
        }
    }

    fn bind(&mut self, name: &'a str, size: Size) {
        let old = self.names.insert(name, size);
        if let Some(log) = self.before.last_mut() {
            log.push((name, old));
        }
        self.largest = self.largest.max(size.parts);
    }

    /// Gives a size to whatever is written to: names, and names of which a part is written to.
    fn assign(&mut self, target: &'a Expr, size: Size) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str(), size),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.assign(target, size)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.assign(target, size)),
            Expr::Starred(starred) => self.assign(&starred.value, size),
            Expr::Attribute(_) | Expr::Subscript(_) => {
                self.places += 1;
                if let Some(root) = root(target) {
                    let known = self.names.get(root).copied().unwrap_or(Size::ONE);
                    self.bind(root, known.max(size));
                }
            }
            _ => {}
        }
    }

    fn body(&mut self, body: &'a [Stmt]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(assignment) => {
                let size = self.size(&assignment.value);
                assignment.targets.iter().for_each(|target| self.assign(target, size));
            }
            Stmt::AnnAssign(assignment) => {
                let mut size = self.size(&assignment.annotation);
                if let Some(value) = &assignment.value {
                    size = size.max(self.size(value));
                }
                self.assign(&assignment.target, size);
            }
            Stmt::AugAssign(assignment) => {
                let size = self.operation(&assignment.target, assignment.op, &assignment.value);
                self.assign(&assignment.target, size);
            }
            Stmt::TypeAlias(alias) => {
                let size = self.size(&alias.value);
                self.assign(&alias.name, size);
            }
            Stmt::Return(statement) => {
                let size = statement.value.as_deref().map_or(Size::default(), |value| self.size(value));
                self.returns = self.returns.or(size);
                self.largest = self.largest.max(self.returns.parts);
            }
            Stmt::Expr(expression) => _ = self.size(&expression.value),
            Stmt::FunctionDef(function) => _ = self.function(function.name.as_str()),
            Stmt::ClassDef(class) => self.body(&class.body),
            Stmt::For(statement) => {
                let size = self.size(&statement.iter);
                self.assign(&statement.target, size);
                self.branches(&[&*statement.body, &*statement.orelse], Else::Missing);
            }
            Stmt::If(statement) => {
                self.size(&statement.test);
                let tests = statement.elif_else_clauses.iter().filter_map(|clause| clause.test.as_ref());
                tests.for_each(|test| _ = self.size(test));
                let has_else = statement.elif_else_clauses.iter().any(|clause| clause.test.is_none());
                let otherwise = if has_else { Else::Present } else { Else::Missing };
                let mut all = vec![&*statement.body];
                all.extend(statement.elif_else_clauses.iter().map(|clause| &*clause.body));
                self.branches(&all, otherwise);
            }
            Stmt::With(statement) => {
                for item in &statement.items {
                    let size = self.size(&item.context_expr);
                    if let Some(target) = &item.optional_vars {
                        self.assign(target, size);
                    }
                }
                self.body(&statement.body);
            }
            Stmt::While(statement) => {
                self.size(&statement.test);
                self.branches(&[&*statement.body, &*statement.orelse], Else::Missing);
            }
            Stmt::Match(statement) => {
                self.size(&statement.subject);
                let all: Vec<&[Stmt]> = statement.cases.iter().map(|case| &*case.body).collect();
                self.branches(&all, Else::Missing);
            }
            statement => self.branches(&bodies(statement), Else::Missing),
        }
    }

    /// What is so after one of several bodies has run.
    fn branches(&mut self, all: &[&'a [Stmt]], otherwise: Else) {
        let mut outcomes: Vec<HashMap<&'a str, Size>> = Vec::new();
        for body in all {
            self.before.push(Vec::new());
            self.body(body);
            let log = self.before.pop().unwrap_or_default();
            let written = log.iter().filter_map(|(name, _)| Some((*name, *self.names.get(name)?)));
            outcomes.push(written.collect());
            for (name, old) in log.into_iter().rev() {
                match old {
                    Some(old) => _ = self.names.insert(name, old),
                    None => _ = self.names.remove(name),
                }
            }
        }
        let mut written: Vec<&'a str> = outcomes.iter().flat_map(|outcome| outcome.keys().copied()).collect();
        written.sort_unstable();
        written.dedup();
        for name in written {
            let known = self.names.get(name).copied();
            let mut size = known.filter(|_| otherwise == Else::Missing);
            for outcome in &outcomes {
                let found = outcome.get(name).copied().or(known);
                size = match (size, found) {
                    (Some(size), Some(found)) => Some(size.or(found)),
                    (size, found) => size.or(found),
                };
            }
            self.bind(name, size.unwrap_or(Size::ONE));
        }
    }

    /// What the functions of a name return.
    fn function(&mut self, name: &'a str) -> Size {
        if let Some(known) = self.returned.get(name) {
            return known.unwrap_or_default();
        }
        let Some(functions) = self.functions.get(name).cloned() else { return Size::default() };
        if self.depth >= CALLS {
            self.largest = u64::MAX;
            return Size::default();
        }
        self.returned.insert(name, None);
        self.depth += 1;
        let outer = std::mem::take(&mut self.returns);
        for function in functions {
            self.parameters(&function.parameters, Size::ONE);
            if let Some(annotation) = &function.returns {
                let size = self.size(annotation);
                self.returns = self.returns.max(size);
            }
            self.body(&function.body);
        }
        let size = std::mem::replace(&mut self.returns, outer);
        self.depth -= 1;
        self.returned.insert(name, Some(size));
        size
    }

    fn parameters(&mut self, parameters: &'a Parameters, given: Size) {
        for parameter in parameters.iter_non_variadic_params() {
            let annotation = parameter.parameter.annotation.as_deref().map(|kind| self.size(kind));
            let default = parameter.default.as_deref().map(|value| self.size(value));
            let size = annotation.into_iter().chain(default).fold(given, Size::max);
            self.bind(parameter.parameter.name.as_str(), size);
        }
    }
}

/// Whether one of several branches surely runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Else {
    Present,
    Missing,
}

/// The bodies of a statement that has several.
fn bodies(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::For(statement) => vec![&statement.body, &statement.orelse],
        Stmt::While(statement) => vec![&statement.body, &statement.orelse],
        Stmt::If(statement) => {
            let others = statement.elif_else_clauses.iter().map(|clause| &*clause.body);
            std::iter::once(&*statement.body).chain(others).collect()
        }
        Stmt::With(statement) => vec![&statement.body],
        Stmt::Match(statement) => statement.cases.iter().map(|case| &*case.body).collect(),
        Stmt::Try(statement) => {
            let handlers = statement.handlers.iter().map(|handler| {
                let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                &*handler.body
            });
            let last: [&[Stmt]; 2] = [&statement.orelse, &statement.finalbody];
            std::iter::once(&*statement.body).chain(handlers).chain(last).collect()
        }
        _ => Vec::new(),
    }
}

/// The name at the beginning of `row.items["a"]`.
fn root(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => root(&attribute.value),
        Expr::Subscript(subscript) => root(&subscript.value),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
