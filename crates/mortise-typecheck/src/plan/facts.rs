//! What a program's names stand for, as far as a plan needs it.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::source_order::{
    SourceOrderVisitor, walk_except_handler, walk_expr, walk_parameter, walk_pattern, walk_stmt,
};
use ruff_python_ast::{Alias, ExceptHandler, Expr, ExprContext, Parameter, Pattern, Stmt};

use crate::evidence::origins::captured;

/// The functions that a program defines, and the names that hold one value from beginning to end.
#[derive(Default)]
pub(super) struct NameFacts<'a> {
    functions: HashSet<&'a str>,
    names: HashMap<&'a str, NameUse<'a>>,
}

#[derive(Default)]
struct NameUse<'a> {
    bindings: usize,
    value: Option<&'a Expr>,
    /// Whether a method of it is called or a part of it is set: `rows.append(…)`.
    may_change: bool,
}

impl<'a> NameFacts<'a> {
    pub(super) fn of(program: &'a [Stmt]) -> Self {
        let mut facts = Self::default();
        program.iter().for_each(|statement| facts.visit_stmt(statement));
        facts
    }

    pub(super) fn is_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// The value of a name that is bound once and not changed.
    pub(super) fn value(&self, name: &str) -> Option<&'a Expr> {
        let known = self.names.get(name)?;
        known.value.filter(|_| known.bindings == 1 && !known.may_change)
    }

    /// Whether a name stands for something that the program itself gives it.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|known| known.bindings > 0)
    }

    fn bind(&mut self, name: &'a str) {
        self.names.entry(name).or_default().bindings += 1;
    }

    fn change(&mut self, base: &'a Expr) {
        if let Expr::Name(name) = base {
            self.names.entry(name.id.as_str()).or_default().may_change = true;
        }
    }
}

/// Methods that leave a collection as it is.
const READING: [&str; 6] = ["items", "keys", "values", "copy", "index", "count"];

impl<'a> SourceOrderVisitor<'a> for NameFacts<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                self.functions.insert(function.name.as_str());
                self.bind(function.name.as_str());
            }
            Stmt::ClassDef(class) => self.bind(class.name.as_str()),
            Stmt::Assign(assignment) => {
                if let [Expr::Name(name)] = &*assignment.targets {
                    self.names.entry(name.id.as_str()).or_default().value = Some(&*assignment.value);
                }
            }
            Stmt::AnnAssign(assignment) => {
                if let (Expr::Name(name), Some(value)) = (&*assignment.target, &assignment.value) {
                    self.names.entry(name.id.as_str()).or_default().value = Some(&**value);
                }
            }
            Stmt::AugAssign(assignment) => self.change(&assignment.target),
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx != ExprContext::Load => self.bind(name.id.as_str()),
            Expr::Attribute(attribute) if !READING.contains(&attribute.attr.as_str()) => {
                self.change(&attribute.value);
            }
            Expr::Subscript(subscript) if subscript.ctx != ExprContext::Load => self.change(&subscript.value),
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
        // `itertools.islice` is what it is, whoever imports it.
        if alias.asname.is_some() {
            self.bind(name);
        }
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bind(parameter.name.as_str());
        walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        inner.name.iter().for_each(|name| self.bind(name.as_str()));
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        captured(pattern).into_iter().for_each(|name| self.bind(name));
        walk_pattern(self, pattern);
    }
}
