//! Values whose types follow from declarations and from values in plain sight.

use ruff_python_ast::{Expr, ExprCall};

use crate::evidence::ProgramEvidence;
use crate::evidence::facts::literal;
use crate::evidence::handlers::{callee, last_name};
use crate::evidence::kinds::{KindGroup, ValueKind};
use crate::evidence::origins::ValueOrigin;

/// Names that are looked behind, one after another.
const STEPS: usize = 12;

/// Classes of the standard library whose operations do not depend on the program.
const CLASSES: [&str; 11] = [
    "date",
    "datetime",
    "time",
    "timedelta",
    "Decimal",
    "Fraction",
    "set",
    "frozenset",
    "bytes",
    "FunctionType",
    "function",
];

/// Functions that return one of the elements of their argument.
const CHOOSERS: [&str; 4] = ["max", "min", "sum", "next"];

/// Functions whose result holds the elements of their arguments.
const HOLDERS: [&str; 12] = [
    "list",
    "tuple",
    "set",
    "sorted",
    "reversed",
    "enumerate",
    "zip",
    "iter",
    "filter",
    "items",
    "values",
    "gather",
];

impl<'a> ProgramEvidence<'a> {
    /// Whether a value is of one kind only, for sure.
    pub(crate) fn is_exact(&self, expression: &'a Expr) -> bool {
        if expression.is_slice_expr() {
            return true;
        }
        self.group(expression).is_some() && self.is_plain(expression, STEPS)
    }

    /// The one group of kinds that a value has.
    pub(crate) fn group(&self, expression: &Expr) -> Option<KindGroup> {
        self.group_of(expression, &self.types.kinds(expression))
    }

    /// The one group of kinds that a value has unless it is null.
    pub(crate) fn group_but_null(&self, expression: &Expr) -> Option<KindGroup> {
        let mut kinds = self.types.kinds(expression);
        kinds.retain(|kind| !matches!(kind, ValueKind::Nothing));
        self.group_of(expression, &kinds)
    }

