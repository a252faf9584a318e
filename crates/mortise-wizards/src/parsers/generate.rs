//! Writes a parser: short, commented Python for the standard library alone.
//!
//! The text depends on the plan and on nothing else. Every name and value from a file enters as an escaped literal.
//!
//! Whatever the plan, the module has the same parts in the same order: a docstring, imports, `TOPIC` and `SINK`,
//! helpers that some column needs, the table `COLUMNS` with one converter per column, and `parse`. Later edits find
//! a column's converter by its key in that table.

mod columns;
mod delimited;
mod json;

use self::columns::Converters;
use crate::data::data_type::DataType;
use crate::parsers::plan::{BadCells, ParserPlan, SinkKind, SourceFormat};
use crate::python_literal as literal;

/// The name of the table of converters in a generated parser.
pub const TABLE: &str = "COLUMNS";

/// The Python source of the parser for a plan.
pub fn parser(plan: &ParserPlan) -> String {
    let converters = Converters::new(plan);
    let mut parts = vec![docstring(plan), imports(plan, &converters), constants(plan, &converters)];
    if plan.bad_cells != BadCells::Plain {
        parts.push(CELL_ERROR.to_owned());
    }
    parts.extend(converters.helpers());
    parts.push(converters.table());
    parts.push(convert(plan));
    parts.push(match &plan.source.format {
        SourceFormat::Delimited(dialect) => delimited::parse(plan, dialect),
        SourceFormat::Json => json::parse_document(plan),
        SourceFormat::Ndjson => json::parse_lines(plan),
    });
    let mut text = String::new();
    for (index, part) in parts.iter().enumerate() {
        // Two empty lines around functions and classes, one elsewhere.
        text.push_str(match index.checked_sub(1).map(|before| &parts[before]) {
            None => "",
            Some(before) if is_block(before) || is_block(part) => "\n\n",
            Some(_) => "\n",
        });
        text.push_str(part.trim_end());
        text.push('\n');
    }
    text
}

fn is_block(part: &str) -> bool {
    part.starts_with("def ") || part.starts_with("class ")
}

/// The helper that reads days and moments in several formats, and needs `datetime` from the module of that name.
pub(crate) fn helper_moment() -> &'static str {
    columns::MOMENT
}

/// The helper that makes a value of JSON text, and needs `json`.
pub(crate) fn helper_text() -> &'static str {
    columns::TO_TEXT
}

/// What the parser does, in a sentence for people.
pub fn description(plan: &ParserPlan) -> String {
    let count = plan.columns.len();
    let columns = if count == 1 { "column" } else { "columns" };
    format!("Reads {} and yields rows of {count} typed {columns}.", source_words(plan))
}

fn docstring(plan: &ParserPlan) -> String {
    let name = literal::prose(&plan.name);
    format!(
        "\"\"\"Reads {name}: {} with {} columns.\n\nNeeds Python 3.10 or later and nothing else.\n\"\"\"\n",
        source_words(plan),
        plan.columns.len()
    )
}

fn source_words(plan: &ParserPlan) -> String {
    let words = match &plan.source.format {
        SourceFormat::Delimited(dialect) => match dialect.delimiter {
            ',' => "comma-separated text",
            '\t' => "tab-separated text",
            ';' => "semicolon-separated text",
            '|' => "pipe-separated text",
            _ => "delimited text",
        },
        SourceFormat::Json => "a JSON document",
        SourceFormat::Ndjson => "one JSON object per line",
    };
    if plan.source.gzip { format!("{words}, compressed") } else { words.to_owned() }
}

fn imports(plan: &ParserPlan, converters: &Converters<'_>) -> String {
    let mut modules = vec![match plan.source.format {
        SourceFormat::Delimited(_) => "csv",
        SourceFormat::Json | SourceFormat::Ndjson => "json",
    }];
    modules.extend(plan.source.gzip.then_some("gzip"));
    modules.extend(converters.modules());
    modules.extend(plan.imports.iter().map(String::as_str));
    modules.sort_unstable();
    modules.dedup();
    let mut text: String = modules.iter().map(|module| format!("import {module}\n")).collect();
    if let Some(names) = converters.datetime_names() {
        text.push_str(&format!("from datetime import {names}\n"));
    }
    text
}

