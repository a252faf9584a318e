//! The module: a table of fields, one loop over it, and the conversions.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use mortise_formats::rules::{ExtractionRule, FieldSource, FieldType, Pattern, RuleField};

use super::literal::{literal, pattern};
use super::transforms::{self, Import};
use crate::paths::transform::Transform;

/// The Python that gives all fields of a rule and the values that the rule can't.
pub(crate) fn module(rule: &ExtractionRule, example: &str, transforms: &[Transform]) -> String {
    let fields: Vec<&(String, RuleField)> =
        rule.fields.iter().filter(|(_, field)| field.default.is_none()).collect();
    let constants = rule.fields.iter().filter(|(_, field)| field.default.is_some());
    let needs = Needs::of(&fields);
    let mut imports: BTreeSet<Import> = transforms.iter().flat_map(transforms::imports).collect();
    if !fields.is_empty() {
        imports.insert(Import::Re);
    }
    if needs.dates {
        imports.insert(Import::Datetime);
    }

    let mut code = String::new();
    _ = writeln!(code, "\"\"\"Reads fields from paths such as {}.\"\"\"\n", docstring(example));
    for line in import_lines(&imports) {
        _ = writeln!(code, "{line}");
    }
    if !imports.is_empty() {
        code.push('\n');
    }
    for table in transforms.iter().filter_map(transforms::table) {
        code.push_str(&table);
        code.push('\n');
    }
    if !fields.is_empty() {
        code.push_str("# field: (segment from the end, pattern, type");
        code.push_str(if needs.dates { " or date format)\n" } else { ")\n" });
        code.push_str("FIELDS = {\n");
        for (name, field) in &fields {
            _ = writeln!(code, "    {}: {},", literal(name), row(field));
        }
        code.push_str("}\n\n");
    }
    code.push_str("\ndef extract(path: str) -> dict:\n");
    code.push_str("    parts = [part for part in path.replace(\"\\\\\", \"/\").split(\"/\") if part not in (\"\", \".\")]\n");
    code.push_str("    fields = {}\n");
    for (name, field) in constants {
        if let Some(value) = constant(field) {
            _ = writeln!(code, "    fields[{}] = {value}", literal(name));
        }
    }
    if !fields.is_empty() {
        code.push_str(&field_loop(&needs));
    }
    for transform in transforms {
        code.push_str(&transforms::lines(transform));
    }
    code.push_str("    return fields\n");
    code
}

/// What the loop must be able to do.
struct Needs {
    dates: bool,
    paths: bool,
}

impl Needs {
    fn of(fields: &[&(String, RuleField)]) -> Self {
        Self {
            dates: fields.iter().any(|(_, field)| matches!(field.field_type, FieldType::Date { .. })),
            paths: fields.iter().any(|(_, field)| segment(field) == 0),
        }
    }
}

fn field_loop(needs: &Needs) -> String {
    let mut code = String::new();
    code.push_str("    for name, (segment, pattern, kind) in FIELDS.items():\n");
    match needs.paths {
        true => {
            code.push_str("        if len(parts) < -segment:\n            continue\n");
            code.push_str("        # Segment 0 is the whole path.\n");
            code.push_str("        text = parts[segment] if segment else \"/\".join(parts)\n");
        }
        false => {
            code.push_str("        if len(parts) < -segment:\n            continue\n");
            code.push_str("        text = parts[segment]\n");
        }
    }
    code.push_str("        match = re.search(pattern, text)\n");
    code.push_str("        if not match:\n            continue\n");
    match needs.dates {
        false => code.push_str("        fields[name] = kind(match.group(1))\n"),
        true => {
            code.push_str("        value = match.group(1)\n");
            code.push_str("        if isinstance(kind, str):\n");
            code.push_str("            try:\n");
            code.push_str(
                "                fields[name] = datetime.strptime(value, kind).date().isoformat()\n",
            );
            code.push_str("            except ValueError:\n");
            code.push_str("                continue\n");
            code.push_str("        else:\n");
            code.push_str("            fields[name] = kind(value)\n");
        }
    }
    code
}

fn import_lines(imports: &BTreeSet<Import>) -> Vec<String> {
    let mut lines = Vec::new();
    if imports.contains(&Import::Base64) {
        lines.push("import base64".to_owned());
    }
    if imports.contains(&Import::Re) {
        lines.push("import re".to_owned());
    }
    let names: Vec<&str> =
        [(Import::Date, "date"), (Import::Datetime, "datetime"), (Import::Timedelta, "timedelta")]
            .into_iter()
            .filter(|(import, _)| imports.contains(import))
            .map(|(_, name)| name)
            .collect();
    if !names.is_empty() {
        lines.push(format!("from datetime import {}", names.join(", ")));
    }
    if imports.contains(&Import::Unquote) {
        lines.push("from urllib.parse import unquote".to_owned());
    }
    lines
}

/// Segment from the end as Python counts; 0 is the whole path.
fn segment(field: &RuleField) -> i32 {
    match field.from {
        FieldSource::Segment(index) => -i32::from(index),
        FieldSource::Filename => -1,
        FieldSource::FullPath | FieldSource::RelPath => 0,
    }
}

fn row(field: &RuleField) -> String {
    let kind = match &field.field_type {
        FieldType::Integer { .. } => "int".to_owned(),
        FieldType::Date { format } => literal(format),
        FieldType::Uuid => "str.lower".to_owned(),
        FieldType::String => "str".to_owned(),
    };
    let regex = field.pattern.as_ref().map_or_else(|| r"(?s)^(.+)\Z".to_owned(), python_regex);
    format!("({}, {}, {kind})", segment(field), pattern(&regex))
}

/// A pattern as Python takes it, with what it finds as the first group.
pub(super) fn python_regex(found: &Pattern) -> String {
    let has_group = regex::Regex::new(&found.regex).is_ok_and(|regex| regex.captures_len() > 1);
    let regex = if has_group { found.regex.clone() } else { format!("({})", found.regex) };
    // `$` also matches before a line break at the end in Python.
    match regex.strip_suffix('$') {
        Some(start) if !start.ends_with('\\') => format!("{start}\\Z"),
        _ => regex,
    }
}

fn constant(field: &RuleField) -> Option<String> {
    use mortise_formats::rules::DefaultValue;
    Some(match field.default.as_ref()? {
        DefaultValue::Text(text) => literal(text),
        DefaultValue::Integer(number) => number.to_string(),
        DefaultValue::Boolean(truth) => if *truth { "True" } else { "False" }.to_owned(),
    })
}

/// An example that can stand in a docstring: plain characters only, cut to a line.
fn docstring(example: &str) -> String {
    let is_plain = |character: &char| character.is_ascii_alphanumeric() || "/_-.=+ ".contains(*character);
    let plain: String = example.chars().filter(is_plain).collect();
    let tail: String = plain.chars().rev().take(60).collect();
    let tail: String = tail.chars().rev().collect();
    tail.trim().to_owned()
}
