//! Keys of the objects that tools return.

use mortise_contract::text::{counted, nearest};
use ruff_python_ast::{CmpOp, Expr, ExprAttribute, ExprCall, ExprCompare, ExprSubscript};
use ruff_text_size::Ranged as _;

use crate::evidence::facts::{awaited, literal};
use crate::evidence::handlers::Raises;
use crate::evidence::kinds::ValueKind;
use crate::finding::TypecheckRule;
use crate::slip::is_slip;
use crate::stub::{ObjectShape, OtherKeys, Stub};
use crate::walk::{Remark, Scene};

/// The key under which servers wrap a value that is not an object.
const WRAPPER: &str = "result";

/// Attributes of a dict.
const ATTRIBUTES: [&str; 11] =
    ["clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"];

/// What is known about a key that no shape has.
struct Lacking {
    /// Whether no object can have it.
    is_excluded: bool,
    /// Whether it can only be a misspelt one.
    is_slip: bool,
    /// Where a part of the object has it.
    below: Option<String>,
    nearest: Option<String>,
    declared: String,
    /// How many results show it, where the shape was observed and not declared.
    observed: Option<u64>,
}

impl<'a> Scene<'a> {
    /// `row["revenu"]`.
    pub(crate) fn judge_subscript(&mut self, subscript: &ExprSubscript) {
        let Some(key) = literal(&subscript.slice) else { return self.judge_position(subscript) };
        let Some(lacking) = self.lacking(&subscript.value, key) else {
            self.judge_key_of_key(subscript, key);
            return self.judge_key_of_no_object(subscript, key);
        };
        if self.is_remade(&subscript.value) {
            return;
        }
        let is_expected =
            self.evidence.facts.tested.contains(key) || self.evidence.facts.stores_any || self.fallbacks > 0;
        let is_sure = (lacking.is_excluded || lacking.is_slip) && !is_expected;
        self.unknown_key(subscript.slice.range(), key, is_sure, lacking);
    }

    /// Records `key` of `for key in page`: iterating an object yields its keys.
    pub(crate) fn note_keys(&mut self, target: &'a Expr, iterated: &Expr) {
        let Expr::Name(name) = target else { return };
        let is_single = self.evidence.facts.bound.get(name.id.as_str()) == Some(&1);
        let shapes = self.evidence.types.shapes(iterated);
        let shape = shapes.first().copied().filter(|_| is_single && self.evidence.types.is_object(iterated));
        if let Some(shape) = shape {
            self.keys_of.insert(name.id.as_str(), shape);
        }
    }

    /// `row["name"]` after `for row in page`.
    fn judge_key_of_key(&mut self, subscript: &ExprSubscript, key: &str) {
        let Expr::Name(name) = &*subscript.value else { return };
        let Some(shape) = self.keys_of.get(name.id.as_str()).copied() else { return };
        let kinds = self.evidence.types.kinds(&subscript.value);
        if kinds.is_empty() || !kinds.iter().all(|kind| matches!(kind, ValueKind::Text)) {
            return;
        }
        let name = &name.id;
        let message = format!(
            "`{name}` is a string and has no key \"{key}\": iterating the object below yields its keys"
        );
        self.remark(Remark {
            declared: Some(shape.text.clone()),
            ..Remark::sure(TypecheckRule::UnknownKey, Raises::Type, subscript.slice.range(), message)
        });
    }

    /// `page[0]` where a tool gives an object: keys of JSON are texts.
    fn judge_position(&mut self, subscript: &ExprSubscript) {
        let word = match &*subscript.slice {
            Expr::Slice(_) => "a slice",
            Expr::NumberLiteral(_) => "a position",
            Expr::UnaryOp(operation) if operation.operand.is_number_literal_expr() => "a position",
            _ => return,
        };
        let shapes = self.evidence.types.shapes(&subscript.value);
        let Some(shape) = shapes.first().filter(|_| self.evidence.types.is_object(&subscript.value)) else {
            return;
        };
        let is_replaced = self.is_replaced(&subscript.value);
        if self.evidence.facts.stores_positions || is_replaced || self.evidence.is_typed(&subscript.value) {
            return;
        }
        self.remark(Remark {
            declared: Some(shape.text.clone()),
            ..Remark::sure(
                TypecheckRule::UnknownKey,
                Raises::Key,
                subscript.slice.range(),
                format!("the value is an object with the keys below, not a list: it does not take {word}"),
            )
        });
    }

