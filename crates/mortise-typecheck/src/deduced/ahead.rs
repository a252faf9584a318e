//! What follows from a type that this pass has deduced, before the checker is asked again.
//!
//! `groups` holds lists of rows, as this pass finds out. So `rows` of `for key, rows in groups.items()` is a list of
//! rows, and so is the parameter of `total(rows)`. A pass takes as long as a whole check, and this saves one. The next
//! pass compares what was foreseen with the types; where they differ, the program is read again without foresight.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::{Expr, ExprCall, Parameter};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use super::Addition;
use super::calls::{Passed, Uses};
use super::writer::{ANYTHING, AnnotationWriter};

/// Names that are looked behind, one after another.
const STEPS: usize = 8;
/// Functions that return a list of what they are given.
const COPIES: [&str; 3] = ["sorted", "list", "reversed"];

/// The one thing that a name gets in a function, or in the program outside of all functions.
#[derive(Clone, Copy)]
pub(super) enum Local<'a> {
    Value {
        target: TextSize,
        value: &'a Expr,
    },
    /// Each element of this value.
    Element(&'a Expr),
    /// The second of each pair that this holds.
    Second(&'a Expr),
    Parameter(&'a Parameter),
}

/// Where names get something.
#[derive(Default)]
pub(super) struct Locals<'a> {
    /// The function around this place.
    pub(super) function: Option<TextRange>,
    known: HashMap<(Option<TextRange>, &'a str), Local<'a>>,
    counts: HashMap<(Option<TextRange>, &'a str), usize>,
    /// Names that are declared global or nonlocal somewhere.
    shared: HashSet<&'a str>,
}

impl<'a> Locals<'a> {
    pub(super) fn count(&mut self, name: &'a str) {
        *self.counts.entry((self.function, name)).or_default() += 1;
    }

    pub(super) fn share(&mut self, name: &'a str) {
        self.shared.insert(name);
    }

    pub(super) fn note(&mut self, name: &'a str, local: Local<'a>) {
        self.known.insert((self.function, name), local);
    }

    /// Notes what the target of a loop gets.
    pub(super) fn note_loop(&mut self, target: &'a Expr, iterated: &'a Expr) {
        match target {
            Expr::Name(name) => self.note(name.id.as_str(), Local::Element(iterated)),
            Expr::Tuple(pair) => {
                if let [_, Expr::Name(second)] = pair.elts.as_slice() {
                    self.note(second.id.as_str(), Local::Second(iterated));
                }
            }
            _ => {}
        }
    }

    /// What a name gets, seen from within these functions, the innermost first.
    fn find(&self, name: &'a str, functions: &[TextRange]) -> Option<Local<'a>> {
        if self.shared.contains(name) {
            return None;
        }
        let scopes = functions.iter().copied().map(Some).chain([None]);
        let scope = { scopes }.find(|scope| self.counts.contains_key(&(*scope, name)))?;
        let is_single = self.counts.get(&(scope, name)) == Some(&1);
        self.known.get(&(scope, name)).copied().filter(|_| is_single)
    }
}

/// Whether a pass may foresee, and what the last one foresaw.
pub(super) struct Foresight<'f> {
    pub(super) is_allowed: bool,
    /// Whether the last pass foresaw what stands at a place.
    pub(super) foreseen: &'f dyn Fn(TextSize) -> bool,
}

impl Foresight<'_> {
    pub(super) fn is_foreseen(&self, at: TextSize) -> bool {
        (self.foreseen)(at)
    }

    /// All that some expressions are, or else will be, and whether that is foreseen.
    pub(super) fn union<'a>(
        &self,
        uses: &Uses<'a>,
        values: &[Passed<'a>],
        writer: &mut AnnotationWriter<'a, '_>,
        added: &[Addition],
        at: TextSize,
    ) -> Option<(String, bool)> {
        if let Some(kind) = writer.union(values) {
            return Some((kind, false));
        }
        let may_foresee = self.is_allowed && !self.is_foreseen(at);
        may_foresee.then(|| uses.union_ahead(values, added)).flatten().map(|kind| (kind, true))
    }
}

/// What an expression will be.
#[derive(Clone)]
enum Foreseen {
    /// Of this type, in the words of annotations.
    Type(String),
    /// Pairs of a key and a value of this type.
    Pairs(String),
}

impl<'a> Uses<'a> {
    /// All that some expressions will be, if all of it follows from what was added.
    pub(super) fn union_ahead(&self, values: &[Passed<'a>], added: &[Addition]) -> Option<String> {
        let mut kinds: Vec<String> = Vec::new();
        for value in values {
            let kind = match value {
                Passed::Value(value) => self.type_ahead(value, added, STEPS)?,
                Passed::Element(list) => element(&self.type_ahead(list, added, STEPS)?)?.to_owned(),
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        // Several kinds in one order or another are left to the checker, and what it shows otherwise.
        let kind = kinds.pop().filter(|kind| kinds.is_empty() && !kind.contains("defaultdict"))?;
        kind.replace(ANYTHING, "").contains("_declared_").then_some(kind)
    }

    fn type_ahead(&self, expression: &'a Expr, added: &[Addition], steps: usize) -> Option<String> {
        match self.ahead(expression, added, steps)? {
            Foreseen::Type(kind) => Some(kind),
            Foreseen::Pairs(_) => None,
        }
    }

    fn ahead(&self, expression: &'a Expr, added: &[Addition], steps: usize) -> Option<Foreseen> {
        let steps = steps.checked_sub(1)?;
        let kind = match expression {
            Expr::Name(name) => {
                let within = self.functions_around(expression.range());
                return match self.locals.find(name.id.as_str(), &within)? {
                    Local::Value { target, value } => match annotated(added, target, ": ") {
                        Some(kind) => Some(Foreseen::Type(kind)),
                        None => self.ahead(value, added, steps),
                    },
                    Local::Parameter(parameter) => {
                        annotated(added, parameter.name.end(), ": ").map(Foreseen::Type)
                    }
                    Local::Element(list) => {
                        let list = self.type_ahead(list, added, steps)?;
                        Some(Foreseen::Type(element(&list)?.to_owned()))
                    }
                    Local::Second(pairs) => match self.ahead(pairs, added, steps)? {
                        Foreseen::Pairs(value) => Some(Foreseen::Type(value)),
                        Foreseen::Type(_) => None,
                    },
                };
            }
            Expr::Await(awaited) => self.result_ahead(awaited.value.as_call_expr()?, true, added)?,
            Expr::ListComp(list) => format!("list[{}]", self.type_ahead(&list.elt, added, steps)?),
            Expr::Call(call) => return self.call_ahead(call, added, steps),
            Expr::Subscript(part) => {
                let whole = self.type_ahead(&part.value, added, steps)?;
                match &*part.slice {
                    Expr::Slice(_) => whole,
                    Expr::NumberLiteral(_) => element(&whole).or(value(&whole))?.to_owned(),
                    _ => value(&whole)?.to_owned(),
                }
            }
            _ => return None,
        };
        Some(Foreseen::Type(kind))
    }

    fn call_ahead(&self, call: &'a ExprCall, added: &[Addition], steps: usize) -> Option<Foreseen> {
        match &*call.func {
            Expr::Attribute(method) if call.arguments.is_empty() => {
                let object = self.type_ahead(&method.value, added, steps)?;
                match method.attr.as_str() {
                    "items" => Some(Foreseen::Pairs(value(&object)?.to_owned())),
                    "values" => Some(Foreseen::Type(format!("list[{}]", value(&object)?))),
                    _ => None,
                }
            }
            Expr::Name(name) if COPIES.contains(&name.id.as_str()) => {
                let is_own = self.bound.contains_key(name.id.as_str());
                let copied = call.arguments.args.first().filter(|_| !is_own)?;
                self.ahead(copied, added, steps)
            }
            _ => self.result_ahead(call, false, added).map(Foreseen::Type),
        }
    }

    /// What a function of the program will return.
    fn result_ahead(&self, call: &ExprCall, is_async: bool, added: &[Addition]) -> Option<String> {
        let name = call.func.as_name_expr()?.id.as_str();
        let is_it = |definition: &&ruff_python_ast::StmtFunctionDef| definition.name.as_str() == name;
        let of_program = self.functions.iter().filter(|function| function.class.is_none());
        let function = { of_program }.map(|function| function.definition).find(is_it)?;
        let is_plain = function.decorator_list.is_empty() && self.bound.get(name) == Some(&1);
        let kind = annotated(added, function.parameters.end(), " -> ")?;
        (is_plain && function.is_async == is_async && !kind.contains(" | ")).then_some(kind)
    }

    /// The functions around a place, the innermost first.
    fn functions_around(&self, place: TextRange) -> Vec<TextRange> {
        let ranges = self.functions.iter().map(|function| function.definition.range());
        let mut around: Vec<TextRange> = ranges.filter(|range| range.contains_range(place)).collect();
        around.sort_by_key(|range| range.len());
        around
    }
}

/// The type of an annotation that was added at a place.
fn annotated(added: &[Addition], at: TextSize, before: &str) -> Option<String> {
    let addition = added.iter().find(|addition| addition.at == at)?;
    Some(addition.annotation.strip_prefix(before)?.to_owned())
}

/// The type of each element of a list.
fn element(list: &str) -> Option<&str> {
    list.strip_prefix("list[")?.strip_suffix(']').filter(|element| is_one(element))
}

/// The type of each value of a dict with any keys.
fn value(dict: &str) -> Option<&str> {
    let (_, parameters) = dict.split_once("dict[").filter(|(class, _)| !class.contains(['[', ' ']))?;
    let value = parameters.strip_prefix(ANYTHING)?.strip_prefix(", ")?.strip_suffix(']')?;
    Some(value).filter(|value| is_one(value))
}

/// Whether brackets match within a type: `a] | list[b` is what is left of two.
fn is_one(kind: &str) -> bool {
    let mut open = 0_usize;
    for letter in kind.chars() {
        match letter {
            '[' => open += 1,
            ']' => match open.checked_sub(1) {
                Some(left) => open = left,
                None => return false,
            },
            _ => {}
        }
    }
    open == 0
}
