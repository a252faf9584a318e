//! Goes through a program and judges its parts.

use std::collections::HashMap;

use ruff_python_ast::visitor::source_order::{
    SourceOrderVisitor, walk_body, walk_comprehension, walk_except_handler, walk_expr, walk_stmt,
};
use ruff_python_ast::{Comprehension, ExceptHandler, Expr, ExprCall, ExprContext, Stmt};
use ruff_text_size::{TextRange, TextSize};

use crate::facts::Facts;
use crate::finding::{Finding, Rule, Severity};
use crate::handlers::{Caught, Raises};
use crate::kinds::Types;
use crate::request::Mode;
use crate::stub::{Shape, Stub};
use crate::text::Lines;

/// Characters of a message.
const MESSAGE: usize = 600;

/// A program under judgement.
pub(crate) struct Scene<'a> {
    pub(crate) mode: Mode,
    pub(crate) types: &'a Types<'a>,
    pub(crate) facts: &'a Facts,
    pub(crate) lines: &'a Lines<'a>,
    /// Bytes that stand before the program.
    pub(crate) prefix: usize,
    /// The stubs of the program's tools, by callable name.
    pub(crate) tools: HashMap<&'a str, &'a Stub>,
    pub(crate) findings: Vec<Finding>,
    /// What is caught around this place.
    caught: Vec<Caught>,
    /// Functions around this place.
    functions: usize,
    /// Tool calls and other coroutines that are in the right place.
    pub(crate) tool_calls: HashMap<TextRange, String>,
    /// Names that go through the keys of an object, with its shape.
    pub(crate) keys_of: HashMap<&'a str, &'a Shape>,
    /// Modules that are imported, and where.
    pub(crate) imports: Vec<(&'a str, TextRange)>,
    /// All expressions, by their beginning.
    pub(crate) expressions: Vec<&'a Expr>,
    /// Around which place, for diagnostics that come later: what is caught in a range.
    guarded: Vec<(TextRange, Caught)>,
}

/// What is said about a place.
pub(crate) struct Remark {
    pub(crate) rule: Rule,
    /// Whether the program surely fails there.
    pub(crate) is_sure: bool,
    pub(crate) raises: Raises,
    pub(crate) range: TextRange,
    pub(crate) message: String,
    pub(crate) declared: Option<String>,
    pub(crate) nearest: Option<String>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        mode: Mode,
        types: &'a Types<'a>,
        facts: &'a Facts,
        lines: &'a Lines<'a>,
        prefix: usize,
        tools: HashMap<&'a str, &'a Stub>,
    ) -> Self {
        Self {
            mode,
            types,
            facts,
            lines,
            prefix,
            tools,
            findings: Vec::new(),
            caught: Vec::new(),
            functions: 0,
            tool_calls: HashMap::new(),
            keys_of: HashMap::new(),
            imports: Vec::new(),
            expressions: Vec::new(),
            guarded: Vec::new(),
        }
    }

    pub(crate) fn walk(&mut self, program: &'a [Stmt]) {
        let prefix = TextSize::try_from(self.prefix).unwrap_or_default();
        for statement in
            program.iter().filter(|statement| ruff_text_size::Ranged::start(*statement) >= prefix)
        {
            self.visit_stmt(statement);
        }
    }

    /// The tool that a call calls, if the program has not given its name to something else.
    pub(crate) fn tool(&self, call: &ExprCall) -> Option<(&'a str, &'a Stub)> {
        let name = call.func.as_name_expr()?.id.as_str();
        let (name, stub) = self.tools.get_key_value(name)?;
        (!self.facts.bound.contains_key(*name)).then_some((*name, *stub))
    }

    /// Notes a finding at the place where the walk is.
    pub(crate) fn remark(&mut self, remark: Remark) {
        let is_caught = self.caught.iter().any(|caught| caught.catches(remark.raises));
        let elsewhere =
            self.functions > 0 && self.facts.caught.iter().any(|caught| caught.names_one_of(remark.raises));
        self.note(remark, is_caught || elsewhere);
    }

    /// Notes a finding of the type checker, wherever the walk is.
    pub(crate) fn remark_at(&mut self, remark: Remark) {
        let is_caught = self
            .guarded
            .iter()
            .any(|(range, caught)| range.contains_range(remark.range) && caught.catches(remark.raises));
        self.note(remark, is_caught);
    }

    /// Whether what fails at a place is caught there.
    pub(crate) fn is_caught_at(&self, range: TextRange, raises: Raises) -> bool {
        self.guarded.iter().any(|(guarded, caught)| guarded.contains_range(range) && caught.catches(raises))
    }

    fn note(&mut self, remark: Remark, is_caught: bool) {
        let Some(range) = Lines::within(remark.range, self.prefix) else { return };
        let refuses = self.mode == Mode::Strict || (remark.is_sure && !is_caught);
        let place = self.lines.place(range);
        self.findings.push(Finding {
            severity: if refuses { Severity::Refuse } else { Severity::Warn },
            rule: remark.rule,
            line: place.line,
            column: place.column,
            message: shortened(remark.message),
            excerpt: place.excerpt,
            caret: place.caret,
            declared: remark.declared,
            nearest: remark.nearest,
        });
    }

    fn inside(&mut self, walk: impl FnOnce(&mut Self)) {
        // The body runs when it is called, not where it stands.
        let caught = std::mem::take(&mut self.caught);
        self.functions += 1;
        walk(self);
        self.functions -= 1;
        self.caught = caught;
    }
}

