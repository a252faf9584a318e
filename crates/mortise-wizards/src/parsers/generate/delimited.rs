//! `parse` for files of cells.

use super::{converted, open, start, yield_rows};
use crate::data::bounds::RECORD_BYTES;
use crate::parsers::plan::{BadCells, ColumnPlace, Delimited, ParserPlan};
use crate::python_literal as literal;

pub(super) fn parse(plan: &ParserPlan, dialect: &Delimited) -> String {
    let mut text = String::from(
        "def parse(file_path: str):\n    \"\"\"Yields one dict of typed values for each row.\"\"\"\n",
    );
    text.push_str(start(plan));
    // As long as a record may be for the readers here.
    let longest = RECORD_BYTES >> 20;
    text.push_str(&format!("    csv.field_size_limit({longest} << 20)  # instead of 128 KiB for one cell\n"));
    text.push_str(&format!("    with {} as file:\n", open(plan, true)));
    if dialect.skip_lines > 0 {
        text.push_str(&format!(
            "        for _ in range({}):  # lines before the table\n            next(file, None)\n",
            dialect.skip_lines
        ));
    }
    let lines = match &dialect.comment {
        Some(mark) => {
            text.push_str(&format!(
                "        lines = (line for line in file if not line.startswith({}))  # without comments\n",
                literal::string(mark)
            ));
            "lines"
        }
        None => "file",
    };
    text.push_str(&format!("        reader = csv.reader({lines}{})\n", reader_options(dialect)));
    let cells = match (dialect.cells, dialect.header) {
        (Some(cells), _) => Some(cells.to_string()),
        (None, true) => Some("len(header)".to_owned()),
        (None, false) => None,
    };
    let (width, pairs) = match named(plan).filter(|_| dialect.header) {
        Some(names) => {
            text.push_str(&header(plan, &names));
            let width = cells.clone().unwrap_or_else(|| "len(header)".to_owned());
            (width, "name, place in places.items()".to_owned())
        }
        None => {
            match (dialect.header, dialect.cells) {
                (true, None) => text.push_str("        header = next(reader, [])\n"),
                (true, Some(_)) => text.push_str("        next(reader, None)  # the header\n"),
                (false, _) => {}
            }
            (width(plan).to_string(), positional_pairs(plan))
        }
    };
    text.push_str("        for row, cells in enumerate(filter(None, reader), start=1):\n");
    if let Some(cells) = cells {
        text.push_str(&surplus(plan, dialect, &cells));
    }
    text.push_str(&format!(
        "            cells += [\"\"] * ({width} - len(cells))  # short rows end in empty cells\n"
    ));
    let record = format!("{{name: {} for {pairs}}}", converted(plan, "cells[place]"));
    text.push_str(&yield_rows(plan, 12, &record));
    text
}

/// Refuses a row with more cells than columns: a cell that is cut in two moves all that follow.
fn surplus(plan: &ParserPlan, dialect: &Delimited, cells: &str) -> String {
    // The reader does not see comments, so its lines are not those of the file.
    let line = match (&dialect.comment, dialect.skip_lines) {
        (Some(_), _) => String::new(),
        (None, 0) => ", line {reader.line_num}".to_owned(),
        (None, skipped) => format!(", line {{reader.line_num + {skipped}}}"),
    };
    let columns = dialect.cells.map_or_else(|| format!("{{{cells}}}"), |cells| cells.to_string());
    let message = format!("f\"row {{row}}{line}: {{len(cells)}} cells for {columns} columns\"");
    let refused = match plan.bad_cells {
        BadCells::Raise | BadCells::Plain => format!("raise ValueError({message})"),
        BadCells::Collect => format!("REJECTED.append({message})\n                continue"),
    };
    format!(
        "            if len(cells) > {cells} and any(map(str.strip, cells[{cells}:])):\n                {refused}\n"
    )
}

/// The source names if every column is found by its name.
fn named(plan: &ParserPlan) -> Option<Vec<&str>> {
    plan.columns
        .iter()
        .map(|column| match &column.place {
            ColumnPlace::Named(name) => Some(name.as_str()),
            ColumnPlace::Position(_) => None,
        })
        .collect()
}

/// Reads the header and finds the columns in it.
fn header(plan: &ParserPlan, names: &[&str]) -> String {
    let renamed = plan.columns.iter().zip(names).any(|(column, name)| column.name != *name);
    let mut text = String::from("        header = next(reader, [])\n");
    let (pairs, wanted) = match renamed {
        true => {
            let pairs: Vec<String> = plan
                .columns
                .iter()
                .zip(names)
                .map(|(column, name)| {
                    format!("            {}: {},\n", literal::string(&column.name), literal::string(name))
                })
                .collect();
            text.push_str(&format!(
                "        # Name in the output: name in the file.\n        names = {{\n{}        }}\n",
                pairs.concat()
            ));
            ("name: header.index(names[name]) for name in COLUMNS", "names.values()")
        }
        false => ("name: header.index(name) for name in COLUMNS", "COLUMNS"),
    };
    text.push_str("        if not header:\n            return\n");
    if plan.validate {
        text.push_str(&format!(
            "        missing = [name for name in {wanted} if name not in header]\n        if missing:\n            \
             raise LookupError(f\"the file has no column {{', '.join(map(repr, missing))}}\")\n"
        ));
    }
    text.push_str(&format!("        places = {{{pairs}}}\n"));
    text
}

fn place(plan: &ParserPlan, index: usize) -> usize {
    match plan.columns[index].place {
        ColumnPlace::Position(place) => place,
        ColumnPlace::Named(_) => index,
    }
}

fn width(plan: &ParserPlan) -> usize {
    (0..plan.columns.len()).map(|index| place(plan, index) + 1).max().unwrap_or(0)
}

/// Names and places, counted where every cell is a column.
fn positional_pairs(plan: &ParserPlan) -> String {
    let places: Vec<usize> = (0..plan.columns.len()).map(|index| place(plan, index)).collect();
    match places.iter().enumerate().all(|(index, place)| index == *place) {
        true => "place, name in enumerate(COLUMNS)".to_owned(),
        false => {
            let places: Vec<String> = places.iter().map(usize::to_string).collect();
            format!("place, name in zip([{}], COLUMNS)", places.join(", "))
        }
    }
}

fn reader_options(dialect: &Delimited) -> String {
    let mut options = String::new();
    if dialect.delimiter != ',' {
        options.push_str(&format!(", delimiter={}", literal::string(&dialect.delimiter.to_string())));
    }
    match dialect.quote {
        None => options.push_str(", quoting=csv.QUOTE_NONE"),
        Some('"') => {}
        Some(quote) => options.push_str(&format!(", quotechar={}", literal::string(&quote.to_string()))),
    }
    if dialect.quote.is_some() && dialect.backslash {
        options.push_str(", escapechar=\"\\\\\"");
    }
    options
}