    fn group_of(&self, expression: &Expr, kinds: &[ValueKind<'_>]) -> Option<KindGroup> {
        let mut groups = Vec::new();
        for kind in kinds {
            groups.push(match kind {
                ValueKind::Instance => {
                    let class = self.types.class_name(expression)?;
                    CLASSES.contains(&class.as_str()).then_some(KindGroup::Instance)?
                }
                ValueKind::Exception | ValueKind::Coroutine | ValueKind::Other => return None,
                kind => KindGroup::of(kind)?,
            });
        }
        groups.dedup();
        groups.first().copied().filter(|_| groups.len() == 1)
    }

    /// Whether what the types say of a value follows from declarations and values in plain sight.
    pub(crate) fn is_plain(&self, expression: &'a Expr, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        if self.is_declared(expression) {
            return true;
        }
        match expression {
            Expr::Name(name) => {
                if self.is_typed(expression) {
                    return false;
                }
                let origins = self.origins.name(name.id.as_str());
                let is_kept = |origin: &ValueOrigin<'a>| match origin {
                    ValueOrigin::Promised(value) => {
                        self.group(value).is_some_and(|group| self.group(expression) == Some(group))
                    }
                    _ => true,
                };
                !origins.is_empty()
                    && origins.iter().all(|origin| is_kept(origin) && self.is_plain_origin(origin, steps))
            }
            Expr::Attribute(attribute) => self.is_plain_attribute(attribute, steps),
            Expr::Subscript(subscript) => self.is_plain_part(subscript, steps),
            Expr::Await(awaited) => self.is_plain(&awaited.value, steps),
            Expr::Named(named) => self.is_plain(&named.value, steps),
            Expr::Call(call) => self.is_plain_result(call, steps),
            Expr::BinOp(inner) => self.is_plain(&inner.left, steps) && self.is_plain(&inner.right, steps),
            Expr::UnaryOp(inner) => self.is_plain(&inner.operand, steps),
            Expr::BoolOp(inner) => inner.values.iter().all(|value| self.is_plain(value, steps)),
            Expr::If(inner) => self.is_plain(&inner.body, steps) && self.is_plain(&inner.orelse, steps),
            Expr::Starred(_) | Expr::Yield(_) | Expr::YieldFrom(_) => false,
            // Literals, comparisons, lists and the like are what they are.
            _ => true,
        }
    }

    /// Whether an expression is an object of a tool.
    pub(crate) fn is_declared(&self, expression: &Expr) -> bool {
        let kinds = self.types.kinds(expression);
        !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, ValueKind::Shape(_)))
    }

    fn is_plain_origin(&self, origin: &ValueOrigin<'a>, steps: usize) -> bool {
        match origin {
            ValueOrigin::Value(value) | ValueOrigin::Promised(value) | ValueOrigin::Added(value) => {
                self.is_plain(value, steps)
            }
            ValueOrigin::Element(holder) | ValueOrigin::Part(holder) => self.holds_plain(holder, steps),
            ValueOrigin::Function(_) | ValueOrigin::Import | ValueOrigin::Passed => true,
            ValueOrigin::Lambda | ValueOrigin::Claimed | ValueOrigin::Hidden => false,
        }
    }

    /// An attribute that is set once, in plain sight; one that no class of the program has belongs to its value.
    fn is_plain_attribute(&self, attribute: &'a ruff_python_ast::ExprAttribute, steps: usize) -> bool {
        let name = attribute.attr.as_str();
        match self.origins.attribute(name) {
            [] => !self.origins.is_field(name) && self.is_plain(&attribute.value, steps),
            [ValueOrigin::Promised(_)] => false,
            [origin] => !self.origins.is_field(name) && self.is_plain_origin(origin, steps),
            _ => false,
        }
    }

    /// `row["total"]` of a declared object, `rows[0]`, `text[:10]`.
    fn is_plain_part(&self, subscript: &'a ruff_python_ast::ExprSubscript, steps: usize) -> bool {
        if let Some(key) = literal(&subscript.slice) {
            let is_declared = self.is_declared(&subscript.value);
            return is_declared && !self.facts.stored.contains(key) && !self.facts.stores_any;
        }
        let is_text = |kind: &ValueKind<'_>| matches!(kind, ValueKind::Text);
        let kinds = self.types.kinds(&subscript.value);
        if subscript.slice.is_slice_expr() || (!kinds.is_empty() && kinds.iter().all(is_text)) {
            return self.is_plain(&subscript.value, steps);
        }
        let is_list = !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, ValueKind::List));
        is_list && !self.facts.stores_positions && self.holds_plain(&subscript.value, steps)
    }

    fn is_plain_result(&self, call: &'a ExprCall, steps: usize) -> bool {
        if self.tool(call).is_some() {
            return true;
        }
        match callee(call) {
            Expr::Name(name) => match self.origins.name(name.id.as_str()) {
                [] if CHOOSERS.contains(&name.id.as_str()) => {
                    call.arguments.args.iter().all(|argument| self.holds_plain(argument, steps))
                }
                [] => true,
                [ValueOrigin::Import] => true,
                [ValueOrigin::Function(function)] => {
                    let returned = self.origins.returned(*function);
                    returned.iter().all(|value| self.is_plain(value, steps))
                }
                _ => false,
            },
            Expr::Attribute(method) => match (&*method.value, self.origins.name(method.attr.as_str())) {
                // A method of the program's own.
                (_, [ValueOrigin::Function(function)]) => {
                    let returned = self.origins.returned(*function);
                    returned.iter().all(|value| self.is_plain(value, steps))
                }
                (_, [_, ..]) => false,
                // What a container of the program holds is not in plain sight.
                _ if matches!(method.attr.as_str(), "get" | "pop" | "setdefault" | "popleft") => false,
                (object, []) => self.is_plain(object, steps),
            },
            _ => false,
        }
    }

    /// Whether what the types say of the elements of a value follows from declarations and values in plain sight.
    pub(crate) fn holds_plain(&self, expression: &'a Expr, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        match expression {
            Expr::Name(name) => {
                let name = name.id.as_str();
                let origins = self.origins.name(name);
                let holds = |origin: &ValueOrigin<'a>| match origin {
                    ValueOrigin::Value(value) => {
                        (is_result(value) || !self.origins.is_changed(name)) && self.holds_plain(value, steps)
                    }
                    ValueOrigin::Element(holder) => self.holds_plain(holder, steps),
                    ValueOrigin::Passed => true,
                    _ => false,
                };
                !origins.is_empty() && origins.iter().all(holds)
            }
            Expr::List(list) => list.elts.iter().all(|element| self.is_plain(element, steps)),
            Expr::Tuple(tuple) => tuple.elts.iter().all(|element| self.is_plain(element, steps)),
            Expr::Set(set) => set.elts.iter().all(|element| self.is_plain(element, steps)),
            Expr::ListComp(inner) => self.is_plain(&inner.elt, steps),
            Expr::SetComp(inner) => self.is_plain(&inner.elt, steps),
            Expr::Generator(inner) => self.is_plain(&inner.elt, steps),
            Expr::Starred(inner) => self.holds_plain(&inner.value, steps),
            Expr::Await(awaited) => self.holds_plain(&awaited.value, steps),
            Expr::Subscript(subscript) if literal(&subscript.slice).is_some() => {
                self.is_plain_part(subscript, steps)
            }
            Expr::Subscript(subscript) => self.holds_plain(&subscript.value, steps),
            Expr::Call(call) if self.tool(call).is_some() => true,
            Expr::Call(call) => {
                let name = last_name(&call.func);
                let is_holder = name.is_some_and(|name| HOLDERS.contains(&name));
                let receiver =
                    call.func.as_attribute_expr().filter(|_| matches!(name, Some("items" | "values")));
                match receiver {
                    Some(method) => self.holds_plain(&method.value, steps),
                    None if is_holder => call
                        .arguments
                        .args
                        .iter()
                        .all(|argument| self.holds_plain(argument, steps) || self.is_call(argument)),
                    None => matches!(name, Some("range" | "split" | "splitlines" | "readlines" | "findall")),
                }
            }
            expression => {
                let kinds = self.types.kinds(expression);
                !kinds.is_empty()
                    && kinds.iter().all(|kind| matches!(kind, ValueKind::Text | ValueKind::Shape(_)))
            }
        }
    }

    /// Whether the elements of a value are of one kind only, or it has none.
    pub(crate) fn has_exact_elements(&self, expression: &'a Expr) -> bool {
        match expression {
            Expr::Generator(inner) => self.is_exact_or_coroutine(&inner.elt),
            Expr::ListComp(inner) => self.is_exact_or_coroutine(&inner.elt),
            Expr::SetComp(inner) => self.is_exact_or_coroutine(&inner.elt),
            Expr::List(list) => list.elts.iter().all(|element| self.is_exact_or_coroutine(element)),
            Expr::Tuple(tuple) => tuple.elts.iter().all(|element| self.is_exact_or_coroutine(element)),
            expression => {
                let kinds = self.types.kinds(expression);
                let is_list = kinds.iter().any(|kind| matches!(kind, ValueKind::List | ValueKind::Instance));
                !is_list
                    || (self.holds_plain(expression, STEPS) && self.types.has_one_element_type(expression))
            }
        }
    }

    fn is_exact_or_coroutine(&self, expression: &'a Expr) -> bool {
        self.is_exact(expression) || self.types.is_coroutine(expression)
    }

    /// Whether an expression is a call of a tool.
    fn is_call(&self, expression: &Expr) -> bool {
        expression.as_call_expr().is_some_and(|call| self.tool(call).is_some())
    }
}

/// Whether a value comes from somewhere else: what a tool's list holds, the tool declares, whatever is done with it.
fn is_result(value: &Expr) -> bool {
    matches!(value, Expr::Await(_) | Expr::Subscript(_))
}
