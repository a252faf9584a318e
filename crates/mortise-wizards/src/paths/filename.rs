//! What the names of files tell: a kind, a date, a number, a version, an id.

use std::sync::LazyLock;

use mortise_contract::embedded;
use mortise_formats::rules::{FieldSource, FieldType, Pattern, RuleField};
use regex::Regex;

use super::path::RulePath;
use super::semantic::{is_compact_date, is_iso_date};

/// What all files of some paths have in their names, in the order of the table.
pub(crate) fn fields(paths: &[RulePath]) -> Vec<(String, RuleField)> {
    let names: Vec<&str> = paths.iter().map(RulePath::filename).collect();
    let found = FINDERS.iter().filter(|finder| finder.fits(&names));
    let mut fields: Vec<(String, RuleField)> = Vec::new();
    for finder in found {
        if fields.iter().all(|(taken, _)| taken != finder.field) {
            fields.push((finder.field.to_owned(), finder.field()));
        }
    }
    fields
}

/// How many of the kinds are there; two make it worth to ask for them.
pub(crate) fn pattern_count(paths: &[RulePath]) -> usize {
    fields(paths).len()
}

struct Finder {
    field: &'static str,
    regex: Regex,
    field_type: FieldType,
    /// Whether the values of all names can be this.
    accepts: fn(&[&str]) -> bool,
}

impl Finder {
    fn fits(&self, names: &[&str]) -> bool {
        let values: Option<Vec<&str>> = names
            .iter()
            .map(|name| self.regex.captures(name).and_then(|found| found.get(1)).map(|found| found.as_str()))
            .collect();
        values.is_some_and(|values| !values.is_empty() && (self.accepts)(&values))
    }

    fn field(&self) -> RuleField {
        let mut field = RuleField::new(FieldSource::Filename);
        field.pattern = Some(Pattern::new(self.regex.as_str()));
        field.field_type = self.field_type.clone();
        field
    }
}

static FINDERS: LazyLock<[Finder; 7]> = LazyLock::new(|| {
    let any = |_: &[&str]| true;
    let finder = |field, regex: &str, field_type, accepts| Finder {
        field,
        regex: embedded::regex(regex),
        field_type,
        accepts,
    };
    let date = |format: &str| FieldType::Date { format: format.to_owned() };
    [
        finder("file_kind", "^([A-Za-z]+)[_-]", FieldType::String, any),
        finder("file_date", r"(?:^|[^0-9])(\d{4}-\d{2}-\d{2})(?:[^0-9]|$)", date("%Y-%m-%d"), |values| {
            values.iter().all(|value| is_iso_date(value))
        }),
        finder("file_date", r"(?:^|[^0-9])(\d{8})(?:[^0-9]|$)", date("%Y%m%d"), |values| {
            values.iter().all(|value| is_compact_date(value))
        }),
        finder("file_number", r"(?:_|[^0-9]-)(\d{1,9})\.[^.]+$", FieldType::integer(), is_counter),
        finder(
            "file_version",
            r"[_-](v\d+(?:\.\d+)*|(?:retry|rev|run)[_-]?\d+)(?:[_.-]|$)",
            FieldType::String,
            any,
        ),
        finder(
            "file_uuid",
            "([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})",
            FieldType::Uuid,
            any,
        ),
        finder("file_uuid", r"(?:^|[_-])([0-9a-f]{16,64})(?:[_.-]|$)", FieldType::String, |values| {
            values.iter().all(|value| value.bytes().any(|byte| byte.is_ascii_alphabetic()))
        }),
    ]
});

/// Zeros lead, or the numbers differ; and they are no years, days or dates.
fn is_counter(values: &[&str]) -> bool {
    let is_padded = |value: &&str| value.len() > 1 && value.starts_with('0');
    let padded = values.iter().any(is_padded);
    let differs = values.windows(2).any(|pair| pair[0] != pair[1]);
    let is_year = |value: &&str| super::semantic::is_year(value);
    let are_dates = values.iter().all(|value| is_compact_date(value)) || values.iter().all(is_year);
    (padded || differs) && !are_dates
}
