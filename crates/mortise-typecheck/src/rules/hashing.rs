//! Keys that a dict can't have: lists, and objects of tools, which are dicts.

use ruff_python_ast::{Expr, ExprCall, ExprSubscript};
use ruff_text_size::Ranged as _;

use crate::evidence::handlers::Raises;
use crate::evidence::kinds::ValueKind;
use crate::finding::TypecheckRule;
use crate::walk::{Remark, Scene};

/// Methods of dicts and sets that hash their first argument.
const HASHING: [&str; 3] = ["get", "setdefault", "add"];

impl<'a> Scene<'a> {
    /// `counts[row]` where `counts` is a dict.
    pub(crate) fn judge_hashed_key(&mut self, subscript: &'a ExprSubscript) {
        if self.is_own_dict(&subscript.value) {
            self.hashed(&subscript.slice);
        }
    }

    /// `counts.get(row)`, `seen.add(row)`.
    pub(crate) fn judge_hashed_argument(&mut self, call: &'a ExprCall) {
        let Expr::Attribute(method) = &*call.func else { return };
        let is_set = || self.evidence.types.class_name(&method.value).as_deref() == Some("set");
        if HASHING.contains(&method.attr.as_str()) && (self.is_own_dict(&method.value) || is_set()) {
            call.arguments.args.first().into_iter().for_each(|key| self.hashed(key));
        }
    }

    /// `{row: 1}`, `{row for row in rows}`.
    pub(crate) fn judge_hashed_display(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Dict(dict) => {
                dict.items.iter().filter_map(|item| item.key.as_ref()).for_each(|key| self.hashed(key))
            }
            Expr::Set(set) => set.elts.iter().for_each(|element| self.hashed(element)),
            Expr::SetComp(set) => self.hashed(&set.elt),
            Expr::DictComp(dict) => dict.key.as_deref().into_iter().for_each(|key| self.hashed(key)),
            _ => {}
        }
    }

    fn is_own_dict(&self, object: &Expr) -> bool {
        let kinds = self.evidence.types.kinds(object);
        !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, ValueKind::Dict))
    }

    fn hashed(&mut self, key: &'a Expr) {
        let class = match self.evidence.types.kinds(key).as_slice() {
            [ValueKind::Shape(_)] | [ValueKind::Dict] => "dict",
            [ValueKind::List] if self.evidence.types.class_name(key).as_deref() == Some("list") => "list",
            _ => return,
        };
        if !self.evidence.is_exact(key) {
            return;
        }
        let advice = if class == "dict" { "use one of its fields as the key" } else { "use a tuple" };
        let message = format!("TypeError: unhashable type: '{class}': {advice}");
        self.remark(Remark::sure(TypecheckRule::WrongType, Raises::Operand, key.range(), message));
    }
}
