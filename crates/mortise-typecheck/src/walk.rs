//! Goes through a program and judges its parts.

use std::collections::HashMap;

use mortise_contract::CheckMode;
use mortise_contract::text::cut;
use ruff_python_ast::visitor::source_order::{
    SourceOrderVisitor, walk_comprehension, walk_except_handler, walk_expr, walk_stmt,
};
use ruff_python_ast::{
    BoolOp, CmpOp, Comprehension, ExceptHandler, Expr, ExprContext, Parameters, Stmt, StmtAugAssign, StmtIf,
    UnaryOp,
};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::evidence::ProgramEvidence;
use crate::evidence::facts::literal;
use crate::evidence::handlers::{Caught, Raises, catches_keys, last_name};
use crate::finding::{ShapeBasis, TypecheckFinding, TypecheckRule, TypecheckSeverity};
use crate::stub::ObjectShape;
use crate::text::ProgramLines;

/// Characters of a message: it shows no type of a thousand members.
const MESSAGE: usize = 600;

/// The state of one walk through a program.
pub(crate) struct Scene<'a> {
    pub(crate) mode: CheckMode,
    pub(crate) evidence: ProgramEvidence<'a>,
    pub(crate) lines: &'a ProgramLines<'a>,
    /// Bytes that stand before the program.
    pub(crate) prefix: usize,
    pub(crate) findings: Vec<TypecheckFinding>,
    /// What is caught around this place.
    caught: Vec<Caught>,
    /// Depth of functions around this place.
    functions: usize,
    /// Tool calls and other coroutines that are in the right place.
    pub(crate) tool_calls: HashMap<TextRange, String>,
    /// Names that go through the keys of an object, with its shape.
    pub(crate) keys_of: HashMap<&'a str, &'a ObjectShape>,
    /// Modules that are imported, and where.
    pub(crate) imports: Vec<(&'a str, TextRange)>,
    /// All expressions, by their beginning.
    pub(crate) expressions: Vec<&'a Expr>,
    /// Assignments that compute: `total += 1`.
    pub(crate) augmented: Vec<&'a StmtAugAssign>,
    pub(crate) is_torn: bool,
    /// Around which place, for diagnostics that come later: what is caught in a range.
    guarded: Vec<(TextRange, Caught)>,
    /// Code that runs only under a condition, or only when it is called.
    skipped: Vec<TextRange>,
    /// What only type checkers read.
    for_checkers: Vec<TextRange>,
    /// Places around this one that are reached only where a key is not there.
    pub(crate) fallbacks: usize,
    /// Depth of lambdas around this place.
    lambdas: usize,
    /// Parameters of the function around this place.
    parameters: Vec<&'a str>,
    /// Conditions around this place by which a function chooses what it is given: `if kind == "user"`.
    choices: usize,
}

/// What is said about a place.
pub(crate) struct Remark {
    pub(crate) rule: TypecheckRule,
    /// Whether the program surely fails there.
    pub(crate) is_sure: bool,
    pub(crate) raises: Raises,
    pub(crate) range: TextRange,
    pub(crate) message: String,
    pub(crate) declared: Option<String>,
    pub(crate) nearest: Option<String>,
}

impl Remark {
    /// The program surely fails at `range`.
    pub(crate) fn sure(rule: TypecheckRule, raises: Raises, range: TextRange, message: String) -> Self {
        Self { rule, is_sure: true, raises, range, message, declared: None, nearest: None }
    }

