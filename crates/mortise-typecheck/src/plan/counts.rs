//! How often a loop runs, as far as its source shows it.

use ruff_python_ast::{Expr, ExprCall, Number, Operator, UnaryOp};

use super::facts::NameFacts;

/// How often something happens at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallCount(Option<u64>);

/// A count beyond which no person reads the number as a bound.
const MOST: u64 = 1_000_000;
/// Names and expressions within each other that are followed to a count.
const DEPTH: usize = 12;

impl CallCount {
    pub(super) const NEVER: Self = Self(Some(0));
    pub(super) const ONCE: Self = Self(Some(1));
    pub(super) const ANY: Self = Self(None);

    fn new(count: u64) -> Self {
        Self((count <= MOST).then_some(count))
    }

    fn of(count: usize) -> Self {
        u64::try_from(count).map_or(Self::ANY, Self::new)
    }

    pub(super) fn at_most(self) -> Option<u64> {
        self.0
    }

    pub(super) fn plus(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(one), Some(other)) => Self::new(one.saturating_add(other)),
            _ => Self::ANY,
        }
    }

    pub(super) fn times(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(0), _) | (_, Some(0)) => Self::NEVER,
            (Some(one), Some(other)) => Self::new(one.saturating_mul(other)),
            _ => Self::ANY,
        }
    }

    /// The smaller of two bounds on the same thing.
    fn and(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(one), Some(other)) => Self(Some(one.min(other))),
            (one, other) => Self(one.or(other)),
        }
    }

    fn or(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(one), Some(other)) => Self(Some(one.max(other))),
            _ => Self::ANY,
        }
    }
}

/// How many values iterating over an expression gives at most.
pub(super) fn iterations(expression: &Expr, facts: &NameFacts<'_>) -> CallCount {
    ValueCounter { facts, depth: 0 }.items(expression)
}

struct ValueCounter<'f, 'a> {
    facts: &'f NameFacts<'a>,
    depth: usize,
}

impl ValueCounter<'_, '_> {
    fn items(&self, expression: &Expr) -> CallCount {
        if self.depth >= DEPTH {
            return CallCount::ANY;
        }
        let inner = ValueCounter { facts: self.facts, depth: self.depth + 1 };
        match expression {
            Expr::List(list) => inner.elements(&list.elts),
            Expr::Tuple(tuple) => inner.elements(&tuple.elts),
            Expr::Set(set) => inner.elements(&set.elts),
            Expr::Dict(dict) if dict.items.iter().all(|item| item.key.is_some()) => {
                CallCount::of(dict.items.len())
            }
            Expr::StringLiteral(text) => CallCount::of(text.value.to_str().chars().count()),
            Expr::Name(name) => match self.facts.value(name.id.as_str()) {
                // An empty list is there to be filled, also by a function that it is passed to.
                Some(Expr::List(list)) if list.elts.is_empty() => CallCount::ANY,
                Some(Expr::Dict(dict)) if dict.items.is_empty() => CallCount::ANY,
                Some(value) => inner.items(value),
                None => CallCount::ANY,
            },
            Expr::Call(call) => inner.call_items(call),
            Expr::Subscript(subscript) => match &*subscript.slice {
                Expr::Slice(slice) => {
                    let lower = slice.lower.as_deref().map(|lower| inner.exact(lower));
                    let upper = slice.upper.as_deref().map(|upper| inner.upper(upper));
                    inner.items(&subscript.value).and(slice_length(lower, upper))
                }
                _ => CallCount::ANY,
            },
            Expr::ListComp(list) => inner.product(list.generators.iter().map(|part| &part.iter)),
            Expr::SetComp(set) => inner.product(set.generators.iter().map(|part| &part.iter)),
            Expr::Generator(lazy) => inner.product(lazy.generators.iter().map(|part| &part.iter)),
            Expr::DictComp(dict) => inner.product(dict.generators.iter().map(|part| &part.iter)),
            Expr::If(either) => inner.items(&either.body).or(inner.items(&either.orelse)),
            Expr::BinOp(sum) if sum.op == Operator::Add => {
                inner.items(&sum.left).plus(inner.items(&sum.right))
            }
            _ => CallCount::ANY,
        }
    }

    fn elements(&self, elements: &[Expr]) -> CallCount {
        elements.iter().fold(CallCount::NEVER, |count, element| match element {
            Expr::Starred(starred) => count.plus(self.items(&starred.value)),
            _ => count.plus(CallCount::ONCE),
        })
    }