    /// `rows["result"]` where a tool gives a list or a string: many servers wrap those, programs get them unwrapped.
    fn judge_key_of_no_object(&mut self, subscript: &ExprSubscript, key: &str) {
        let Some(declared) = self.origin(&subscript.value) else { return };
        let mut words = Vec::new();
        for kind in self.evidence.types.kinds(&subscript.value) {
            words.push(match kind {
                ValueKind::List => "a list",
                ValueKind::Text => "a string",
                ValueKind::Integer | ValueKind::Float => "a number",
                ValueKind::Boolean => "a boolean",
                ValueKind::Nothing => "null",
                _ => return,
            });
        }
        words.dedup();
        if words.is_empty() {
            return;
        }
        let unwrapped = if key == WRAPPER { ": programs get what is in it" } else { "" };
        self.remark(Remark {
            is_sure: !self.evidence.facts.tested.contains(key),
            declared: Some(declared),
            ..Remark::sure(
                TypecheckRule::UnknownKey,
                Raises::Type,
                subscript.slice.range(),
                format!("the value is {} and has no key \"{key}\"{unwrapped}", words.join(" or ")),
            )
        });
    }

    /// What declares a value that is a tool's, or a part of one that the program does not replace.
    pub(crate) fn origin(&self, expression: &Expr) -> Option<String> {
        let Expr::Subscript(part) = expression else {
            return self.result_of(expression).map(|stub| stub.signature.text.clone());
        };
        if literal(&part.slice).is_none() {
            return self.origin(&part.value).filter(|_| part.slice.is_number_literal_expr());
        }
        let is_replaced = self.is_replaced(expression);
        let shapes = self.evidence.types.shapes(&part.value);
        let shape = shapes.first().filter(|_| !is_replaced && self.evidence.types.is_object(&part.value))?;
        Some(shape.text.clone())
    }

    /// Whether an expression is a field that the program may have given another value.
    pub(crate) fn is_replaced(&self, expression: &Expr) -> bool {
        let Expr::Subscript(field) = expression else { return false };
        literal(&field.slice).is_some_and(|key| self.evidence.facts.stored.contains(key))
            || self.evidence.facts.stores_any
    }

    /// Whether an expression is a field that the program gave a value of which nothing is known.
    fn is_remade(&self, expression: &Expr) -> bool {
        let Expr::Subscript(field) = expression else { return false };
        literal(&field.slice).is_some_and(|key| self.evidence.facts.remade.contains(key))
    }

    /// The tool whose value an expression is and stays: awaited in this place, or under a name that nothing else gets.
    fn result_of(&self, expression: &Expr) -> Option<&Stub> {
        let tool = match expression {
            Expr::Name(name)
                if self.evidence.facts.bound.get(name.id.as_str()) == Some(&1)
                    && !self.evidence.is_typed(expression) =>
            {
                self.evidence.facts.results.get(name.id.as_str())?.as_str()
            }
            expression => awaited(expression)?,
        };
        let is_own = self.evidence.facts.bound.contains_key(tool);
        self.evidence.tools.get(tool).filter(|_| !is_own).copied()
    }

    /// `row.get("revenu")`.
    pub(crate) fn judge_get(&mut self, call: &ExprCall) {
        let Expr::Attribute(method) = &*call.func else { return };
        if method.attr.as_str() != "get" {
            return;
        }
        let Some(argument) = call.arguments.args.first() else { return };
        let Some(key) = literal(argument) else { return };
        let Some(lacking) = self.lacking(&method.value, key) else { return };
        self.unknown_key(argument.range(), key, false, lacking);
    }

