//! A result that is a list of records, as a table.

use mortise_contract::RawJson;
use mortise_contract::json::JsonKind;

use crate::terminal::layout::Piece;
use crate::terminal::table::{Digits, TableCell, TerminalTable};
use crate::terminal::units::counted;
use crate::terminal::{Terminal, Tint, escape};

/// More rows are shown as JSON, which needs no look at all of them first.
const MOST_ROWS: usize = 2_000;
/// Tables that the columns of a wide one are spread over.
const MOST_TABLES: usize = 3;
/// Characters of a cell; a longer one makes a table unreadable.
const CELL: usize = 160;

/// The table of an array of objects, or of an object with one such array beside plain members; `None` where JSON shows
/// the value better.
pub(super) fn table(terminal: &Terminal, value: &RawJson) -> Option<String> {
    match value.kind() {
        JsonKind::Array => rows(terminal, value),
        JsonKind::Object => inside(terminal, value),
        _ => None,
    }
}

/// `{"rows": […], "total": 3}`: the other members first, then the name of the array above its table.
fn inside(terminal: &Terminal, value: &RawJson) -> Option<String> {
    let members = value.members().ok()?;
    let is_list = |value: &RawJson| value.kind() == JsonKind::Array && value.text().len() > 2;
    let mut lists = members.iter().filter(|(_, value)| is_list(value));
    let (name, list) = lists.next().filter(|_| lists.next().is_none())?;
    let mut out = String::new();
    for (name, value) in members.iter().filter(|(_, value)| !is_list(value)) {
        let (text, tint) = cell(value)?;
        let name = escape::line(name);
        let lead: [Piece<'_>; 2] = [(Some(Tint::Name), &name), (None, "  ")];
        out.push_str(&terminal.hang(&lead, tint, &text));
    }
    let count = counted(list.elements().ok()?.len(), "row");
    let heading = [(Some(Tint::Name), escape::line(name)), (None, "  ".to_owned()), (Some(Tint::Dim), count)];
    let heading: Vec<Piece<'_>> = heading.iter().map(|(tint, text)| (*tint, text.as_str())).collect();
    out.push_str(&format!("{}\n{}", terminal.pieces(&heading), rows(terminal, list)?));
    Some(out)
}

fn rows(terminal: &Terminal, list: &RawJson) -> Option<String> {
    let elements = list.elements().ok().filter(|elements| (1..=MOST_ROWS).contains(&elements.len()))?;
    let records = elements.iter().map(|element| element.members().ok()).collect::<Option<Vec<_>>>()?;
    let mut titles: Vec<&String> = Vec::new();
    for (name, _) in records.iter().flatten() {
        if !titles.contains(&name) {
            titles.push(name);
        }
    }
    let columns: Vec<Vec<TableCell>> = titles
        .iter()
        .map(|title| {
            let of_record = |record: &Vec<(String, RawJson)>| match last(record, title) {
                Some(value) => cell(value),
                None => Some((String::new(), None)),
            };
            records.iter().map(of_record).collect::<Option<Vec<_>>>()
        })
        .collect::<Option<Vec<_>>>()?;
    let is_number = |title: &String| {
        let mut values = records.iter().filter_map(|record| last(record, title)).map(RawJson::kind);
        values.all(|kind| matches!(kind, JsonKind::Number | JsonKind::Null))
    };
    let titles: Vec<(String, Digits)> = titles
        .iter()
        .map(|title| (escape::line(title), if is_number(title) { Digits::Only } else { Digits::Mixed }))
        .collect();
    below_each_other(terminal, &titles, &columns)
}

/// One table if it fits; else several, each with the first column, so that rows can be recognised.
fn below_each_other(
    terminal: &Terminal,
    titles: &[(String, Digits)],
    columns: &[Vec<TableCell>],
) -> Option<String> {
    let made = |shown: &[usize]| {
        let mut table = TerminalTable::of_data(shown.iter().map(|at| titles[*at].clone()));
        let rows = columns.first().map_or(0, Vec::len);
        (0..rows).for_each(|row| table.cells(shown.iter().map(|at| columns[*at][row].clone()).collect()));
        table
    };
    let mut tables: Vec<Vec<usize>> = Vec::new();
    for at in 0..titles.len() {
        match tables.last_mut() {
            Some(last) if made(&[last.as_slice(), &[at]].concat()).fits(terminal) => last.push(at),
            None => tables.push(vec![at]),
            Some(_) => tables.push(vec![0, at]),
        }
    }
    let tables: Vec<TerminalTable> = tables.iter().map(|shown| made(shown)).collect();
    let is_readable =
        (1..=MOST_TABLES).contains(&tables.len()) && tables.iter().all(|table| table.fits(terminal));
    let shown: Vec<String> =
        tables.into_iter().filter(|_| is_readable).map(|table| table.render(terminal)).collect();
    is_readable.then(|| shown.join("\n"))
}

/// The member that parsers keep where a name comes twice.
fn last<'a>(record: &'a [(String, RawJson)], name: &str) -> Option<&'a RawJson> {
    record.iter().rev().find_map(|(key, value)| (key == name).then_some(value))
}

/// A value on one line; `None` if it has several, or is long.
fn cell(value: &RawJson) -> Option<TableCell> {
    let text = value.text();
    if text.len() > CELL * 6 {
        return None;
    }
    let (shown, tint) = match value.kind() {
        JsonKind::String => (serde_json::from_str::<String>(text).ok()?, None),
        JsonKind::Null => (text.to_owned(), Some(Tint::Dim)),
        JsonKind::Object | JsonKind::Array => (
            serde_json::from_str::<&serde_json::value::RawValue>(text).ok()?.get().to_owned(),
            Some(Tint::Type),
        ),
        _ => (text.to_owned(), None),
    };
    let is_short = !shown.trim_end().contains('\n') && shown.chars().count() <= CELL;
    is_short.then(|| (escape::line(&shown), tint))
}

#[cfg(test)]
mod tests;