/// A message that shows no type of a thousand members.
fn shortened(message: String) -> String {
    match message.char_indices().nth(MESSAGE) {
        Some((at, _)) => format!("{}…", &message[..at]),
        None => message,
    }
}

impl<'a> SourceOrderVisitor<'a> for Scene<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.judge_awaits_of_statement(statement);
        match statement {
            Stmt::Try(inner) => {
                let caught = Caught::of_try(inner);
                if let (Some(first), Some(last)) = (inner.body.first(), inner.body.last()) {
                    let range = TextRange::new(
                        ruff_text_size::Ranged::start(first),
                        ruff_text_size::Ranged::end(last),
                    );
                    self.guarded.push((range, caught.clone()));
                }
                self.caught.push(caught);
                walk_body(self, &inner.body);
                self.caught.pop();
                for handler in &inner.handlers {
                    self.visit_except_handler(handler);
                }
                walk_body(self, &inner.orelse);
                walk_body(self, &inner.finalbody);
            }
            Stmt::With(inner) => {
                let caught = Caught::of_with(inner);
                self.guarded.push((ruff_text_size::Ranged::range(inner), caught.clone()));
                self.caught.push(caught);
                walk_stmt(self, statement);
                self.caught.pop();
            }
            Stmt::For(inner) => {
                self.note_keys(&inner.target, &inner.iter);
                walk_stmt(self, statement);
            }
            Stmt::Import(import) => {
                let modules = import.names.iter().map(|alias| &alias.name);
                self.imports.extend(modules.map(|name| (name.as_str(), ruff_text_size::Ranged::range(name))));
            }
            Stmt::ImportFrom(import) => {
                let modules = import.module.iter();
                self.imports.extend(modules.map(|name| (name.as_str(), ruff_text_size::Ranged::range(name))));
            }
            Stmt::FunctionDef(_) => self.inside(|scene| walk_stmt(scene, statement)),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        walk_except_handler(self, handler);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.judge_iteration(&comprehension.iter, comprehension.is_async);
        walk_comprehension(self, comprehension);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        self.expressions.push(expression);
        let generators = match expression {
            Expr::ListComp(inner) => &*inner.generators,
            Expr::SetComp(inner) => &*inner.generators,
            Expr::DictComp(inner) => &*inner.generators,
            Expr::Generator(inner) => &*inner.generators,
            _ => &[],
        };
        for generator in generators {
            self.note_keys(&generator.target, &generator.iter);
        }
        self.judge_awaits(expression);
        match expression {
            Expr::Subscript(subscript) if subscript.ctx != ExprContext::Store => {
                self.judge_subscript(subscript)
            }
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Load => {
                self.judge_attribute(attribute)
            }
            Expr::Compare(compare) => self.judge_test(compare),
            Expr::Call(call) => {
                self.judge_get(call);
                self.judge_call(call);
            }
            _ => {}
        }
        match expression {
            Expr::Lambda(_) => self.inside(|scene| walk_expr(scene, expression)),
            _ => walk_expr(self, expression),
        }
    }
}
