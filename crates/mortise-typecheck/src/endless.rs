//! Types that are made of themselves in a way that the checker follows for ever.
//!
//! `type A = A | int` is such a type, and so is a class whose `__call__` is an object of that class, or
//! whose `__init__` is the class. The checker walks
//! both by recursion, and a stack that overflows can't be caught: it would take all other programs down. Programs that
//! could do that are not checked. Aliases that lead back to themselves within a list or a dict, as that of JSON does,
//! are fine.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_alias, walk_expr, walk_stmt};
use ruff_python_ast::{Alias, Expr, ExprContext, Operator, Stmt, StmtFunctionDef};

use crate::finding::Unchecked;
use crate::handlers::last_name;

/// The method that objects are called by.
const CALL: &str = "__call__";
/// Methods that calls go through.
const CALLED: [&str; 3] = [CALL, "__init__", "__new__"];
/// Decorators that leave a method a method.
const PLAIN: [&str; 6] = ["staticmethod", "classmethod", "override", "abstractmethod", "final", "overload"];
/// Generic types that are no more than what they hold.
const THIN: [&str; 3] = ["Union", "Optional", "Annotated"];

/// Why a program can't be checked, if it has such types.
pub(crate) fn excess(program: &[Stmt]) -> Option<Unchecked> {
    let mut reader = Reader::default();
    for statement in program {
        reader.visit_stmt(statement);
    }
    (reader.is_endless || reader.leads_back()).then_some(Unchecked::Endless)
}

#[derive(Default)]
struct Reader<'a> {
    /// What aliases are made of, outside of lists and the like.
    aliases: HashMap<&'a str, HashSet<&'a str>>,
    is_endless: bool,
}

impl<'a> Reader<'a> {
    /// Whether an alias is part of itself.
    fn leads_back(&self) -> bool {
        self.aliases.keys().any(|alias| {
            let mut open: Vec<&str> = vec![alias];
            let mut seen = HashSet::new();
            while let Some(name) = open.pop() {
                for part in self.aliases.get(name).into_iter().flatten() {
                    if part == alias {
                        return true;
                    }
                    if seen.insert(*part) {
                        open.push(part);
                    }
                }
            }
            false
        })
    }

    fn alias(&mut self, name: &'a Expr, value: &'a Expr, words: Words) {
        let Expr::Name(name) = name else { return };
        let mut parts = HashSet::new();
        collect(value, words, &mut parts);
        if !parts.is_empty() {
            self.aliases.entry(name.id.as_str()).or_default().extend(parts);
        }
    }

    fn function(&mut self, function: &StmtFunctionDef) {
        let is_plain = |decorator: &ruff_python_ast::Decorator| {
            last_name(&decorator.expression).is_some_and(|name| PLAIN.contains(&name))
        };
        self.is_endless |=
            CALLED.contains(&function.name.as_str()) && !function.decorator_list.iter().all(is_plain);
    }
}

/// Which names count as parts of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// All of them.
    All,
    /// Only those in texts: an assignment may be about anything else than types.
    Quoted,
}

/// The names in a type, without those within generic types that are more than what they hold.
fn collect<'a>(kind: &'a Expr, words: Words, parts: &mut HashSet<&'a str>) {
    match kind {
        Expr::Name(name) if words == Words::All => drop(parts.insert(name.id.as_str())),
        Expr::StringLiteral(text) => {
            let is_part = |c: char| c == '_' || c.is_alphanumeric();
            parts.extend(text.value.to_str().split(|c| !is_part(c)).filter(|word| !word.is_empty()));
        }
        Expr::BinOp(operation) if operation.op == Operator::BitOr => {
            collect(&operation.left, words, parts);
            collect(&operation.right, words, parts);
        }
        Expr::Subscript(subscript) => {
            let name = last_name(&subscript.value);
            let is_thin = name.is_some_and(|name| THIN.contains(&name));
            if words == Words::All {
                // An alias with parameters is what it stands for.
                collect(&subscript.value, words, parts);
            }
            if is_thin {
                collect(&subscript.slice, words, parts);
            }
        }
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|kind| collect(kind, words, parts)),
        _ => {}
    }
}

impl<'a> SourceOrderVisitor<'a> for Reader<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::TypeAlias(alias) => self.alias(&alias.name, &alias.value, Words::All),
            Stmt::AnnAssign(assignment) => {
                if let Some(value) = &assignment.value
                    && last_name(&assignment.annotation) == Some("TypeAlias")
                {
                    self.alias(&assignment.target, value, Words::All);
                }
            }
            Stmt::Assign(assignment) if !assignment.value.is_string_literal_expr() => {
                for target in &assignment.targets {
                    self.alias(target, &assignment.value, Words::Quoted);
                }
            }
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.is_endless |= CALLED.contains(&class.name.as_str()),
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        self.is_endless |= match expression {
            Expr::Name(name) => {
                let is_bound = name.ctx != ExprContext::Load && CALLED.contains(&name.id.as_str());
                name.id.as_str() == "TypeAliasType" || is_bound
            }
            Expr::Attribute(attribute) => {
                attribute.attr.as_str() == "TypeAliasType"
                    || (attribute.attr.as_str() == CALL && attribute.ctx != ExprContext::Load)
            }
            Expr::StringLiteral(text) => text.value.to_str() == CALL,
            _ => false,
        };
        walk_expr(self, expression);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        self.is_endless |= alias.asname.as_ref().is_some_and(|name| CALLED.contains(&name.as_str()));
        walk_alias(self, alias);
    }
}

#[cfg(test)]
mod tests;