    /// The program may fail at `range`.
    pub(crate) fn possible(rule: TypecheckRule, raises: Raises, range: TextRange, message: String) -> Self {
        Self { is_sure: false, ..Self::sure(rule, raises, range, message) }
    }
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        mode: CheckMode,
        evidence: ProgramEvidence<'a>,
        lines: &'a ProgramLines<'a>,
        prefix: usize,
    ) -> Self {
        Self {
            mode,
            evidence,
            lines,
            prefix,
            findings: Vec::new(),
            caught: Vec::new(),
            functions: 0,
            tool_calls: HashMap::new(),
            keys_of: HashMap::new(),
            imports: Vec::new(),
            expressions: Vec::new(),
            augmented: Vec::new(),
            is_torn: false,
            guarded: Vec::new(),
            skipped: Vec::new(),
            for_checkers: Vec::new(),
            fallbacks: 0,
            lambdas: 0,
            parameters: Vec::new(),
            choices: 0,
        }
    }

    pub(crate) fn walk(&mut self, program: &'a [Stmt]) {
        let prefix = TextSize::try_from(self.prefix).unwrap_or_default();
        let first = program.partition_point(|statement| statement.start() < prefix);
        let program = &program[first..];
        program.iter().for_each(|statement| self.visit_stmt(statement));
        // A choice is walked by its test first.
        self.expressions.sort_by_key(|expression| expression.start());
        self.judge_entry(program);
    }

    /// Notes a finding at the place where the walk is.
    pub(crate) fn remark(&mut self, remark: Remark) {
        let is_caught = self.caught.iter().any(|caught| caught.catches(remark.raises));
        // What a lambda is given to may call it in a `try` of its own.
        let deals = |caught: &Caught| match self.lambdas {
            0 => caught.names_one_of(remark.raises),
            _ => caught.catches(remark.raises),
        };
        let elsewhere = self.functions > 0 && self.evidence.facts.caught.iter().any(deals);
        // What is said to be of another kind may be so.
        let is_chosen = self.choices > 0 && remark.rule == TypecheckRule::UnknownKey;
        self.note(remark, is_caught || elsewhere || is_chosen);
    }

    /// Notes a finding of the type checker, wherever the walk is.
    pub(crate) fn remark_at(&mut self, remark: Remark) {
        // Callers of a function may catch what fails in it.
        let is_within = || {
            self.evidence.facts.functions.iter().any(|(function, _)| function.contains_range(remark.range))
        };
        let deals = |caught: &Caught| caught.names_one_of(remark.raises);
        let elsewhere = remark.rule == TypecheckRule::WrongType
            && is_within()
            && self.evidence.facts.caught.iter().any(deals);
        let is_caught = elsewhere || self.is_caught_at(remark.range, remark.raises);
        self.note(remark, is_caught);
    }

    /// Whether what fails at a place is caught there.
    pub(crate) fn is_caught_at(&self, range: TextRange, raises: Raises) -> bool {
        self.guarded.iter().any(|(guarded, caught)| guarded.contains_range(range) && caught.catches(raises))
    }

    /// Whether a place may never be reached.
    pub(crate) fn may_be_skipped(&self, range: TextRange) -> bool {
        self.skipped.iter().any(|skipped| skipped.contains_range(range))
    }

    /// Whether a place is read by type checkers only.
    pub(crate) fn is_for_checkers(&self, range: TextRange) -> bool {
        self.for_checkers.iter().any(|skipped| skipped.contains_range(range))
    }

    /// Goes through what is reached only where a key is not there, if it is.
    fn fall_back(&mut self, is_fallback: bool, walk: impl FnOnce(&mut Self)) {
        self.fallbacks += usize::from(is_fallback);
        walk(self);
        self.fallbacks -= usize::from(is_fallback);
    }

    /// `if … elif … else`: what follows a test for a key is reached only where the key is not there.
    fn walk_if(&mut self, statement: &'a StmtIf) {
        let mut earlier = presence(&statement.test);
        self.visit_expr(&statement.test);
        if last_name(&statement.test) == Some("TYPE_CHECKING") {
            self.for_checkers.extend(body_range(&statement.body));
        }
        self.skipped.extend(body_range(&statement.body));
        let chooses = usize::from(self.is_choice(&statement.test));
        self.choices += chooses;
        self.fall_back(earlier == Some(Presence::Absent), |scene| scene.visit_body(&statement.body));
        for clause in &statement.elif_else_clauses {
            let own = clause.test.as_ref().and_then(presence);
            let is_fallback = earlier == Some(Presence::Present) || own == Some(Presence::Absent);
            self.skipped.extend(body_range(&clause.body));
            self.fall_back(is_fallback, |scene| {
                if let Some(test) = &clause.test {
                    scene.visit_expr(test);
                }
                scene.visit_body(&clause.body);
            });
            earlier = earlier.or(own);
        }
        self.choices -= chooses;
    }

    /// Whether a test compares a parameter with texts: what the others are may depend on it.
    fn is_choice(&self, test: &Expr) -> bool {
        match test {
            Expr::Compare(compare) => {
                let is_parameter = compare
                    .left
                    .as_name_expr()
                    .is_some_and(|name| self.parameters.contains(&name.id.as_str()));
                is_parameter && compare.comparators.iter().all(is_text)
            }
            Expr::BoolOp(operation) => operation.values.iter().all(|value| self.is_choice(value)),
            Expr::UnaryOp(operation) => self.is_choice(&operation.operand),
            _ => false,
        }
    }

    fn note(&mut self, remark: Remark, is_caught: bool) {
        let Some(range) = self.lines.within(remark.range) else { return };
        let refuses = self.mode == CheckMode::Strict || (remark.is_sure && !is_caught);
        let place = self.lines.place(range);
        self.findings.push(TypecheckFinding {
            severity: if refuses { TypecheckSeverity::Refuse } else { TypecheckSeverity::Warn },
            rule: remark.rule,
            line: place.line,
            column: place.column,
            message: cut(&remark.message, MESSAGE),
            excerpt: place.excerpt,
            caret: place.caret,
            declared: remark.declared,
            basis: ShapeBasis::Declared,
            nearest: remark.nearest,
        });
    }

    fn inside(&mut self, parameters: Option<&'a Parameters>, walk: impl FnOnce(&mut Self)) {
        // The body runs when it is called, not where it stands.
        let caught = std::mem::take(&mut self.caught);
        let names =
            parameters.into_iter().flat_map(|parameters| parameters.iter()).map(|one| one.name().as_str());
        let outer =
            (std::mem::replace(&mut self.parameters, names.collect()), std::mem::take(&mut self.choices));
        self.functions += 1;
        walk(self);
        self.functions -= 1;
        (self.parameters, self.choices) = outer;
        self.caught = caught;
    }
}

