//! Conversions as lines of `extract`.

use std::fmt::Write as _;

use mortise_formats::rules::FieldType;

use super::literal::{literal, pattern};
use super::module::python_regex;
use crate::paths::transform::{ComputedDatePart, Transform};

/// A name that generated code imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Import {
    Base64,
    Re,
    Date,
    Datetime,
    Timedelta,
    Unquote,
}

pub(super) fn imports(transform: &Transform) -> Vec<Import> {
    match transform {
        Transform::Week { .. } | Transform::DateParts { .. } => vec![Import::Date],
        Transform::Fiscal { .. } => vec![Import::Date, Import::Timedelta],
        Transform::MixedDate { .. } => vec![Import::Datetime],
        Transform::Base64 { .. } => vec![Import::Base64],
        Transform::Url { .. } => vec![Import::Unquote],
        Transform::Pattern { kind: FieldType::Date { .. }, .. } => vec![Import::Re, Import::Datetime],
        Transform::Pattern { .. } => vec![Import::Re],
        _ => Vec::new(),
    }
}

/// A table at the top of the module.
pub(super) fn table(transform: &Transform) -> Option<String> {
    match transform {
        Transform::Month { .. } => Some(
            "MONTHS = (\n    \"january\", \"february\", \"march\", \"april\", \"may\", \"june\",\n    \
             \"july\", \"august\", \"september\", \"october\", \"november\", \"december\",\n)\n"
                .to_owned(),
        ),
        Transform::LiteralMap { into, pairs, .. } => {
            let mut table = format!("{} = {{\n", table_name(into));
            for (from, to) in pairs {
                _ = writeln!(table, "    {}: {},", literal(from), literal(to));
            }
            table.push_str("}\n");
            Some(table)
        }
        _ => None,
    }
}

fn table_name(into: &str) -> String {
    into.to_ascii_uppercase()
}

