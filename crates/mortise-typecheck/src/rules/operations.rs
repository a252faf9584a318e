//! Operations that a value surely lacks: `"total: " + page["total"]` where a tool declares a number.
//!
//! The type checker finds them. Whether one surely fails is decided here: every operand must be of one kind only, and
//! that kind must follow from declarations and from values in plain sight, not from an annotation or from what a list
//! of the program was seen to be given.

mod words;

pub(super) use words::operands;

use ruff_python_ast::{Expr, ExprCall, ExprSubscript, Operator, StmtAugAssign};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::evidence::facts::literal;
use crate::evidence::handlers::{Raises, last_name};
use crate::evidence::kinds::KindGroup;
use crate::evidence::origins::ValueOrigin;
use crate::said::lint;
use crate::walk::Scene;

/// Functions that fail for an argument that their declaration excludes.
const EXACTING: [&str; 28] = [
    "abs",
    "all",
    "any",
    "ceil",
    "enumerate",
    "float",
    "floor",
    "fmean",
    "fromisoformat",
    "fsum",
    "int",
    "join",
    "len",
    "list",
    "loads",
    "max",
    "mean",
    "median",
    "min",
    "range",
    "round",
    "set",
    "sorted",
    "sqrt",
    "stdev",
    "strptime",
    "sum",
    "tuple",
];

impl<'a> Scene<'a> {
    /// What an operation raises with which the type checker finds fault, if it surely does.
    pub(crate) fn surely_raises(&self, id: &str, range: TextRange) -> Option<Raises> {
        if id == lint::UNSUPPORTED_OPERATOR
            && let Some(statement) = self.augmented.iter().find(|statement| statement.range() == range)
        {
            let is_sure = self.are_at_odds(Some(statement.op), &statement.target, &statement.value)
                || self.is_wrong_increment(statement);
            return is_sure.then_some(Raises::Operand);
        }
        self.at(range).find_map(|expression| self.surely_raises_here(id, expression))
    }

