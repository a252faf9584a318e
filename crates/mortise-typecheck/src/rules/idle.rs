//! Programs that define functions and call none of them.

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_expr};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged as _;

use crate::evidence::handlers::Raises;
use crate::finding::TypecheckRule;
use crate::walk::{Remark, Scene};

const ENTRY: &str = "main";

impl<'a> Scene<'a> {
    /// A `main` that is never called, or a program in which nothing is.
    pub(crate) fn judge_entry(&mut self, program: &'a [Stmt]) {
        let functions: Vec<&StmtFunctionDef> = program
            .iter()
            .filter_map(Stmt::as_function_def_stmt)
            .filter(|function| function.decorator_list.is_empty())
            .filter(|function| !self.evidence.facts.reads.contains_key(function.name.as_str()))
            .collect();
        let entry = functions.iter().find(|function| function.name.as_str() == ENTRY);
        let is_idle = program.iter().all(is_idle);
        let Some(function) = entry.or(functions.last().filter(|_| is_idle)) else { return };
        if self.evidence.facts.is_dynamic {
            return;
        }
        let name = function.name.as_str();
        let call = if function.is_async { format!("await {name}()") } else { format!("{name}()") };
        let what = if is_idle { "nothing in this program runs: " } else { "" };
        self.remark(Remark {
            is_sure: is_idle,
            ..Remark::sure(
                TypecheckRule::NeverRuns,
                Raises::Name,
                function.name.range(),
                format!("{what}`{name}` is never called: add `{call}` at the end"),
            )
        });
    }
}

/// Whether a statement only defines something.
fn is_idle(statement: &Stmt) -> bool {
    match statement {
        Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::Pass(_) | Stmt::TypeAlias(_) => true,
        Stmt::FunctionDef(function) => function.decorator_list.is_empty(),
        Stmt::ClassDef(class) => class.decorator_list.is_empty(),
        Stmt::Expr(expression) => {
            matches!(&*expression.value, Expr::StringLiteral(_) | Expr::EllipsisLiteral(_))
        }
        Stmt::Assign(assignment) => is_still(&assignment.value),
        Stmt::AnnAssign(assignment) => assignment.value.as_deref().is_none_or(is_still),
        _ => false,
    }
}

/// Whether an expression calls and awaits nothing.
fn is_still(expression: &Expr) -> bool {
    struct CallSearch(bool);
    impl<'a> SourceOrderVisitor<'a> for CallSearch {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.0 |= matches!(expression, Expr::Call(_) | Expr::Await(_));
            walk_expr(self, expression);
        }
    }
    let mut calls = CallSearch(false);
    calls.visit_expr(expression);
    !calls.0
}
