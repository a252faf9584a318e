//! Mends a parser by the errors that it raised, one converter at a time.
//!
//! Edits are made at the entries of the table `COLUMNS` that the syntax tree locates, and nowhere else but for
//! helpers and imports that the new converters need. A parser without that table is left alone.

use std::ops::Range;

use mortise_formats::python::{Module, SourceEdit, TableEntry};

use crate::data::dates::DateFormat;
use crate::data::literal::number;
use crate::parsers::generate::{TABLE, helper_moment, helper_text};
use crate::python_literal as literal;

/// An error of a parser, as the caller reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToldError {
    /// The kind, as the caller names it.
    pub(crate) error_type: String,
    pub(crate) message: String,
    pub(crate) value: Option<String>,
    pub(crate) column: Option<String>,
}

/// What is known about columns besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constraints {
    /// Columns that may be empty.
    pub(crate) nullable: Vec<String>,
    /// Columns that must have a value.
    pub(crate) required: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mended {
    pub(crate) code: String,
    pub(crate) changes: Vec<String>,
}

/// The kinds of errors that can be mended here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Null,
    Type,
    Date,
    Value,
}

/// Mends what can be mended; `None` if nothing can.
pub(crate) fn mend(module: &Module, errors: &[ToldError], constraints: &Constraints) -> Option<Mended> {
    let table = module.table(TABLE)?;
    let json = reads_json(module);
    let mut edits: Vec<SourceEdit> = Vec::new();
    let mut changes: Vec<String> = Vec::new();
    let mut helpers: Vec<&str> = Vec::new();
    let mut done: Vec<&str> = Vec::new();
    for error in errors {
        let Some(column) = error.column.as_deref() else { continue };
        let Some(entry) = table.iter().find(|entry| entry.key == column && entry.items.len() == 2) else {
            continue;
        };
        if done.contains(&column) {
            continue;
        }
        // Several errors of one column are mended together, by all their values.
        let of_column: Vec<&ToldError> =
            errors.iter().filter(|other| other.column.as_deref() == Some(column)).collect();
        let converter = &module.text()[entry.items[0].clone()];
        if let Some(fix) = fix(converter, &of_column, constraints, column, json) {
            done.push(column);
            changes.push(format!("{}: {}", column, fix.change));
            helpers.extend(fix.helpers);
            edits.extend(entry_edits(entry, fix.converter, fix.nullable));
        }
    }
    if edits.is_empty() {
        return None;
    }
    edits.extend(helper_edit(module, &helpers));
    Some(Mended { code: module.edited(edits)?, changes })
}

/// Whether cells are values of JSON and not texts. Such a parser asks for the null of JSON.
fn reads_json(module: &Module) -> bool {
    let asks =
        |range: Range<usize>| module.text().get(range).is_some_and(|text| text.contains("value is None"));
    module.functions().into_iter().any(|function| function.name == "convert" && asks(function.range))
}

fn entry_edits(entry: &TableEntry, converter: Option<String>, nullable: Option<bool>) -> Vec<SourceEdit> {
    let converter = converter.map(|text| SourceEdit { range: entry.items[0].clone(), text });
    let nullable = nullable.map(|nullable| SourceEdit {
        range: entry.items[1].clone(),
        text: if nullable { "True" } else { "False" }.to_owned(),
    });
    converter.into_iter().chain(nullable).collect()
}

/// Imports and helpers that are not there yet, after the imports.
fn helper_edit(module: &Module, helpers: &[&str]) -> Option<SourceEdit> {
    let known: Vec<String> = module.functions().into_iter().map(|function| function.name).collect();
    let mut text = String::new();
    for helper in [MOMENT, CLEAN, WHOLE, TO_TEXT] {
        if !helpers.contains(&helper) || known.iter().any(|name| name == helper) {
            continue;
        }
        text.push_str(match helper {
            MOMENT => "from datetime import datetime\n",
            CLEAN if !module.text().contains("\nimport re\n") => "import re\n",
            _ => "",
        });
    }
    for helper in [MOMENT, CLEAN, WHOLE, TO_TEXT] {
        if helpers.contains(&helper) && !known.iter().any(|name| name == helper) {
            text.push_str("\n\n");
            text.push_str(match helper {
                MOMENT => helper_moment(),
                CLEAN => CLEAN_TEXT,
                TO_TEXT => helper_text(),
                _ => WHOLE_TEXT,
            });
        }
    }
    if text.is_empty() {
        return None;
    }
    text.push('\n');
    let at = module.imports_end();
    Some(SourceEdit { range: at..at, text })
}

const MOMENT: &str = "moment";
const CLEAN: &str = "clean";
const WHOLE: &str = "whole";
const TO_TEXT: &str = "to_text";

/// Signs that may stand before or after an amount.
const CURRENCIES: [char; 8] = ['$', '€', '£', '¥', '₹', '₩', '₽', '₺'];