/// A string literal, or a collection of them.
fn is_text(expression: &Expr) -> bool {
    match expression {
        Expr::Tuple(several) => several.elts.iter().all(is_text),
        Expr::List(several) => several.elts.iter().all(is_text),
        Expr::Set(several) => several.elts.iter().all(is_text),
        expression => literal(expression).is_some(),
    }
}

/// What a test says about a key where it holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Present,
    Absent,
}

/// `"due" in row`, `row.get("due")`, and the opposite.
fn presence(test: &Expr) -> Option<Presence> {
    match test {
        Expr::Compare(compare) => match &*compare.ops {
            [CmpOp::In] if literal(&compare.left).is_some() => Some(Presence::Present),
            [CmpOp::NotIn] if literal(&compare.left).is_some() => Some(Presence::Absent),
            [CmpOp::Is] if is_get(&compare.left) => Some(Presence::Absent),
            [CmpOp::IsNot] if is_get(&compare.left) => Some(Presence::Present),
            _ => None,
        },
        Expr::UnaryOp(operation) if operation.op == UnaryOp::Not => match presence(&operation.operand)? {
            Presence::Present => Some(Presence::Absent),
            Presence::Absent => Some(Presence::Present),
        },
        test => is_get(test).then_some(Presence::Present),
    }
}

/// `row.get("due")`.
fn is_get(expression: &Expr) -> bool {
    let Expr::Call(call) = expression else { return false };
    let is_literal = call.arguments.args.first().and_then(literal).is_some();
    is_literal && call.func.as_attribute_expr().is_some_and(|method| method.attr.as_str() == "get")
}

/// From the first to the last statement.
fn body_range(body: &[Stmt]) -> Option<TextRange> {
    Some(body.first()?.range().cover(body.last()?.range()))
}

