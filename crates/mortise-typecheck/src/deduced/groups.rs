//! Rows in groups: `groups = defaultdict(list)`, then `groups[row["team"]].append(row)`.

use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::Ranged as _;

use super::Addition;
use super::calls::{Passed, Uses};
use super::writer::{ANYTHING, Writer};
use crate::handlers::last_name;

impl<'a> Uses<'a> {
    /// Adds what dicts of lists hold, where all that is put into them are objects of tools.
    pub(super) fn groups(&self, writer: &mut Writer<'a, '_>, added: &mut Vec<Addition>) {
        for assignment in &self.assignments {
            let [Expr::Name(name)] = &*assignment.targets else { continue };
            let Some(class) = group_class(&assignment.value) else { continue };
            if self.bound.get(name.id.as_str()) != Some(&1) {
                continue;
            }
            let put = self.calls.iter().filter_map(|call| put_into(call, name.id.as_str()));
            let put: Vec<Passed<'_>> = put.collect();
            if let Some(kind) = writer.union(&put).filter(|kind| !kind.contains("dict[")) {
                let annotation = format!(": {class}[{ANYTHING}, list[{kind}]]");
                added.push(Addition { at: name.end(), annotation, replaced: None });
            }
        }
    }
}

/// The class of a new, empty dict of lists, in the program's words.
fn group_class(value: &Expr) -> Option<String> {
    match value {
        Expr::Dict(dict) if dict.items.is_empty() => Some("dict".to_owned()),
        Expr::Call(call) => {
            let is_list = |factory: &Expr| factory.as_name_expr().is_some_and(|name| name.id == "list");
            let is_group =
                call.arguments.keywords.is_empty() && matches!(&*call.arguments.args, [one] if is_list(one));
            match &*call.func {
                Expr::Name(name) if name.id == "defaultdict" && is_group => Some("defaultdict".to_owned()),
                Expr::Attribute(class) if class.attr.as_str() == "defaultdict" && is_group => {
                    Some(format!("{}.defaultdict", class.value.as_name_expr()?.id))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What a call puts into a list of the group: `groups[key].append(row)`, `groups.setdefault(key, []).extend(rows)`.
fn put_into<'a>(call: &'a ExprCall, group: &str) -> Option<Passed<'a>> {
    let Expr::Attribute(method) = &*call.func else { return None };
    let holder = match &*method.value {
        Expr::Subscript(subscript) => &subscript.value,
        Expr::Call(inner) if last_name(&inner.func) == Some("setdefault") => {
            &inner.func.as_attribute_expr()?.value
        }
        _ => return None,
    };
    let is_group = holder.as_name_expr().is_some_and(|name| name.id == group);
    let [value] = &*call.arguments.args else { return None };
    match method.attr.as_str() {
        "append" if is_group => Some(Passed::Value(value)),
        "extend" if is_group => Some(Passed::Element(value)),
        _ => None,
    }
}