    /// The expressions of exactly this place.
    pub(crate) fn at(&self, range: TextRange) -> impl Iterator<Item = &'a Expr> {
        self.starting_at(range.start()).filter(move |expression| expression.range() == range)
    }

    fn starting_at(&self, start: TextSize) -> impl Iterator<Item = &'a Expr> {
        let first = self.expressions.partition_point(|expression| expression.start() < start);
        self.expressions[first..].iter().copied().take_while(move |expression| expression.start() == start)
    }

    fn surely_raises_here(&self, id: &str, expression: &'a Expr) -> Option<Raises> {
        let (is_sure, raises) = match (id, expression) {
            (lint::UNSUPPORTED_OPERATOR, Expr::BinOp(operation)) => {
                (self.are_at_odds(Some(operation.op), &operation.left, &operation.right), Raises::Operand)
            }
            (lint::UNSUPPORTED_OPERATOR, Expr::Compare(compare)) => {
                let [right] = &*compare.comparators else { return None };
                (self.are_at_odds(None, &compare.left, right), Raises::Operand)
            }
            (lint::UNSUPPORTED_OPERATOR, Expr::UnaryOp(operation)) => {
                (self.evidence.is_exact(&operation.operand), Raises::Operand)
            }
            // Objects of tools have a rule of their own.
            (lint::UNRESOLVED_ATTRIBUTE, Expr::Attribute(attribute)) => {
                let is_sure =
                    self.evidence.is_exact(&attribute.value) && !self.evidence.is_declared(&attribute.value);
                (is_sure, Raises::Attribute)
            }
            (lint::NOT_SUBSCRIPTABLE, Expr::Subscript(subscript)) => {
                (self.is_no_holder(subscript), Raises::Operand)
            }
            (lint::NOT_ITERABLE | lint::INVALID_AWAIT, expression) => {
                (self.evidence.is_exact(expression), Raises::Operand)
            }
            (lint::CALL_NON_CALLABLE, Expr::Call(call)) => {
                (self.evidence.is_exact(&call.func), Raises::Operand)
            }
            (lint::NO_MATCHING_OVERLOAD, Expr::Call(call)) => {
                let arguments = &call.arguments.args;
                let is_sure =
                    !arguments.is_empty() && arguments.iter().all(|one| self.is_wrong_argument(one));
                (is_sure, Raises::Operand)
            }
            (lint::INVALID_ARGUMENT_TYPE, expression) => match self.subscript_of(expression) {
                Some(subscript) => {
                    let is_sure = self.is_no_holder(subscript) && self.evidence.is_exact(&subscript.slice);
                    (is_sure, Raises::Operand)
                }
                None => (self.is_wrong_argument(expression), Raises::Operand),
            },
            _ => return None,
        };
        is_sure.then_some(raises)
    }

    /// The subscript whose object an expression is: `rows` of `rows["name"]`. ty reports a key of the wrong type there.
    pub(crate) fn subscript_of(&self, object: &Expr) -> Option<&'a ExprSubscript> {
        let mut subscripts = self.starting_at(object.start()).filter_map(Expr::as_subscript_expr);
        subscripts.find(|subscript| subscript.value.range() == object.range())
    }

    /// Whether a value is surely no object, and the program tests nowhere whether it is.
    fn is_no_holder(&self, subscript: &'a ExprSubscript) -> bool {
        let is_tested = literal(&subscript.slice).is_some_and(|key| self.evidence.facts.tested.contains(key));
        !is_tested && self.evidence.is_exact(&subscript.value) && !self.evidence.is_declared(&subscript.value)
    }

    /// `total += rows` after `total = 0`: behind the first round the types know nothing of `total` any more.
    fn is_wrong_increment(&self, statement: &'a StmtAugAssign) -> bool {
        let Expr::Name(name) = &*statement.target else { return false };
        let begins = self
            .evidence
            .origins
            .name(name.id.as_str())
            .iter()
            .filter(|origin| !matches!(origin, ValueOrigin::Added(_)));
        let mut groups = begins.map(|origin| match origin {
            ValueOrigin::Value(value) if self.evidence.is_exact(value) => self.evidence.group(value),
            _ => None,
        });
        let Some(Some(first)) = groups.next() else { return false };
        let is_number = first == KindGroup::Number && groups.all(|group| group == Some(first));
        let value = self.evidence.group(&statement.value);
        let is_other =
            matches!(value, Some(KindGroup::Object | KindGroup::List | KindGroup::Dict | KindGroup::Text));
        is_number && statement.op == Operator::Add && is_other && self.evidence.is_exact(&statement.value)
    }

    /// Whether no operator that the type checker misses is there for two operands. What two lists or two dicts hold
    /// is no obstacle, and objects of tools are dicts.
    fn are_at_odds(&self, operator: Option<Operator>, left: &'a Expr, right: &'a Expr) -> bool {
        let groups = (self.evidence.group(left), self.evidence.group(right));
        let is_dict = |group| matches!(group, Some(KindGroup::Object | KindGroup::Dict));
        let are_dicts = operator == Some(Operator::BitOr) && is_dict(groups.0) && is_dict(groups.1);
        let are_lists = groups == (Some(KindGroup::List), Some(KindGroup::List));
        !are_dicts && !are_lists && self.evidence.is_exact(left) && self.evidence.is_exact(right)
    }

    /// Whether an argument is one that a built-in function surely does not take.
    fn is_wrong_argument(&self, argument: &'a Expr) -> bool {
        if self.call_with(argument).is_some_and(is_asyncio_run) {
            return self.is_function(argument);
        }
        self.is_exacting(argument) && self.is_complete(argument) && self.evidence.has_exact_elements(argument)
    }

    /// Whether a value is of one kind, a generator included.
    fn is_complete(&self, argument: &'a Expr) -> bool {
        argument.is_generator_expr() || self.evidence.is_exact(argument)
    }

    /// Whether an argument is given to a function that fails for what its declaration excludes.
    pub(crate) fn is_exacting(&self, argument: &Expr) -> bool {
        let Some(call) = self.call_with(argument) else { return false };
        let Some(name) = last_name(&call.func) else { return false };
        let is_method =
            || call.func.as_attribute_expr().is_some_and(|method| self.evidence.is_exact(&method.value));
        EXACTING.contains(&name)
            && matches!(self.evidence.origins.name(name), [] | [ValueOrigin::Import])
            && (name != "join" || is_method())
    }

    /// The call that an expression is a positional argument of.
    fn call_with(&self, argument: &Expr) -> Option<&'a ExprCall> {
        let range = self.evidence.facts.call_around(argument.range())?;
        let is_argument =
            |call: &&ExprCall| call.arguments.args.iter().any(|one| one.range() == argument.range());
        self.at(range).filter_map(Expr::as_call_expr).find(is_argument)
    }

    /// Whether an expression names a function of the program that nothing else is named after.
    fn is_function(&self, expression: &Expr) -> bool {
        let Expr::Name(name) = expression else { return false };
        matches!(self.evidence.origins.name(name.id.as_str()), [ValueOrigin::Function(_)])
    }
}

/// `asyncio.run(…)`.
fn is_asyncio_run(call: &ExprCall) -> bool {
    let Expr::Attribute(function) = &*call.func else { return false };
    function.attr.as_str() == "run" && last_name(&function.value) == Some("asyncio")
}
