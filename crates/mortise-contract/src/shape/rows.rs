//! A shape as the rows of a tree.

use super::{Field, Shape};

/// Rows kept; a tree longer than this is not read by anyone.
const ROWS: usize = 400;
/// Characters of a type in a row.
const TYPE_WIDTH: usize = 60;

/// One row of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeRow {
    /// Levels of indentation.
    pub depth: usize,
    /// The key of a field, `[key]` for any other key, `[0]` for a place in a tuple,
    /// `either`, `or`, `all of`, `and` for a branch.
    pub name: String,
    /// Whether the field must be there; `None` where that has no meaning.
    pub required: Option<bool>,
    /// The type, without what the rows below show.
    pub kind: String,
    /// The description.
    pub description: Option<String>,
    /// Bounds and the default.
    pub notes: Option<String>,
}

pub(super) fn rows(shape: &Shape) -> Vec<ShapeRow> {
    let mut rows = Vec::new();
    below(shape, 0, &mut rows);
    if rows.len() > ROWS {
        rows.truncate(ROWS);
        rows.push(plain(0, "…", "more than is shown here; see --json".to_owned()));
    }
    rows
}

/// Adds what is inside `shape`.
fn below(shape: &Shape, depth: usize, rows: &mut Vec<ShapeRow>) {
    if rows.len() > ROWS {
        return;
    }
    match shape {
        Shape::Object { fields, rest } => {
            for field in fields {
                rows.push(field_row(field, depth));
                below(&field.shape, depth + 1, rows);
            }
            if let Some(rest) = rest {
                rows.push(plain(depth, "[key]", kind(rest)));
                below(rest, depth + 1, rows);
            }
        }
        Shape::Array(item) => below(item, depth, rows),
        Shape::Tuple { items, rest } if items.iter().any(has_rows) => {
            for (index, item) in items.iter().enumerate() {
                rows.push(plain(depth, &format!("[{index}]"), kind(item)));
                below(item, depth + 1, rows);
            }
            if let Some(rest) = rest {
                rows.push(plain(depth, "[…]", kind(rest)));
            }
        }
        Shape::Union(members) => branches(members, ["either", "or"], depth, rows),
        Shape::Intersection(members) => branches(members, ["all of", "and"], depth, rows),
        _ => {}
    }
}

/// A union with one member that has rows (`Thing | null`) shows them directly; else every branch is named.
fn branches(members: &[Shape], [first, next]: [&str; 2], depth: usize, rows: &mut Vec<ShapeRow>) {
    let mut inner = members.iter().filter(|member| has_rows(member));
    match (inner.next(), inner.next()) {
        (None, _) => {}
        (Some(only), None) => below(only, depth, rows),
        _ => {
            for (index, member) in members.iter().enumerate() {
                rows.push(plain(depth, if index == 0 { first } else { next }, kind(member)));
                below(member, depth + 1, rows);
            }
        }
    }
}

fn has_rows(shape: &Shape) -> bool {
    match shape {
        Shape::Object { fields, rest } => !fields.is_empty() || rest.is_some(),
        Shape::Array(item) => has_rows(item),
        Shape::Tuple { items, .. } => items.iter().any(has_rows),
        Shape::Union(members) | Shape::Intersection(members) => members.iter().any(has_rows),
        _ => false,
    }
}

fn field_row(field: &Field, depth: usize) -> ShapeRow {
    ShapeRow {
        depth,
        name: field.name.clone(),
        required: Some(field.required),
        kind: kind(&field.shape),
        description: field.description.clone(),
        notes: field.notes.clone(),
    }
}

fn plain(depth: usize, name: &str, kind: String) -> ShapeRow {
    ShapeRow { depth, name: name.to_owned(), required: None, kind, description: None, notes: None }
}

/// The type with its inside left to the rows below it.
fn kind(shape: &Shape) -> String {
    match shape {
        Shape::Object { .. } => "object".to_owned(),
        Shape::Array(item) if has_rows(item) => match kind(item) {
            inner if inner.contains(' ') => format!("({inner})[]"),
            inner => format!("{inner}[]"),
        },
        Shape::Scalar { kind, format: Some(format) } => format!("{kind} ({format})"),
        Shape::Union(members) if has_rows(shape) => {
            let mut kinds: Vec<String> = Vec::new();
            for kind in members.iter().map(kind) {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            kinds.join(" | ")
        }
        Shape::Intersection(_) if has_rows(shape) => "object".to_owned(),
        Shape::Tuple { .. } if has_rows(shape) => "tuple".to_owned(),
        shape => shape.one_line(TYPE_WIDTH),
    }
}