    /// `"revenu" in row`.
    pub(crate) fn judge_test(&mut self, compare: &ExprCompare) {
        let ([CmpOp::In | CmpOp::NotIn], [object]) = (&*compare.ops, &*compare.comparators) else { return };
        let Some(key) = literal(&compare.left) else { return };
        let Some(lacking) = self.lacking(object, key) else { return };
        self.unknown_key(compare.left.range(), key, false, lacking);
    }

    /// `row.revenue`.
    pub(crate) fn judge_attribute(&mut self, attribute: &ExprAttribute) {
        let name = attribute.attr.as_str();
        if name.starts_with("__") || ATTRIBUTES.contains(&name) {
            return;
        }
        if self.evidence.is_typed(&attribute.value) || self.is_replaced(&attribute.value) {
            return;
        }
        let shapes = self.evidence.types.shapes(&attribute.value);
        let Some(shape) = shapes.first() else { return };
        let has = shapes.iter().any(|shape| shape.keys.iter().any(|key| key == name));
        let message = match has {
            true => format!("values of tools are dicts: write [\"{name}\"] instead of .{name}"),
            false => format!("values of tools are dicts and have no attribute `{name}`"),
        };
        let keys = shapes.iter().flat_map(|shape| shape.keys.iter().map(String::as_str));
        let nearest = (!has).then(|| nearest(name, keys)).flatten().map(|key| format!("[\"{key}\"]"));
        let is_sure = self.evidence.types.is_object(&attribute.value);
        // Something else that the value can be may well have it: an exception, a text, a list.
        if !is_sure && !has && nearest.is_none() {
            return;
        }
        self.remark(Remark {
            is_sure,
            declared: Some(shape.text.clone()),
            nearest,
            ..Remark::sure(
                TypecheckRule::FieldAsAttribute,
                Raises::Attribute,
                attribute.attr.range(),
                message,
            )
        });
    }

    fn unknown_key(&mut self, range: ruff_text_size::TextRange, key: &str, is_sure: bool, lacking: Lacking) {
        let what = if lacking.is_excluded { "value" } else { "declared shape" };
        let below = lacking.below.map(|path| format!(": it is further down, `{path}`")).unwrap_or_default();
        let message = match lacking.observed {
            Some(results) => format!("observed in {}, never had `{key}`{below}", counted(results, "result")),
            None => format!("the {what} has no key \"{key}\"{below}"),
        };
        self.remark(Remark {
            is_sure,
            declared: Some(lacking.declared),
            nearest: lacking.nearest,
            ..Remark::sure(TypecheckRule::UnknownKey, Raises::Key, range, message)
        });
    }

    /// What to say about a key, if every shape that the object can have lacks it.
    fn lacking(&self, object: &Expr, key: &str) -> Option<Lacking> {
        if self.evidence.facts.stored.contains(key) {
            return None;
        }
        let shapes = self.evidence.types.shapes(object);
        let allows = |shape: &&ObjectShape| {
            shape.rest == OtherKeys::Typed || shape.keys.iter().any(|known| known == key)
        };
        let first = shapes.first()?;
        if shapes.iter().any(allows) {
            return None;
        }
        let near =
            |shape: &ObjectShape| nearest(key, shape.keys.iter().map(String::as_str)).map(str::to_owned);
        let is_excluded = shapes.iter().all(|shape| shape.rest == OtherKeys::Closed);
        // Where some shape is open, each open one must have a near key for the key to be a slip.
        let open: Vec<&&ObjectShape> = shapes.iter().filter(|shape| shape.rest == OtherKeys::Open).collect();
        let nearest = match open.iter().all(|shape| near(shape).is_some()) {
            true => shapes.iter().find_map(|shape| near(shape)),
            false => None,
        };
        let is_slip = nearest.as_deref().is_some_and(|meant| is_slip(key, meant));
        let below = nearest.is_none().then(|| self.evidence.types.below(first, key)).flatten();
        let observed = shapes.iter().find_map(|shape| shape.observed);
        // A program that tests for a key knows that it may be new: `if "error" in page`.
        if observed.is_some() && nearest.is_none() && self.evidence.facts.tested.contains(key) {
            return None;
        }
        Some(Lacking { is_excluded, is_slip, below, nearest, declared: first.text.clone(), observed })
    }
}