fn constants(plan: &ParserPlan, converters: &Converters<'_>) -> String {
    let mut text = format!(
        "TOPIC = {}\nSINK = {}\n",
        literal::string(&plan.topic()),
        literal::string(plan.sink.as_str())
    );
    if let (Some(table), SinkKind::Sqlite) = (&plan.table, plan.sink) {
        text.push_str(&format!("TABLE = {}\n", literal::string(table)));
    }
    let json = !matches!(plan.source.format, SourceFormat::Delimited(_));
    let besides = match (plan.nulls.has_null_in_any_case(), json) {
        (true, _) => ", besides null in any case",
        (false, true) => ", besides the null of JSON",
        (false, false) => "",
    };
    text.push_str(&format!(
        "\n# Cells that stand for no value{besides}.\nNULLS = {}\n",
        literal::set(plan.nulls.words().iter().map(String::as_str))
    ));
    text.push_str(&converters.word_sets());
    if plan.bad_cells == BadCells::Collect {
        text.push_str("\n# What was wrong with the rows that were left out.\nREJECTED = []\n");
    }
    text
}

const CELL_ERROR: &str = r#"class CellError(ValueError):
    """A cell that is not what its column holds."""

    def __init__(self, row, column, value, problem):
        super().__init__(f"row {row}, column {column!r}: {value!r} {problem}")
        self.row, self.column, self.value = row, column, value
"#;

/// The function that makes one cell a value.
///
/// Spaces around a value mean nothing, except in text. A required cell without a value goes to its converter, which
/// refuses it unless it was given something to put in its place.
fn convert(plan: &ParserPlan) -> String {
    let names = if plan.bad_cells == BadCells::Plain { "column, value" } else { "row, column, value" };
    let mut text = format!(
        "def convert({names}):\n    \"\"\"The typed value of one cell.\"\"\"\n    to_type, nullable = COLUMNS[column]\n"
    );
    let any_case = plan.nulls.has_null_in_any_case();
    let kept = match plan.source.format {
        SourceFormat::Delimited(_) => {
            let null = if any_case { " or text.lower() == \"null\"" } else { "" };
            text.push_str(&format!("    text = value.strip()\n    empty = text in NULLS{null}\n"));
            "value if to_type is str else to_type(text)"
        }
        SourceFormat::Json | SourceFormat::Ndjson => {
            let words = match (any_case, plan.nulls.words().is_empty()) {
                (true, _) => {
                    " or isinstance(value, str) and (value.strip() in NULLS or value.strip().lower() == \"null\")"
                }
                (false, false) => " or isinstance(value, str) and value.strip() in NULLS",
                (false, true) => "",
            };
            // Nothing but a text can be empty.
            let has_text = plan.columns.iter().any(|column| column.data_type == DataType::String);
            let blank =
                if has_text { " or value == \"\" and to_type is not to_text" } else { " or value == \"\"" };
            text.push_str(&format!("    empty = value is None{words}{blank}\n"));
            "to_type(value)"
        }
    };
    text.push_str("    if empty and nullable:\n        return None\n");
    text.push_str(&match plan.bad_cells {
        BadCells::Plain => format!("    return {kept}\n"),
        BadCells::Raise | BadCells::Collect => format!(
            "    try:\n        return {kept}\n    except (TypeError, ValueError, OverflowError) as error:\n        \
             problem = \"is empty in a required column\" if empty else f\"can't be converted: {{error}}\"\n        \
             raise CellError(row, column, value, problem) from None\n"
        ),
    });
    text
}

/// The end of `parse`: yields the row that `record` makes, or notes why it can't be made.
fn yield_rows(plan: &ParserPlan, indent: usize, record: &str) -> String {
    let pad = " ".repeat(indent);
    match plan.bad_cells {
        BadCells::Raise | BadCells::Plain => format!("{pad}yield {record}\n"),
        BadCells::Collect => format!(
            "{pad}try:\n{pad}    values = {record}\n{pad}except CellError as error:\n\
             {pad}    REJECTED.append(str(error))\n{pad}else:\n{pad}    yield values\n"
        ),
    }
}

/// The call of `convert` for one cell.
fn converted(plan: &ParserPlan, value: &str) -> String {
    match plan.bad_cells {
        BadCells::Plain => format!("convert(name, {value})"),
        _ => format!("convert(row, name, {value})"),
    }
}

/// How the file is opened.
fn open(plan: &ParserPlan, newline: bool) -> String {
    let encoding = literal::string(&plan.source.encoding);
    let newline = if newline { ", newline=\"\"" } else { "" };
    match plan.source.gzip {
        true => format!("gzip.open(file_path, \"rt\", encoding={encoding}{newline})"),
        false => format!("open(file_path, encoding={encoding}{newline})"),
    }
}

fn start(plan: &ParserPlan) -> &'static str {
    match plan.bad_cells {
        BadCells::Collect => "    REJECTED.clear()\n",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
