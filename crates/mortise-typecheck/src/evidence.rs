//! What is known of a program before its parts are judged.
//!
//! * [`kinds`]: what a value can be, asked of ty.
//! * [`named`]: the types that a type names, such as those of a list's elements.
//! * [`facts`]: what the program does as a whole: keys that it stores or tests, names that it binds, exceptions that it
//!   catches.
//! * [`origins`]: all that a name gets, and where.
//! * [`own`]: which dicts the program made itself.
//! * [`plain`]: whether a type follows from declarations and values in plain sight. Only then may a rule refuse.

pub(crate) mod facts;
pub(crate) mod handlers;
pub(crate) mod kinds;
pub(crate) mod named;
pub(crate) mod origins;
pub(crate) mod own;
mod plain;

use std::collections::HashMap;

use ruff_python_ast::{Expr, ExprCall};

use crate::stub::Stub;
use facts::SourceFacts;
use kinds::Types;
use origins::Origins;

/// What rules know about the program.
pub(crate) struct ProgramEvidence<'a> {
    pub(crate) types: &'a Types<'a>,
    pub(crate) facts: &'a SourceFacts,
    pub(crate) origins: &'a Origins<'a>,
    /// The stubs of the program's tools, by callable name.
    pub(crate) tools: HashMap<&'a str, &'a Stub>,
}

impl<'a> ProgramEvidence<'a> {
    /// The tool that a call calls, by its name or another one, if the program has not given that to something else.
    pub(crate) fn tool(&self, call: &ExprCall) -> Option<(&'a str, &'a Stub)> {
        let called = call.func.as_name_expr()?.id.as_str();
        let meant = self.facts.aliases.get(called).filter(|_| self.facts.bound.get(called) == Some(&1));
        let (name, stub) = self.tools.get_key_value(meant.map_or(called, String::as_str))?;
        (!self.facts.bound.contains_key(*name)).then_some((*name, *stub))
    }

    /// Whether the program itself asks for the type of a name.
    pub(crate) fn is_typed(&self, expression: &Expr) -> bool {
        expression.as_name_expr().is_some_and(|name| self.facts.typed.contains(name.id.as_str()))
    }
}