/// The lines of a conversion, inside `extract`.
pub(super) fn lines(transform: &Transform) -> String {
    match transform {
        Transform::Quarter { from } => {
            months(from, 3, "A quarter is three months: the first is January to March.")
        }
        Transform::Half { from } => months(from, 6, "A half is six months: the first is January to June."),
        Transform::Week { from, year } => {
            let (week, year) = (literal(from), literal(year));
            format!(
                "    if {week} in fields and {year} in fields:\n        try:\n            \
                 monday = date.fromisocalendar(fields[{year}], fields[{week}], 1)\n            \
                 sunday = date.fromisocalendar(fields[{year}], fields[{week}], 7)\n            \
                 fields[\"start_date\"] = monday.isoformat()\n            \
                 fields[\"end_date\"] = sunday.isoformat()\n        \
                 except ValueError:\n            pass  # Not every year has a week 53.\n"
            )
        }
        Transform::Fiscal { from, is_code, start_month } => fiscal(from, *is_code, *start_month),
        Transform::Month { from } => {
            let from = literal(from);
            format!(
                "    word = fields.get({from}, \"\").lower()\n    \
                 for number, name in enumerate(MONTHS, start=1):\n        \
                 if word in (name, name[:3]) or (word == \"sept\" and number == 9):\n            \
                 fields[\"month\"] = number\n"
            )
        }
        Transform::MixedDate { from, into, formats } => {
            let formats: Vec<String> = formats.iter().map(|format| literal(format)).collect();
            let (from, into) = (literal(from), literal(into));
            format!(
                "    # The same folder is written in several ways; the first that fits is the date.\n    \
                 for form in ({},):\n        try:\n            \
                 fields[{into}] = datetime.strptime(fields.get({from}, \"\"), form).date().isoformat()\n            \
                 break\n        except ValueError:\n            continue\n",
                formats.join(", ")
            )
        }
        Transform::Base64 { from, into } => {
            let (from, into) = (literal(from), literal(into));
            format!(
                "    if {from} in fields:\n        try:\n            \
                 fields[{into}] = base64.b64decode(fields[{from}], validate=True).decode(\"utf-8\")\n        \
                 except ValueError:\n            pass  # Not every folder is encoded.\n"
            )
        }
        Transform::Url { from, into } => {
            let (from, into) = (literal(from), literal(into));
            format!("    if {from} in fields:\n        fields[{into}] = unquote(fields[{from}])\n")
        }
        Transform::Concat { fields, separator, into } => {
            let names: Vec<String> = fields.iter().map(|name| literal(name)).collect();
            format!(
                "    names = ({},)\n    if all(name in fields for name in names):\n        \
                 fields[{}] = {}.join(str(fields[name]) for name in names)\n",
                names.join(", "),
                literal(into),
                literal(separator)
            )
        }
        Transform::LiteralMap { from, otherwise, into, .. } => {
            let (field, table) = (literal(from), table_name(into));
            let into = literal(into);
            match otherwise {
                Some(otherwise) => format!(
                    "    if {field} in fields:\n        \
                     fields[{into}] = {table}.get(str(fields[{field}]), {})\n",
                    literal(otherwise)
                ),
                None => format!(
                    "    if str(fields.get({field})) in {table}:\n        \
                     fields[{into}] = {table}[str(fields[{field}])]\n"
                ),
            }
        }
        Transform::Pattern { from, pattern: wanted, kind, into } => {
            let (from, into) = (literal(from), literal(into));
            let value = match kind {
                FieldType::Integer { .. } => "int(match.group(1))".to_owned(),
                FieldType::Date { format } => {
                    format!("datetime.strptime(match.group(1), {}).date().isoformat()", literal(format))
                }
                FieldType::Uuid => "match.group(1).lower()".to_owned(),
                FieldType::String => "match.group(1)".to_owned(),
            };
            let found = pattern(&python_regex(wanted));
            let search = format!("    match = re.search({found}, fields.get({from}, \"\"))\n");
            match kind {
                FieldType::Date { .. } => format!(
                    "{search}    if match:\n        try:\n            fields[{into}] = {value}\n        \
                     except ValueError:\n            pass  # It only looks like a date.\n"
                ),
                _ => format!("{search}    if match:\n        fields[{into}] = {value}\n"),
            }
        }
        Transform::DateParts { from, parts } => {
            let field = literal(from);
            let mut code =
                format!("    if {field} in fields:\n        day = date.fromisoformat(fields[{field}])\n");
            for part in parts {
                let value = match part {
                    ComputedDatePart::Year => "day.year",
                    ComputedDatePart::Month => "day.month",
                    ComputedDatePart::Weekday => "day.isoweekday()",
                };
                _ = writeln!(
                    code,
                    "        fields[{}] = {value}",
                    literal(&format!("{from}_{}", part.as_str()))
                );
            }
            code
        }
    }
}

fn months(from: &str, length: u32, comment: &str) -> String {
    let field = literal(from);
    format!(
        "    if {field} in fields:\n        # {comment}\n        \
         fields[\"start_month\"] = fields[{field}] * {length} - {}\n        \
         fields[\"end_month\"] = fields[{field}] * {length}\n",
        length - 1
    )
}

fn fiscal(from: &str, is_code: bool, start_month: u32) -> String {
    let field = literal(from);
    let year = match is_code {
        true => format!("2000 + int(fields[{field}][2:])"),
        false => format!("fields[{field}]"),
    };
    let start = match start_month {
        1 => "date(year, 1, 1)".to_owned(),
        month => format!("date(year - 1, {month}, 1)"),
    };
    format!(
        "    if {field} in fields:\n        # A fiscal year is named after the year it ends in.\n        \
         year = {year}\n        start = {start}\n        \
         end = date(start.year + 1, start.month, 1) - timedelta(days=1)\n        \
         fields[\"fiscal_year\"] = year\n        \
         fields[\"start_date\"] = start.isoformat()\n        \
         fields[\"end_date\"] = end.isoformat()\n"
    )
}