    fn product<'e>(&self, parts: impl Iterator<Item = &'e Expr>) -> CallCount {
        parts.fold(CallCount::ONCE, |count, part| count.times(self.items(part)))
    }

    fn call_items(&self, call: &ExprCall) -> CallCount {
        let arguments = &*call.arguments.args;
        let name = match &*call.func {
            Expr::Name(name) if !self.facts.is_bound(name.id.as_str()) => name.id.as_str(),
            Expr::Attribute(method) if arguments.is_empty() => {
                let is_view = ["items", "keys", "values", "copy"].contains(&method.attr.as_str());
                return if is_view { self.items(&method.value) } else { CallCount::ANY };
            }
            Expr::Attribute(function) => match &*function.value {
                Expr::Name(module) if module.id == "itertools" => function.attr.as_str(),
                _ => return CallCount::ANY,
            },
            _ => return CallCount::ANY,
        };
        match (name, arguments) {
            ("range", bounds) => self.range_length(bounds),
            ("enumerate" | "sorted" | "reversed" | "list" | "tuple" | "set" | "frozenset", [first, ..]) => {
                self.items(first)
            }
            ("filter", [_, values]) => self.items(values),
            ("map", [_, values @ ..]) | ("zip", values) if !values.is_empty() => {
                values.iter().fold(CallCount::ANY, |count, value| match value {
                    Expr::Starred(_) => count,
                    value => count.and(self.items(value)),
                })
            }
            ("islice", [values, stop]) => self.items(values).and(slice_length(None, Some(self.upper(stop)))),
            ("islice", [values, start, stop, ..]) => {
                let length = slice_length(Some(self.exact(start)), Some(self.upper(stop)));
                self.items(values).and(length)
            }
            _ => CallCount::ANY,
        }
    }

    fn range_length(&self, bounds: &[Expr]) -> CallCount {
        let (start, stop, step) = match bounds {
            [stop] => (Some(0), self.upper(stop), Some(1)),
            [start, stop] => (self.exact(start), self.upper(stop), Some(1)),
            [start, stop, step] => (self.exact(start), self.exact(stop), self.exact(step)),
            _ => return CallCount::ANY,
        };
        let (Some(start), Some(stop), Some(step)) = (start, stop, step) else { return CallCount::ANY };
        let distance = if step > 0 { stop.saturating_sub(start) } else { start.saturating_sub(stop) };
        if step == 0 || distance <= 0 {
            return CallCount::NEVER;
        }
        CallCount::new(distance.unsigned_abs().div_ceil(step.unsigned_abs()))
    }

    /// A number that an expression surely is.
    fn exact(&self, expression: &Expr) -> Option<i64> {
        if self.depth >= DEPTH {
            return None;
        }
        let inner = ValueCounter { facts: self.facts, depth: self.depth + 1 };
        match expression {
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(number) => number.as_i64(),
                _ => None,
            },
            Expr::UnaryOp(negative) if negative.op == UnaryOp::USub => {
                inner.exact(&negative.operand)?.checked_neg()
            }
            Expr::Name(name) => inner.exact(self.facts.value(name.id.as_str())?),
            Expr::BinOp(operation) => {
                let (left, right) = (inner.exact(&operation.left)?, inner.exact(&operation.right)?);
                match operation.op {
                    Operator::Add => left.checked_add(right),
                    Operator::Sub => left.checked_sub(right),
                    Operator::Mult => left.checked_mul(right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A number that an expression does not exceed: `min(20, len(rows))` is at most 20.
    fn upper(&self, expression: &Expr) -> Option<i64> {
        if let Some(exact) = self.exact(expression) {
            return Some(exact);
        }
        let Expr::Call(call) = expression else { return None };
        let Expr::Name(name) = &*call.func else { return None };
        let inner = ValueCounter { facts: self.facts, depth: self.depth + 1 };
        let is_own = self.facts.is_bound(name.id.as_str()) || self.depth >= DEPTH;
        match (name.id.as_str(), &*call.arguments.args) {
            _ if is_own => None,
            ("min", all) if all.len() > 1 => all.iter().filter_map(|one| inner.upper(one)).min(),
            ("len", [values]) => i64::try_from(inner.items(values).at_most()?).ok(),
            _ => None,
        }
    }
}

/// Values of `rows[lower:upper]` at most; a bound that is written and not known is `Some(None)`.
fn slice_length(lower: Option<Option<i64>>, upper: Option<Option<i64>>) -> CallCount {
    let length = match (lower, upper) {
        (None, Some(Some(upper @ 0..))) => upper,
        (Some(Some(lower @ 0..)), Some(Some(upper @ 0..))) => upper.saturating_sub(lower).max(0),
        (Some(None), Some(Some(upper @ 0..))) => upper,
        (Some(Some(lower @ ..0)), None) => lower.saturating_neg(),
        (Some(Some(lower @ ..0)), Some(Some(upper @ ..0))) => upper.saturating_sub(lower).max(0),
        _ => return CallCount::ANY,
    };
    CallCount::new(length.unsigned_abs())
}
