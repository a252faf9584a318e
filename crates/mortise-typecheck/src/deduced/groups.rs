//! What begins empty and then holds objects of tools.
//!
//! `groups = defaultdict(list)`, then `groups[row["team"]].append(row)`; `self.rows = []`, then
//! `self.rows = await mcp__s__t()`.

use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::{Ranged as _, TextSize};

use super::Addition;
use super::calls::{Passed, Uses};
use super::writer::{ANYTHING, AnnotationWriter};
use crate::evidence::handlers::last_name;

impl<'a> Uses<'a> {
    /// Adds what dicts of lists hold, where all that is put into them are objects of tools.
    pub(super) fn groups(&self, writer: &mut AnnotationWriter<'a, '_>, added: &mut Vec<Addition>) {
        for assignment in &self.assignments {
            let [Expr::Name(name)] = &*assignment.targets else { continue };
            let Some(group) = GroupDict::of(&assignment.value) else { continue };
            if self.bound.get(name.id.as_str()) != Some(&1) {
                continue;
            }
            let put = self.calls.iter().filter_map(|call| put_into(call, name.id.as_str()));
            let put: Vec<Passed<'_>> = put.collect();
            if let Some(kind) = writer.union(&put).filter(|kind| !kind.contains("dict[")) {
                let parameters = format!("[{ANYTHING}, list[{kind}]]");
                let annotation = format!(": {}{parameters}", group.class);
                added.push(Addition { at: name.end(), annotation, replaced: None, is_foreseen: false });
                // The checker tries each way to make a `defaultdict`, unless the call says what it holds.
                let specialised = group.callee.map(|at| Addition {
                    at,
                    annotation: parameters,
                    replaced: None,
                    is_foreseen: false,
                });
                added.extend(specialised);
            }
        }
    }
}

impl<'a> Uses<'a> {
    /// Adds what attributes hold that begin as an empty list, where all else that they get is known.
    pub(super) fn attributes(&self, writer: &mut AnnotationWriter<'a, '_>, added: &mut Vec<Addition>) {
        for assignment in &self.assignments {
            let [Expr::Attribute(attribute)] = &*assignment.targets else { continue };
            if !is_empty_list(&assignment.value) {
                continue;
            }
            let stores = self.assignments.iter().filter_map(|other| match &*other.targets {
                [Expr::Attribute(target)] if target.attr.as_str() == attribute.attr.as_str() => {
                    Some(&*other.value)
                }
                _ => None,
            });
            let stores: Vec<&'a Expr> = stores.collect();
            // Each store is one of these; another kind of assignment would not be.
            let is_all = self.bound.get(attribute.attr.as_str()) == Some(&stores.len());
            let values = stores.iter().filter(|value| !is_empty_list(value));
            let values: Vec<Passed<'_>> = values.map(|value| Passed::Value(value)).collect();
            if let Some(kind) = writer.union(&values).filter(|kind| is_all && !kind.contains("dict[")) {
                added.push(Addition {
                    at: attribute.end(),
                    annotation: format!(": {kind}"),
                    replaced: None,
                    is_foreseen: false,
                });
            }
        }
    }
}

/// `[]` or `list()`.
fn is_empty_list(value: &Expr) -> bool {
    match value {
        Expr::List(list) => list.elts.is_empty(),
        Expr::Call(call) => {
            let is_list = call.func.as_name_expr().is_some_and(|name| name.id == "list");
            is_list && call.arguments.is_empty()
        }
        _ => false,
    }
}

/// A new, empty dict of lists.
struct GroupDict {
    /// Its class, as the program writes it.
    class: String,
    /// Where the name of the class ends in the call that makes it.
    callee: Option<TextSize>,
}

impl GroupDict {
    fn of(value: &Expr) -> Option<Self> {
        match value {
            Expr::Dict(dict) if dict.items.is_empty() => {
                Some(Self { class: "dict".to_owned(), callee: None })
            }
            Expr::Call(call) => {
                let is_list = |factory: &Expr| factory.as_name_expr().is_some_and(|name| name.id == "list");
                let is_group = call.arguments.keywords.is_empty()
                    && matches!(&*call.arguments.args, [one] if is_list(one));
                let class = match &*call.func {
                    Expr::Name(name) if name.id == "defaultdict" && is_group => "defaultdict".to_owned(),
                    Expr::Attribute(class) if class.attr.as_str() == "defaultdict" && is_group => {
                        format!("{}.defaultdict", class.value.as_name_expr()?.id)
                    }
                    _ => return None,
                };
                Some(Self { class, callee: Some(call.func.end()) })
            }
            _ => None,
        }
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
