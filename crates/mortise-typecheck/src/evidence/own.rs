//! Dicts that the program created, and objects of tools that share a name with one.
//!
//! An object of a tool that is put into a `list[dict]`, or handed to a function that says so, is a dict for the types
//! from then on, and so is a dict that the program made. Keys that are stored in the one are then in the objects of
//! the tool; keys of the other are not.

use std::collections::HashMap;

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_annotation, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Stmt};

use crate::evidence::handlers::{callee, last_name};

/// Annotations that mean a dict.
const DICTS: [&str; 4] = ["dict", "Dict", "Mapping", "MutableMapping"];
/// Functions that create a dict.
const MAKERS: [&str; 4] = ["dict", "defaultdict", "Counter", "OrderedDict"];

/// Which names are dicts that the program made.
#[derive(Debug, Default)]
pub(crate) struct Own<'a> {
    /// How often a name gets anything, and how often a new dict.
    names: HashMap<&'a str, (usize, usize)>,
    /// Whether the program says somewhere that something is a dict, which an object of a tool is too.
    says_dict: bool,
}

impl<'a> Own<'a> {
    pub(crate) fn of(program: &'a [Stmt]) -> Self {
        let mut own = Self::default();
        program.iter().for_each(|statement| own.visit_stmt(statement));
        own
    }

    /// Whether what the types take for a dict may be an object of a tool.
    pub(crate) fn may_be_given(&self, object: &Expr) -> bool {
        let is_made = object
            .as_name_expr()
            .and_then(|name| self.names.get(name.id.as_str()))
            .is_some_and(|(all, made)| all == made);
        self.says_dict && !is_made
    }

    fn assign(&mut self, target: &'a Expr, value: &Expr) {
        if let Expr::Name(name) = target
            && is_made(value)
        {
            self.names.entry(name.id.as_str()).or_default().1 += 1;
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Own<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(assignment) => {
                assignment.targets.iter().for_each(|target| self.assign(target, &assignment.value));
            }
            Stmt::AnnAssign(assignment) => {
                if let Some(value) = &assignment.value {
                    self.assign(&assignment.target, value);
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression
            && name.ctx == ExprContext::Store
        {
            self.names.entry(name.id.as_str()).or_default().0 += 1;
        }
        walk_expr(self, expression);
    }

    fn visit_annotation(&mut self, annotation: &'a Expr) {
        self.says_dict |= can_be_an_object(annotation);
        walk_annotation(self, annotation);
    }
}

fn is_made(value: &Expr) -> bool {
    match value {
        Expr::Dict(_) | Expr::DictComp(_) => true,
        Expr::Call(call) => last_name(callee(call)).is_some_and(|name| MAKERS.contains(&name)),
        _ => false,
    }
}

/// Whether a type has a dict in it that says nothing of its values, or that they can be several things.
fn can_be_an_object(kind: &Expr) -> bool {
    match kind {
        Expr::Name(_) | Expr::Attribute(_) => last_name(kind).is_some_and(|name| DICTS.contains(&name)),
        Expr::StringLiteral(text) => DICTS.iter().any(|word| text.value.to_str().contains(word)),
        Expr::BinOp(operation) => can_be_an_object(&operation.left) || can_be_an_object(&operation.right),
        Expr::Tuple(tuple) => tuple.elts.iter().any(can_be_an_object),
        Expr::List(list) => list.elts.iter().any(can_be_an_object),
        Expr::Subscript(subscript) => match (can_be_an_object(&subscript.value), &*subscript.slice) {
            (true, Expr::Tuple(parameters)) => parameters.elts.last().is_some_and(|values| {
                let is_open = matches!(last_name(values), Some("Any" | "object"));
                is_open || values.is_bin_op_expr() || values.is_subscript_expr() || can_be_an_object(values)
            }),
            (is_dict, parameters) => is_dict || can_be_an_object(parameters),
        },
        _ => false,
    }
}
