//! Keys of the objects that tools return.

use ruff_python_ast::{CmpOp, Expr, ExprAttribute, ExprCall, ExprCompare, ExprSubscript};
use ruff_text_size::Ranged as _;

use crate::facts::literal;
use crate::finding::Rule;
use crate::handlers::Raises;
use crate::near::nearest;
use crate::stub::{Rest, Shape};
use crate::walk::{Remark, Scene};

/// Keys that values get on their way into a program, whatever their tool declares.
const ADDED: [&str; 2] = ["_notes", "data"];

/// What a dict has.
const ATTRIBUTES: [&str; 11] =
    ["clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"];

/// What is known about a key that no shape has.
struct Lacking {
    /// Whether no object can have it.
    is_excluded: bool,
    nearest: Option<String>,
    declared: String,
}

impl Scene<'_> {
    /// `row["revenu"]`.
    pub(crate) fn judge_subscript(&mut self, subscript: &ExprSubscript) {
        let Some(key) = literal(&subscript.slice) else { return };
        let Some(lacking) = self.lacking(&subscript.value, key) else { return };
        let is_expected = self.facts.tested.contains(key) || self.facts.stores_any;
        let is_sure = (lacking.is_excluded || lacking.nearest.is_some()) && !is_expected;
        self.unknown_key(subscript.slice.range(), key, is_sure, lacking);
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
        let shapes = self.types.shapes(&attribute.value);
        let Some(shape) = shapes.first() else { return };
        let has = shapes.iter().any(|shape| shape.keys.iter().any(|key| key == name));
        let message = match has {
            true => format!("values of tools are dicts: write [\"{name}\"] instead of .{name}"),
            false => format!("values of tools are dicts and have no attribute `{name}`"),
        };
        let keys = shapes.iter().flat_map(|shape| shape.keys.iter().map(String::as_str));
        let nearest = (!has).then(|| nearest(name, keys)).flatten().map(|key| format!("[\"{key}\"]"));
        let is_sure = self.types.is_object(&attribute.value);
        // Something else that the value can be may well have it: an exception, a text, a list.
        if !is_sure && !has && nearest.is_none() {
            return;
        }
        self.remark(Remark {
            rule: Rule::FieldAsAttribute,
            is_sure,
            raises: Raises::Attribute,
            range: attribute.attr.range(),
            message,
            declared: Some(shape.text.clone()),
            nearest,
        });
    }

    fn unknown_key(&mut self, range: ruff_text_size::TextRange, key: &str, is_sure: bool, lacking: Lacking) {
        let message = match lacking.is_excluded {
            true => format!("the value has no key \"{key}\""),
            false => format!("the declared shape has no key \"{key}\""),
        };
        self.remark(Remark {
            rule: Rule::UnknownKey,
            is_sure,
            raises: Raises::Key,
            range,
            message,
            declared: Some(lacking.declared),
            nearest: lacking.nearest,
        });
    }

    /// What to say about a key, if every shape that the object can have lacks it.
    fn lacking(&self, object: &Expr, key: &str) -> Option<Lacking> {
        if ADDED.contains(&key) || self.facts.stored.contains(key) {
            return None;
        }
        let shapes = self.types.shapes(object);
        let allows =
            |shape: &&Shape| shape.rest == Rest::Typed || shape.keys.iter().any(|known| known == key);
        let first = shapes.first()?;
        if shapes.iter().any(allows) {
            return None;
        }
        let near = |shape: &Shape| nearest(key, shape.keys.iter().map(String::as_str)).map(str::to_owned);
        let is_excluded = shapes.iter().all(|shape| shape.rest == Rest::Closed);
        // Where some shape is open, each open one must have a near key for the key to be a slip.
        let open: Vec<&&Shape> = shapes.iter().filter(|shape| shape.rest == Rest::Open).collect();
        let nearest = match open.iter().all(|shape| near(shape).is_some()) {
            true => shapes.iter().find_map(|shape| near(shape)),
            false => None,
        };
        Some(Lacking { is_excluded, nearest, declared: first.text.clone() })
    }
}
