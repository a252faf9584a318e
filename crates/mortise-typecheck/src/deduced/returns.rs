//! What functions of a program return.

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged as _, TextRange};

use super::Addition;
use super::ahead::Foresight;
use super::calls::{Function, Passed, Uses};
use super::claims::hides;
use super::writer::AnnotationWriter;

impl<'a> Uses<'a> {
    /// What a function returns, to be written behind its parameters.
    pub(super) fn returned(
        &self,
        function: &Function<'a>,
        writer: &mut AnnotationWriter<'a, '_>,
        added: &[Addition],
        foresight: &Foresight<'_>,
    ) -> Option<Addition> {
        let definition = function.definition;
        let name = definition.name.as_str();
        let claimed = definition.returns.as_deref();
        // A name that gets something else somewhere may stand for that: an overridden method, a replaced function.
        let at = definition.parameters.end();
        let is_said = claimed.is_some_and(|annotation| !hides(annotation)) && !foresight.is_foreseen(at);
        if self.bound.get(name) != Some(&1) || is_said || added.iter().any(|known| known.at == at) {
            return None;
        }
        let mut returns = Returns::default();
        definition.body.iter().for_each(|statement| returns.visit_stmt(statement));
        if returns.is_generator {
            return None;
        }
        let replaced = claimed.map(|annotation| TextRange::new(at, annotation.end()));
        if returns.values.is_empty() {
            let is_plain = definition.decorator_list.is_empty() && claimed.is_none();
            let is_none = is_plain && self.is_result_used(name) && !is_placeholder(&definition.body);
            return is_none.then(|| Addition {
                at,
                annotation: " -> None".to_owned(),
                replaced,
                is_foreseen: false,
            });
        }
        let is_nothing =
            |value: &Passed<'_>| matches!(value, Passed::Value(value) if writer.is_nothing(value));
        if claimed.is_none() && definition.decorator_list.is_empty() && returns.values.iter().all(is_nothing)
        {
            return self.is_result_used(name).then(|| Addition {
                at,
                annotation: " -> None".to_owned(),
                replaced,
                is_foreseen: false,
            });
        }
        let (kind, is_foreseen) = foresight.union(self, &returns.values, writer, added, at)?;
        // A body that can fall off its end also returns None.
        let nothing = if returns.is_bare || !always_ends(&definition.body) { " | None" } else { "" };
        Some(Addition { at, annotation: format!(" -> {kind}{nothing}"), replaced, is_foreseen })
    }
}

/// Whether a body is one that a subclass or a caller is meant to replace, or never comes to its end.
fn is_placeholder(body: &[Stmt]) -> bool {
    let is_text = |statement: &Stmt| match statement {
        Stmt::Expr(expression) => {
            expression.value.is_string_literal_expr() || expression.value.is_ellipsis_literal_expr()
        }
        Stmt::Pass(_) => true,
        _ => false,
    };
    body.iter().all(is_text) || matches!(body.last(), Some(Stmt::Raise(_) | Stmt::While(_)))
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
    values: Vec<Passed<'a>>,
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
                self.values.extend(statement.value.as_deref().map(Passed::Value));
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
