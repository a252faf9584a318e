//! What stands beside a type: descriptions, bounds, and fixed values that Literal does not take.

use mortise_contract::json::canonical_text;
use mortise_contract::text::cut_bytes;

use super::write::literal;
use crate::model::{Doc, INTEGER, ObjectField, Type};
use crate::text::comment_line;

/// Bytes of one bound in a docstring.
const TAG: usize = 80;

/// The description of a type and of its fields, one line each.
pub(super) fn doc_lines(doc: &Doc, shown: bool, fields: &[ObjectField]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if shown {
        lines.extend(doc_line(doc));
        for field in fields {
            lines.extend(
                said(&field.doc, &field.kind).map(|line| format!("{}: {line}", comment_line(&field.key))),
            );
        }
    }
    lines
}

/// Description and bounds on one line.
fn doc_line(doc: &Doc) -> Option<String> {
    let mut parts: Vec<String> = doc.description.as_deref().map(comment_line).into_iter().collect();
    // `int` says it already.
    let tags: Vec<String> =
        doc.tags.iter().filter(|tag| *tag != INTEGER).map(|tag| cut_bytes(&comment_line(tag), TAG)).collect();
    parts.extend((!tags.is_empty()).then(|| tags.join(" ")));
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The comment of a field, with the fixed values that its type can't express.
pub(super) fn said(doc: &Doc, kind: &Type) -> Option<String> {
    let mut unsaid = Unsaid::default();
    unsaid.collect(kind, false);
    let values = [("@value", unsaid.own), ("@item", unsaid.of_items)]
        .into_iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(tag, values)| cut_bytes(&comment_line(&format!("{tag} {}", values.join(" | "))), TAG));
    let parts: Vec<String> = doc_line(doc).into_iter().chain(values).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Fixed values that Literal does not take: of a type itself, and of what lists and dicts of it hold.
#[derive(Default)]
struct Unsaid {
    own: Vec<String>,
    of_items: Vec<String>,
}

impl Unsaid {
    fn collect(&mut self, kind: &Type, is_item: bool) {
        match kind {
            Type::Literal(value) if literal(value).is_err() => {
                let values = if is_item { &mut self.of_items } else { &mut self.own };
                let value = canonical_text(value);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            Type::Union(members) => members.iter().for_each(|member| self.collect(member, is_item)),
            Type::Array(_) | Type::Tuple { .. } => {
                kind.parts().into_iter().for_each(|item| self.collect(item, true));
            }
            // An object with fields is a class, which says it itself.
            Type::Object(object) if object.fields.is_empty() => {
                kind.parts().into_iter().for_each(|value| self.collect(value, true));
            }
            _ => {}
        }
    }
}

/// The documentation as comments before an alias.
pub(super) fn comments(doc: &Doc, kind: &Type, shown: bool) -> String {
    let line = said(doc, kind).filter(|_| shown);
    line.map(|line| format!("# {line}\n")).unwrap_or_default()
}