// The signs are those of CURRENCIES.
const CLEAN_TEXT: &str = r#"def clean(text):
    """The text of a number without a currency sign, and without commas or spaces between thousands."""
    plain = re.sub(r"^([+-]?)\s*[$€£¥₹₩₽₺]\s*|\s*[$€£¥₹₩₽₺]$", r"\1", text.strip(), count=1)
    if re.fullmatch(r"[+-]?[1-9][0-9]{0,2}([,\s][0-9]{3})+(\.[0-9]+)?", plain):
        plain = re.sub(r"[,\s]", "", plain)
    if not re.fullmatch(r"[+-]?(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][+-]?[0-9]+)?", plain):
        raise ValueError("not a number, apart from currency signs and marks between thousands")
    return plain
"#;

const WHOLE_TEXT: &str = r#"LOST = []  # numbers whose fraction was cut off


def whole(text):
    """The whole part of a number; what is cut off is noted. A code such as 007 is no number."""
    number, digits = float(text), str(text).strip().lstrip("+-")
    if "_" in digits or digits[:1] == "0" and digits[1:2].isdigit():
        raise ValueError("not written as a number")
    if number != int(number):
        LOST.append(text)
    return int(number)
"#;

/// A new converter, a new answer to whether the column may be empty, and what that changes.
struct Fix {
    converter: Option<String>,
    nullable: Option<bool>,
    helpers: Vec<&'static str>,
    change: String,
}

fn fix(
    converter: &str,
    errors: &[&ToldError],
    constraints: &Constraints,
    column: &str,
    json: bool,
) -> Option<Fix> {
    let values: Vec<&str> = errors.iter().filter_map(|error| error.value.as_deref()).map(str::trim).collect();
    match fault_of(errors.first()?, converter)? {
        Fault::Null => null_fix(converter, &values, constraints, column, json),
        Fault::Date => date_fix(converter, &values),
        Fault::Type => type_fix(converter, &values, json),
        Fault::Value => value_fix(converter, &values, json),
    }
}

/// What kind of fault an error is, by its type and its value.
fn fault_of(error: &ToldError, converter: &str) -> Option<Fault> {
    let word: String = error.error_type.to_lowercase().chars().filter(char::is_ascii_alphabetic).collect();
    let value = error.value.as_deref().map(str::trim);
    if value.is_some_and(|value| value.is_empty() || is_null_word(value)) || word.contains("null") {
        return Some(Fault::Null);
    }
    let is_date = value.is_some_and(|value| DateFormat::all().any(|format| format.read(value).is_some()));
    match word.as_str() {
        _ if is_date && (word.contains("date") || word.contains("parse") || word.contains("format")) => {
            Some(Fault::Date)
        }
        _ if is_date && (converter.contains("strptime") || converter.contains("isoformat")) => {
            Some(Fault::Date)
        }
        "typemismatch" | "typeerror" => Some(Fault::Type),
        "valueerror" | "cellerror" | "formatmismatch" | "parseerror" => Some(Fault::Value),
        _ => None,
    }
}

fn is_null_word(value: &str) -> bool {
    matches!(
        value,
        "N/A" | "n/a" | "NA" | "-" | "--" | "None" | "none" | "NaN" | "nan" | "#N/A" | "null" | "NULL" | "?"
    )
}

fn called(converter: &str) -> String {
    let plain = converter.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    if plain { format!("{converter}(text)") } else { format!("({converter})(text)") }
}

fn null_fix(
    converter: &str,
    values: &[&str],
    constraints: &Constraints,
    column: &str,
    json: bool,
) -> Option<Fix> {
    let words: Vec<&str> = values.iter().copied().filter(|value| is_null_word(value)).collect();
    let is_required = constraints.required.iter().any(|name| name == column)
        || !constraints.nullable.iter().any(|name| name == column);
    let set = literal::set(words.iter().copied());
    let tests = match (json, words.is_empty()) {
        (false, true) => "text in NULLS".to_owned(),
        (false, false) => format!("text in NULLS or text in {set}"),
        (true, true) => "text is None or isinstance(text, str) and text.strip() in NULLS".to_owned(),
        (true, false) => {
            format!("text is None or isinstance(text, str) and text.strip() in NULLS | {set}")
        }
    };
    if !is_required {
        let converter =
            (!words.is_empty()).then(|| format!("lambda text: None if {tests} else {}", called(converter)));
        return Some(Fix {
            converter,
            nullable: Some(true),
            helpers: Vec::new(),
            change: "cells without a value stay empty".to_owned(),
        });
    }
    let zero = match holds(converter) {
        ConverterResult::Integers => "0",
        ConverterResult::Numbers => "0.0",
        ConverterResult::Texts => "\"\"",
        ConverterResult::Booleans => "False",
        // There is no day that means nothing: such a cell stays empty.
        ConverterResult::Else => {
            return Some(Fix {
                converter: None,
                nullable: Some(true),
                helpers: Vec::new(),
                change: "cells without a value stay empty, since no value can stand for them".to_owned(),
            });
        }
    };
    Some(Fix {
        converter: Some(format!("lambda text: {zero} if {tests} else {}", called(converter))),
        nullable: None,
        helpers: Vec::new(),
        change: format!("cells without a value become {zero}"),
    })
}

