//! Calls of tools and of the program's own async functions that are never awaited.

use ruff_python_ast::{CmpOp, Expr, ExprCall, InterpolatedStringElement, Stmt};
use ruff_text_size::Ranged as _;

use crate::evidence::handlers::{Raises, last_name};
use crate::evidence::origins::ValueOrigin;
use crate::finding::TypecheckRule;
use crate::walk::{Remark, Scene};

/// Functions that show any value, a coroutine too.
const SHOWERS: [&str; 7] = ["print", "str", "repr", "bool", "emit", "emit_image", "emit_audio"];

/// Functions that want a value and can do nothing with a coroutine.
const READERS: [&str; 17] = [
    "len",
    "list",
    "dict",
    "set",
    "tuple",
    "sorted",
    "sum",
    "min",
    "max",
    "enumerate",
    "any",
    "all",
    "int",
    "float",
    "dumps",
    "reversed",
    "zip",
];

const ATTRIBUTES: [&str; 3] = ["send", "throw", "close"];

impl Scene<'_> {
    /// A tool call as a statement, or kept under a name that is never read.
    pub(crate) fn judge_awaits_of_statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Expr(expression) => self.never_awaited(&expression.value),
            Stmt::Assign(assignment) => {
                let names: Option<Vec<&str>> = assignment
                    .targets
                    .iter()
                    .map(|target| target.as_name_expr().map(|name| name.id.as_str()))
                    .collect();
                let is_read = |name: &&str| self.evidence.facts.reads.contains_key(*name);
                if names.is_some_and(|names| !names.iter().any(is_read)) && !self.evidence.facts.is_dynamic {
                    self.never_awaited(&assignment.value);
                }
            }
            Stmt::For(statement) => self.judge_iteration(&statement.iter, statement.is_async),
            Stmt::If(statement) => {
                let clauses = statement.elif_else_clauses.iter().filter_map(|clause| clause.test.as_ref());
                std::iter::once(&*statement.test).chain(clauses).for_each(|test| self.never_awaited(test));
            }
            Stmt::While(statement) => self.never_awaited(&statement.test),
            Stmt::Assert(statement) => self.never_awaited(&statement.test),
            _ => {}
        }
    }

    /// `for row in mcp__s__t(...)`.
    pub(crate) fn judge_iteration(&mut self, iterated: &Expr, is_async: bool) {
        if !is_async {
            self.used_unawaited(iterated);
            self.used_unfinished(iterated);
        }
    }

    /// Uses of a coroutine as if it were the value.
    pub(crate) fn judge_awaits(&mut self, expression: &Expr) {
        match expression {
            Expr::Subscript(subscript) => {
                self.used_unawaited(&subscript.value);
                self.used_unfinished(&subscript.value);
            }
            Expr::Attribute(attribute) => {
                let name = attribute.attr.as_str();
                if !name.starts_with("__") && !name.starts_with("cr_") && !ATTRIBUTES.contains(&name) {
                    self.used_unawaited(&attribute.value);
                }
            }
            Expr::BinOp(operation) => {
                self.used_unawaited(&operation.left);
                self.used_unawaited(&operation.right);
            }
            Expr::UnaryOp(operation) => self.never_awaited(&operation.operand),
            Expr::If(choice) => self.never_awaited(&choice.test),
            // The last one may be awaited together with the others.
            Expr::BoolOp(operation) => {
                let tested = operation.values.split_last().map(|(_, tested)| tested).unwrap_or_default();
                tested.iter().for_each(|value| self.never_awaited(value));
            }
            Expr::Compare(compare) if compare.ops.iter().all(is_order) => {
                std::iter::once(&*compare.left)
                    .chain(&compare.comparators)
                    .for_each(|value| self.used_unawaited(value));
            }
            Expr::Compare(compare)
                if !compare.ops.iter().any(|op| matches!(op, CmpOp::Is | CmpOp::IsNot)) =>
            {
                std::iter::once(&*compare.left)
                    .chain(&compare.comparators)
                    .for_each(|value| self.never_awaited(value));
            }
            Expr::Call(call) if is_gather(call) => self.judge_gathered(call),
            Expr::Call(call) if self.is_one_of(&SHOWERS, call) => {
                for argument in &call.arguments.args {
                    self.never_awaited(argument);
                }
            }
            Expr::Call(call) if self.is_one_of(&READERS, call) => {
                for argument in &call.arguments.args {
                    self.used_unawaited(argument);
                }
            }
            Expr::FString(text) => {
                for element in text.value.elements() {
                    if let InterpolatedStringElement::Interpolation(part) = element {
                        self.never_awaited(&part.expression);
                    }
                }
            }
            _ => {}
        }
    }

    /// Calls in a list that `asyncio.gather` is given as one.
    fn judge_gathered(&mut self, call: &ExprCall) {
        for argument in &call.arguments.args {
            let gathered = match argument {
                Expr::List(list) => list.elts.first(),
                Expr::Tuple(tuple) => tuple.elts.first(),
                Expr::ListComp(list) => Some(&*list.elt),
                Expr::Generator(calls) => Some(&*calls.elt),
                _ => None,
            };
            let is_list = || self.evidence.types.is_coroutine_list(argument);
            let is_one = match gathered {
                Some(gathered) => {
                    self.tool_of(gathered).is_some() || self.evidence.types.is_coroutine(gathered)
                }
                None => argument.is_name_expr() && !self.evidence.facts.replaces && is_list(),
            };
            if is_one {
                let message =
                    "`asyncio.gather` takes calls one by one, not a list of them: write `gather(*…)`"
                        .to_owned();
                self.remark(Remark::sure(TypecheckRule::NotAwaited, Raises::Type, argument.range(), message));
            }
        }
    }

    /// Whether a call is one of these functions, by its own name or `json.dumps`.
    fn is_one_of(&self, functions: &[&str], call: &ExprCall) -> bool {
        match &*call.func {
            Expr::Name(name) => {
                functions.contains(&name.id.as_str())
                    && !self.evidence.facts.bound.contains_key(name.id.as_str())
            }
            Expr::Attribute(method) => method.attr.as_str() == "dumps" && functions.contains(&"dumps"),
            _ => false,
        }
    }

    /// A coroutine where its value is wanted: by its place, or by its type.
    fn used_unawaited(&mut self, expression: &Expr) {
        if self.coroutine_of(expression).is_some() {
            self.never_awaited(expression);
        } else if !self.evidence.facts.replaces
            && matches!(expression, Expr::Name(_) | Expr::Subscript(_) | Expr::Call(_))
            && self.evidence.types.is_coroutine(expression)
        {
            self.unawaited(expression);
        }
    }

    /// What `asyncio.gather` or `create_task` returns, where its value is wanted.
    fn used_unfinished(&mut self, expression: &Expr) {
        // A class of the program's own may have that name.
        let is_own = ["Task", "Future"].iter().any(|name| self.evidence.facts.bound.contains_key(*name));
        if !self.evidence.tools.is_empty()
            && !is_own
            && !self.evidence.facts.replaces
            && self.evidence.types.is_future(expression)
        {
            self.unawaited(expression);
        }
    }

    fn unawaited(&mut self, expression: &Expr) {
        let shown = match expression {
            Expr::Name(name) => format!("`{}`", name.id),
            _ => "this".to_owned(),
        };
        let message = format!("{shown} is a call that was never awaited, not its value: `await` it first");
        self.remark(Remark::sure(TypecheckRule::NotAwaited, Raises::Type, expression.range(), message));
    }

    fn never_awaited(&mut self, expression: &Expr) {
        let Some((name, declared)) = self.coroutine_of(expression) else { return };
        self.remark(Remark {
            declared,
            ..Remark::sure(
                TypecheckRule::NotAwaited,
                Raises::Type,
                expression.range(),
                format!(
                    "the call of `{name}` is never awaited, so nothing happens: write `await {name}(...)`"
                ),
            )
        });
    }

    /// The function that an expression calls for a coroutine, a tool or one of the program, and what declares it.
    fn coroutine_of(&self, expression: &Expr) -> Option<(String, Option<String>)> {
        if let Some((name, signature)) = self.tool_of(expression) {
            return Some((name, Some(signature)));
        }
        let name = last_name(&expression.as_call_expr()?.func)?;
        let is_own = matches!(self.evidence.origins.name(name), [ValueOrigin::Function(_)])
            && !self.evidence.facts.replaces;
        (is_own && self.evidence.types.is_coroutine(expression)).then(|| (name.to_owned(), None))
    }

    fn tool_of(&self, expression: &Expr) -> Option<(String, String)> {
        let call: &ExprCall = expression.as_call_expr()?;
        let (name, stub) = self.evidence.tool(call)?;
        Some((name.to_owned(), stub.signature.text.clone()))
    }
}

/// Whether an operator compares which of two values is the greater.
fn is_order(operator: &CmpOp) -> bool {
    matches!(operator, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE)
}

/// Whether a call is one of `asyncio.gather`.
fn is_gather(call: &ExprCall) -> bool {
    call.func.as_attribute_expr().is_some_and(|function| {
        function.attr.as_str() == "gather"
            && function.value.as_name_expr().is_some_and(|module| module.id == "asyncio")
    })
}
