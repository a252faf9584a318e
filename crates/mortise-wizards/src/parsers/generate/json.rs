//! `parse` for JSON documents and lines.

use super::{converted, open, start, yield_rows};
use crate::parsers::plan::{ColumnPlace, ParserPlan};
use crate::python_literal as literal;

pub(super) fn parse_document(plan: &ParserPlan) -> String {
    let mut text = head(plan);
    text.push_str(&format!("    with {} as file:\n", open(plan, false)));
    text.push_str("        text = file.read()\n");
    text.push_str("    records = json.loads(text) if text.strip() else []\n");
    text.push_str("    if isinstance(records, dict):\n        records = [records]\n");
    text.push_str("    for row, record in enumerate(records, start=1):\n");
    text.push_str(&yield_rows(plan, 8, &record(plan)));
    text
}

pub(super) fn parse_lines(plan: &ParserPlan) -> String {
    let mut text = head(plan);
    text.push_str(&format!("    with {} as file:\n", open(plan, false)));
    text.push_str("        for row, line in enumerate(filter(str.strip, file), start=1):\n");
    text.push_str("            record = json.loads(line)\n");
    text.push_str(&yield_rows(plan, 12, &record(plan)));
    text
}

fn head(plan: &ParserPlan) -> String {
    format!(
        "def parse(file_path: str):\n    \"\"\"Yields one dict of typed values for each record.\"\"\"\n{}{}",
        start(plan),
        names(plan)
    )
}

/// The keys, where they differ from the names in the output.
fn names(plan: &ParserPlan) -> String {
    if !is_renamed(plan) {
        return String::new();
    }
    let mut text = String::from("    # Name in the output: key in the record.\n    keys = {\n");
    for column in &plan.columns {
        text.push_str(&format!(
            "        {}: {},\n",
            literal::string(&column.name),
            literal::string(key(&column.place, &column.name))
        ));
    }
    text.push_str("    }\n");
    text
}

fn is_renamed(plan: &ParserPlan) -> bool {
    plan.columns.iter().any(|column| key(&column.place, &column.name) != column.name)
}

fn key<'a>(place: &'a ColumnPlace, name: &'a str) -> &'a str {
    match place {
        ColumnPlace::Named(key) => key,
        ColumnPlace::Position(_) => name,
    }
}

fn record(plan: &ParserPlan) -> String {
    match is_renamed(plan) {
        true => {
            format!("{{name: {} for name, key in keys.items()}}", converted(plan, "record.get(key)"))
        }
        false => format!("{{name: {} for name in COLUMNS}}", converted(plan, "record.get(name)")),
    }
}
