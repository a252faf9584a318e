//! How a surely failing operation is reported.

use ruff_python_ast::{Expr, Operator};
use ruff_text_size::TextRange;

use super::is_asyncio_run;
use crate::evidence::handlers::{Raises, last_name};
use crate::evidence::kinds::KindGroup;
use crate::finding::TypecheckRule;
use crate::said::lint;
use crate::syntax::lower_first;
use crate::walk::{Remark, Scene};

impl<'a> Scene<'a> {
    /// Says what fails, in Python's words, and what to do.
    pub(crate) fn remark_wrong_type(&mut self, raises: Raises, id: &str, range: TextRange, said: &str) {
        let exception = if raises == Raises::Attribute { "AttributeError" } else { "TypeError" };
        let here: Vec<&'a Expr> = self.at(range).collect();
        let is_index = id == lint::INVALID_ARGUMENT_TYPE
            && here.iter().any(|expression| self.subscript_of(expression).is_some());
        let operands: Vec<&'a Expr> = match is_index {
            true => here.clone(),
            false => here.iter().flat_map(|expression| operands(expression)).collect(),
        };
        let message = match is_index {
            true => self.wrong_index(&operands),
            false => self.in_words(&here, &operands, said),
        };
        let declared = operands.iter().find_map(|operand| self.origin(operand));
        self.remark_at(Remark {
            declared,
            ..Remark::sure(TypecheckRule::WrongType, raises, range, format!("{exception}: {message}"))
        });
    }

    fn wrong_index(&self, objects: &[&'a Expr]) -> String {
        match objects.first().and_then(|object| self.evidence.group(object)) {
            Some(KindGroup::Text) => "string indices must be integers, not 'str'".to_owned(),
            _ => "list indices must be integers or slices, not str".to_owned(),
        }
    }

    fn in_words(&self, here: &[&'a Expr], operands: &[&'a Expr], said: &str) -> String {
        let given = here.iter().find_map(|expression| match expression {
            Expr::Call(call) => Some((call, call.arguments.args.first()?)),
            expression => Some((self.call_with(expression)?, *expression)),
        });
        match (here.first(), given) {
            (Some(Expr::BinOp(operation)), _) => {
                format!("{}{}", lower_first(said), self.advice(operation.op, operands))
            }
            (_, Some((call, Expr::Name(name)))) if is_asyncio_run(call) => {
                format!("`asyncio.run` takes a call, not a function: write `asyncio.run({}())`", name.id)
            }
            (_, Some((call, _))) => match last_name(&call.func) {
                Some("sum") => "`sum` adds numbers: write `sum(row[\"...\"] for row in rows)`".to_owned(),
                Some(name @ ("max" | "min" | "sorted")) => {
                    format!("`{name}` can't compare these values: pass `key=lambda row: row[\"...\"]`")
                }
                Some("join") => {
                    "`join` takes strings: write `str(...)` or `row[\"...\"]` for each value".to_owned()
                }
                _ => lower_first(said),
            },
            _ => lower_first(said),
        }
    }

    fn advice(&self, operator: Operator, operands: &[&'a Expr]) -> &'static str {
        let has =
            |group: KindGroup| operands.iter().any(|operand| self.evidence.group(operand) == Some(group));
        match operator {
            Operator::Add if has(KindGroup::Text) && has(KindGroup::Number) => {
                ": put the number into the string with `str(...)` or an f-string"
            }
            Operator::Sub if has(KindGroup::Text) => {
                ": dates of tools are strings, read them with `datetime.fromisoformat(...)`"
            }
            _ => "",
        }
    }
}

/// The values that an operation works on.
pub(in crate::rules) fn operands(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::BinOp(operation) => vec![&operation.left, &operation.right],
        Expr::Compare(compare) => std::iter::once(&*compare.left).chain(&compare.comparators).collect(),
        Expr::UnaryOp(operation) => vec![&operation.operand],
        Expr::Attribute(attribute) => vec![&attribute.value],
        Expr::Subscript(subscript) => vec![&subscript.value],
        Expr::Call(call) => vec![&call.func],
        expression => vec![expression],
    }
}