impl<'a> SourceOrderVisitor<'a> for Scene<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.judge_awaits_of_statement(statement);
        self.judge_lost_list(statement);
        match statement {
            Stmt::Try(inner) => {
                let caught = Caught::of_try(inner);
                self.guarded.extend(body_range(&inner.body).map(|range| (range, caught.clone())));
                self.caught.push(caught);
                self.visit_body(&inner.body);
                self.caught.pop();
                for handler in &inner.handlers {
                    self.visit_except_handler(handler);
                }
                self.visit_body(&inner.orelse);
                self.visit_body(&inner.finalbody);
            }
            Stmt::Match(inner) => {
                let subject = inner.subject.as_name_expr().map(|name| name.id.as_str());
                let chooses = usize::from(subject.is_some_and(|name| self.parameters.contains(&name)));
                self.choices += chooses;
                walk_stmt(self, statement);
                self.choices -= chooses;
            }
            Stmt::With(inner) => {
                let caught = Caught::of_with(inner);
                self.guarded.push((inner.range(), caught.clone()));
                self.caught.push(caught);
                walk_stmt(self, statement);
                self.caught.pop();
            }
            Stmt::For(inner) => {
                self.note_keys(&inner.target, &inner.iter);
                self.judge_unpacked(&inner.target, &inner.iter);
                walk_stmt(self, statement);
            }
            Stmt::Import(import) => {
                let modules = import.names.iter().map(|alias| &alias.name);
                self.imports.extend(modules.map(|name| (name.as_str(), name.range())));
            }
            Stmt::ImportFrom(import) => {
                let modules = import.module.iter();
                self.imports.extend(modules.map(|name| (name.as_str(), name.range())));
            }
            Stmt::If(inner) => self.walk_if(inner),
            Stmt::AugAssign(inner) => {
                self.augmented.push(inner);
                // It reads the key before it stores it.
                if let Expr::Subscript(subscript) = &*inner.target {
                    self.judge_subscript(subscript);
                }
                walk_stmt(self, statement);
            }
            Stmt::FunctionDef(function) => {
                if !self.evidence.facts.reads.contains_key(function.name.as_str()) {
                    self.skipped.push(function.range());
                }
                self.inside(Some(&function.parameters), |scene| walk_stmt(scene, statement));
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_body(&mut self, body: &'a [Stmt]) {
        let choices = self.choices;
        for statement in body {
            self.visit_stmt(statement);
            // What follows is reached by those that did not end there.
            if let Stmt::If(inner) = statement
                && self.is_choice(&inner.test)
                && matches!(inner.body.last(), Some(Stmt::Return(_) | Stmt::Raise(_) | Stmt::Continue(_)))
            {
                self.choices += 1;
            }
        }
        self.choices = choices;
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        let is_fallback = inner.type_.as_ref().is_none_or(|kind| catches_keys(kind));
        self.fall_back(is_fallback, |scene| walk_except_handler(scene, handler));
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
            self.judge_unpacked(&generator.target, &generator.iter);
        }
        self.judge_awaits(expression);
        match expression {
            Expr::Subscript(subscript) => {
                if subscript.ctx != ExprContext::Store {
                    self.judge_subscript(subscript);
                    self.judge_missing(subscript);
                }
                self.judge_hashed_key(subscript);
            }
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Load => {
                self.judge_attribute(attribute)
            }
            Expr::Compare(compare) => self.judge_test(compare),
            Expr::Call(call) => {
                self.judge_get(call);
                self.judge_call(call);
                self.judge_hashed_argument(call);
            }
            Expr::FString(text) => self.judge_formats(text.value.elements()),
            Expr::Dict(_) | Expr::Set(_) | Expr::SetComp(_) | Expr::DictComp(_) => {
                self.judge_hashed_display(expression);
            }
            _ => {}
        }
        match expression {
            Expr::Lambda(lambda) => {
                self.lambdas += 1;
                self.inside(lambda.parameters.as_deref(), |scene| walk_expr(scene, expression));
                self.lambdas -= 1;
            }
            Expr::If(inner) => {
                let test = presence(&inner.test);
                self.visit_expr(&inner.test);
                self.fall_back(test == Some(Presence::Absent), |scene| scene.visit_expr(&inner.body));
                self.fall_back(test == Some(Presence::Present), |scene| scene.visit_expr(&inner.orelse));
            }
            Expr::BoolOp(inner) if inner.op == BoolOp::Or => {
                let mut is_fallback = false;
                for operand in &inner.values {
                    self.fall_back(is_fallback, |scene| scene.visit_expr(operand));
                    is_fallback |= is_get(operand) || operand.is_subscript_expr();
                }
            }
            _ => walk_expr(self, expression),
        }
    }
}