/// Reads days in the known format first, then in the one that the values have, if that is certain.
fn date_fix(converter: &str, values: &[&str]) -> Option<Fix> {
    let fitting: Vec<DateFormat> =
        DateFormat::all().filter(|format| values.iter().all(|value| format.read(value).is_some())).collect();
    let [format] = fitting.as_slice() else { return None };
    let mut formats = known_formats(converter);
    if formats.iter().any(|known| known == format.as_str()) {
        return None;
    }
    formats.push(format.as_str().to_owned());
    let part = if converter.contains(".time()") { ".time()" } else { ".date()" };
    let list = literal::list(formats.iter().map(String::as_str));
    Some(Fix {
        converter: Some(format!("lambda text: moment(text, {list}){part}")),
        nullable: None,
        helpers: vec![MOMENT],
        change: format!("days are also read as {}", format.as_str()),
    })
}

fn known_formats(converter: &str) -> Vec<String> {
    if converter == "date.fromisoformat" {
        return vec!["%Y-%m-%d".to_owned()];
    }
    converter.split('"').filter(|part| part.contains('%')).map(str::to_owned).collect()
}

/// What a converter makes of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConverterResult {
    Integers,
    Numbers,
    Texts,
    Booleans,
    Else,
}

/// What a converter makes, by the function that it is or calls.
fn holds(converter: &str) -> ConverterResult {
    let is_call = |name: &str| {
        let call = format!("{name}(");
        let whole_word =
            |at: usize| !converter[..at].ends_with(|c: char| c.is_alphanumeric() || "_.".contains(c));
        converter == name || converter.match_indices(&call).any(|(at, _)| whole_word(at))
    };
    let any = |names: &[&str]| names.iter().any(|name| is_call(name));
    match () {
        () if any(&["to_integer", "int", "whole"]) => ConverterResult::Integers,
        () if any(&["to_number", "float"]) => ConverterResult::Numbers,
        () if any(&["to_text", "str"]) => ConverterResult::Texts,
        () if any(&["to_boolean"]) => ConverterResult::Booleans,
        () => ConverterResult::Else,
    }
}

fn type_fix(converter: &str, values: &[&str], json: bool) -> Option<Fix> {
    // A code such as 007 is not a number, and Python's own converters don't read thousands separators.
    let is_number = |value: &&str| !value.contains(',') && number(value).is_some();
    let all_numbers = !values.is_empty() && values.iter().all(is_number);
    let (text, helpers) = if json { ("to_text", vec![TO_TEXT]) } else { ("str", Vec::new()) };
    match (all_numbers, converter) {
        (true, "int" | "to_integer") => Some(Fix {
            converter: Some("whole".to_owned()),
            nullable: None,
            helpers: vec![WHOLE],
            change: "numbers with a fraction are cut to whole numbers, and counted in LOST".to_owned(),
        }),
        (true, _) | (false, "str" | "to_text") => None,
        (false, _) => Some(Fix {
            converter: Some(text.to_owned()),
            nullable: None,
            helpers,
            change: "the column is text, since not all of its values are numbers".to_owned(),
        }),
    }
}

/// Takes away what stands around numbers, if that is all that is wrong with every value.
fn value_fix(converter: &str, values: &[&str], json: bool) -> Option<Fix> {
    let whole = holds(converter) == ConverterResult::Integers;
    if values.is_empty() || !values.iter().all(|value| is_decorated_number(value, whole)) {
        return None;
    }
    Some(Fix {
        converter: Some(cleaned(converter, json)?),
        nullable: None,
        helpers: vec![CLEAN],
        change: "numbers are read without currency signs, and without spaces and commas between thousands"
            .to_owned(),
    })
}

/// The converter with `clean` before it, for those that are generated or made here.
fn cleaned(converter: &str, json: bool) -> Option<String> {
    const NAMES: [&str; 4] = ["to_integer", "to_number", "int", "float"];
    const ARGUMENTS: [&str; 3] = ["text", "ungrouped(text)", "text.replace(\",\", \"\")"];
    let clean = if json { "clean(text) if isinstance(text, str) else text" } else { "clean(text)" };
    if NAMES.contains(&converter) {
        return Some(format!("lambda text: {converter}({clean})"));
    }
    for name in NAMES {
        for argument in ARGUMENTS {
            if let Some(before) = converter.strip_suffix(&format!(" {name}({argument})")) {
                return Some(format!("{before} {name}({clean})"));
            }
        }
    }
    None
}

/// Whether a text is a number apart from a currency sign and marks between thousands, as `clean` sees it.
fn is_decorated_number(text: &str, whole: bool) -> bool {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = &text[..text.len() - unsigned.len()];
    let amount = match unsigned.trim_start().strip_prefix(CURRENCIES) {
        Some(amount) => amount.trim_start(),
        None => unsigned.strip_suffix(CURRENCIES).map_or(unsigned, str::trim_end),
    };
    let marked: String = amount.chars().map(|c| if c.is_whitespace() { ',' } else { c }).collect();
    let number = number(&format!("{sign}{marked}"));
    match whole {
        false => number.is_some(),
        true => number.is_some() && !marked.contains(['.', 'e', 'E']),
    }
}

#[cfg(test)]
mod tests;
