//! Whether the first row names the columns.

use std::collections::BTreeSet;

use crate::data::infer::{ColumnInference, ResolvedType};
use crate::data::literal;
use crate::data::nulls::NullTokens;

/// A guess with its confidence, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HeaderGuess {
    pub(super) has_header: bool,
    pub(super) confidence: f64,
}

/// Rows that speak for or against a header.
const WITNESSES: usize = 500;

pub(super) fn guess(rows: &[csv::StringRecord], columns: usize) -> HeaderGuess {
    let sure = |has_header, confidence| HeaderGuess { has_header, confidence };
    let Some((first, rest)) = rows.split_first() else { return sure(false, 0.0) };
    let names: Vec<&str> = first.iter().map(str::trim).collect();
    let different: BTreeSet<&str> = names.iter().copied().collect();
    let flawed = names.iter().any(|name| name.is_empty()) || different.len() != names.len();
    // A name has a letter: `1,5` is neither a number nor a name.
    let is_name = |name: &str| kind(name) == ResolvedType::String && name.chars().any(char::is_alphabetic);
    let all_text = names.iter().all(|name| name.is_empty() || is_name(name));
    let rest: Vec<&csv::StringRecord> =
        rest.iter().filter(|row| row.len() == columns).take(WITNESSES).collect();
    if rest.is_empty() {
        // A file with names alone is a table without rows.
        return sure(all_text && !flawed, 0.5);
    }
    let (mut differing, mut typed) = (0usize, 0usize);
    for (index, name) in names.iter().enumerate() {
        let below = column_kind(&rest, index);
        if !matches!(below, ResolvedType::String | ResolvedType::Null) {
            typed += 1;
            let is_value = match below {
                ResolvedType::Boolean => literal::boolean(name).is_some(),
                _ => kind(name) != ResolvedType::String,
            };
            differing += usize::from(!name.is_empty() && !is_value);
        }
    }
    match (typed, differing) {
        (0, _) => text_only(&names, &rest, flawed, all_text),
        (_, 0) => sure(false, if all_text { 0.5 } else { 0.9 }),
        // One column whose first cell alone is not a number may be a damaged row, so the names are compared with values.
        (typed, differing) if differing * 2 >= typed && all_text => {
            sure(true, if flawed { 0.6 } else { 0.95 })
        }
        (typed, differing) if differing * 2 >= typed => sure(true, if flawed { 0.5 } else { 0.7 }),
        _ => sure(false, 0.6),
    }
}

/// A table of text has a header if the first row's values do not come again below.
fn text_only(names: &[&str], rest: &[&csv::StringRecord], flawed: bool, all_text: bool) -> HeaderGuess {
    let recurring = names
        .iter()
        .enumerate()
        .any(|(index, name)| rest.iter().any(|row| row.get(index).is_some_and(|cell| cell.trim() == *name)));
    let has_header = !recurring && !flawed && all_text;
    let like_names = names.iter().all(|name| {
        let mut characters = name.chars();
        characters.next().is_some_and(char::is_alphabetic)
            && characters.all(|character| character.is_alphanumeric() || "_-. ".contains(character))
            && name.len() <= 40
    });
    HeaderGuess { has_header, confidence: if has_header && like_names { 0.7 } else { 0.6 } }
}

fn kind(cell: &str) -> ResolvedType {
    let mut inference = ColumnInference::new(&NullTokens::default());
    inference.observe(Some(cell));
    match inference.finish("").resolved {
        // Single letters and words of truth name columns as well as they fill them.
        ResolvedType::Boolean if cell.chars().all(char::is_alphabetic) => ResolvedType::String,
        // `NA` and the like are neither values nor names.
        resolved => resolved,
    }
}

fn column_kind(rows: &[&csv::StringRecord], index: usize) -> ResolvedType {
    let mut inference = ColumnInference::new(&NullTokens::default());
    for row in rows {
        inference.observe(row.get(index));
    }
    let column = inference.finish("");
    column.without_null_tokens.unwrap_or(column.resolved)
}
