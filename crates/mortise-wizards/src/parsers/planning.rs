//! From a file and its columns to a plan, and to the independent reading that the parser is compared with.

use std::collections::HashMap;

use tokio_util::sync::CancellationToken;

use crate::data::data_type::Column;
use crate::data::dialect::Escape;
use crate::data::encoding::Encoding;
use crate::data::fault::DataError;
use crate::data::nulls::NullTokens;
use crate::data::table::{FileFormat, Row, Rows, Table};
use crate::data::value::{Converter, ValueError};
use crate::parsers::plan::{
    BadCells, ColumnPlace, Delimited, ParserPlan, PlanColumn, PlanSource, SinkKind, SourceFormat,
};
use crate::parsers::reconcile::{Expected, ExpectedRow};

/// One column of a parser: what it is called in the file, and in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WantedColumn {
    /// Its name in the file, and how it is read.
    pub(crate) column: Column,
    /// Its name in the output, if another.
    pub(crate) rename_to: Option<String>,
}

impl WantedColumn {
    pub(crate) fn output_name(&self) -> &str {
        self.rename_to.as_deref().unwrap_or(&self.column.name)
    }

    pub(crate) fn output(&self) -> Column {
        Column { name: self.output_name().to_owned(), ..self.column.clone() }
    }
}

impl From<Column> for WantedColumn {
    fn from(column: Column) -> Self {
        Self { column, rename_to: None }
    }
}

/// What a plan has besides its file and columns.
#[derive(Clone, Debug)]
pub(crate) struct PlanChoices {
    pub(crate) name: String,
    /// Cells that stand for no value, instead of those that the format has.
    pub(crate) nulls: Option<NullTokens>,
    pub(crate) sink: SinkKind,
    /// The table of a database sink.
    pub(crate) table: Option<String>,
    pub(crate) bad_cells: BadCells,
    pub(crate) validate: bool,
    pub(crate) imports: Vec<String>,
}

/// The plan for a file that is there.
pub(crate) fn for_table(table: &Table, wanted: &[WantedColumn], choices: &PlanChoices) -> ParserPlan {
    let places = places(table, wanted);
    plan(source_of(table), places, wanted, choices)
}

/// The plan for files that were not read: columns are found by their names.
pub(crate) fn for_schema(format: SourceFormat, wanted: &[WantedColumn], choices: &PlanChoices) -> ParserPlan {
    let source = PlanSource { format, encoding: "utf-8-sig".to_owned(), gzip: false };
    let places = wanted.iter().map(|wanted| ColumnPlace::Named(wanted.column.name.clone())).collect();
    plan(source, places, wanted, choices)
}

fn plan(
    source: PlanSource,
    places: Vec<ColumnPlace>,
    wanted: &[WantedColumn],
    choices: &PlanChoices,
) -> ParserPlan {
    let columns = places.into_iter().zip(wanted).map(|(place, wanted)| PlanColumn {
        place,
        name: wanted.output_name().to_owned(),
        data_type: wanted.column.data_type,
        nullable: wanted.column.nullable,
        format: wanted.column.format.clone(),
        tolerant: false,
    });
    let nulls = choices.nulls.clone().unwrap_or_else(|| null_tokens(&source.format));
    ParserPlan {
        name: choices.name.clone(),
        source,
        columns: columns.collect(),
        nulls,
        sink: choices.sink,
        table: choices.table.clone(),
        bad_cells: choices.bad_cells,
        validate: choices.validate,
        imports: choices.imports.clone(),
    }
}

/// As [`Table::null_tokens`], for files that were not read.
fn null_tokens(format: &SourceFormat) -> NullTokens {
    match format {
        SourceFormat::Delimited(_) => NullTokens::default(),
        SourceFormat::Json | SourceFormat::Ndjson => NullTokens::only([]),
    }
}

fn source_of(table: &Table) -> PlanSource {
    let format = match (table.format(), table.dialect()) {
        (FileFormat::Json, _) => SourceFormat::Json,
        (FileFormat::Ndjson, _) => SourceFormat::Ndjson,
        (_, Some(dialect)) => SourceFormat::Delimited(Delimited {
            delimiter: dialect.delimiter,
            quote: dialect.quote,
            backslash: dialect.escape == Escape::Backslash,
            skip_lines: usize::try_from(dialect.skip_lines).unwrap_or(usize::MAX),
            comment: dialect.comment.map(String::from),
            header: dialect.has_header,
            cells: Some(table.columns().len()).filter(|cells| *cells != table.header().len()),
        }),
        (_, None) => SourceFormat::Delimited(Delimited::default()),
    };
    PlanSource { format, encoding: python_encoding(table), gzip: table.is_gzip() }
}

/// UTF-8 with or without a mark is read by one name, so that a parser also reads the next file.
fn python_encoding(table: &Table) -> String {
    match table.encoding().python_name().as_str() {
        "utf-8" => "utf-8-sig".to_owned(),
        other => other.to_owned(),
    }
}

/// Columns are found by the header's own text where that is unique for all of them, else by their place.
fn places(table: &Table, wanted: &[WantedColumn]) -> Vec<ColumnPlace> {
    if !table.format().is_delimited() {
        return wanted.iter().map(|wanted| ColumnPlace::Named(wanted.column.name.clone())).collect();
    }
    let header = table.header();
    let mut occurring: HashMap<&str, usize> = HashMap::new();
    header.iter().for_each(|name| *occurring.entry(name).or_default() += 1);
    let positions = positions(table);
    let by_name = |wanted: &WantedColumn| {
        let name = match positions.get(wanted.column.name.as_str()) {
            Some(index) => header.get(*index)?,
            None => &wanted.column.name,
        };
        let once = occurring.get(name.as_str()).is_none_or(|count| *count <= 1);
        (once && !name.is_empty()).then(|| ColumnPlace::Named(name.clone()))
    };
    if let Some(places) = wanted.iter().map(by_name).collect::<Option<Vec<_>>>()
        && !header.is_empty()
    {
        return places;
    }
    let by_place = |(index, wanted): (usize, &WantedColumn)| {
        ColumnPlace::Position(positions.get(wanted.column.name.as_str()).copied().unwrap_or(index))
    };
    wanted.iter().enumerate().map(by_place).collect()
}

/// Where each column of a table is; names occur once.
fn positions(table: &Table) -> HashMap<&str, usize> {
    table.columns().iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect()
}

/// An independent reading of a file: other code than the parser's, the same columns. Without `nulls` the format says
/// which words mean a missing value.
pub(crate) fn expected(
    table: &Table,
    wanted: &[WantedColumn],
    nulls: Option<&NullTokens>,
    stop: &CancellationToken,
) -> Result<Expected, DataError> {
    Ok(Box::new(reading(table, wanted, nulls, stop)?))
}

/// As [`expected`], with what it noticed on the way.
pub(crate) fn reading(
    table: &Table,
    wanted: &[WantedColumn],
    nulls: Option<&NullTokens>,
    stop: &CancellationToken,
) -> Result<TypedRows, DataError> {
    // A file without a header has no names to go by: columns are found by their place, as parsers find them.
    let headless = table.header().is_empty() && table.format().is_delimited();
    let positions = positions(table);
    let nulls = nulls.cloned().unwrap_or_else(|| table.null_tokens());
    let reader = |(index, wanted): (usize, &WantedColumn)| {
        let place = positions.get(wanted.column.name.as_str()).copied();
        let place = place.or_else(|| headless.then_some(index));
        (place, table.converter(place, &wanted.column, &nulls))
    };
    let readers: Vec<(Option<usize>, Converter)> = wanted.iter().enumerate().map(reader).collect();
    Ok(TypedRows {
        readers,
        is_object: !table.format().is_delimited(),
        width: table.columns().len(),
        rows: table.rows()?,
        row: Row::default(),
        stop: stop.clone(),
    })
}

/// The rows of a file with their types.
pub(crate) struct TypedRows {
    /// Where each column is, and what makes its cells values.
    readers: Vec<(Option<usize>, Converter)>,
    is_object: bool,
    width: usize,
    rows: Rows,
    row: Row,
    stop: CancellationToken,
}

impl TypedRows {
    /// How often bytes could not be decoded, so far.
    pub(crate) fn malformed(&self) -> u64 {
        self.rows.malformed()
    }
}

impl Iterator for TypedRows {
    type Item = Result<ExpectedRow, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.read(&mut self.row) {
            Ok(_) if self.stop.is_cancelled() => Some(Err(DataError::Canceled)),
            Ok(true) => Some(Ok(typed(&self.row, &self.readers, self.is_object, self.width))),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Why a cell has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CellFault {
    /// No cell of such a row can be relied on.
    #[error("the row has {} cells for {width} columns", width + surplus)]
    LongRow { width: usize, surplus: usize },
    #[error("the file has no such column")]
    NoColumn,
    #[error(transparent)]
    Value(#[from] ValueError),
}

fn typed(row: &Row, readers: &[(Option<usize>, Converter)], is_object: bool, width: usize) -> ExpectedRow {
    if let Some(surplus) = row.surplus() {
        // A cell that is cut in two moves all that follow, and it can't be known which one it was.
        return readers.iter().map(|_| Err(CellFault::LongRow { width, surplus })).collect();
    }
    let one = |(place, converter): &(Option<usize>, Converter)| {
        let cell = match place {
            Some(place) => row.cell(*place),
            None if is_object => None,
            None => return Err(CellFault::NoColumn),
        };
        // A row that ends early has empty cells, which a parser sees as empty text.
        let cell = if cell.is_none() && !is_object { Some("") } else { cell };
        Ok(converter.value(cell)?)
    };
    readers.iter().map(one).collect()
}

/// A file with the header and no rows.
pub(crate) fn header_only(table: Option<&Table>, plan: &ParserPlan) -> Vec<u8> {
    let text = match &plan.source.format {
        SourceFormat::Json => "[]".to_owned(),
        SourceFormat::Ndjson => "\n".to_owned(),
        SourceFormat::Delimited(dialect) => header_text(table, plan, dialect),
    };
    let bytes = encoded(&text, &plan.source.encoding);
    if plan.source.gzip { compressed(&bytes) } else { bytes }
}

/// A file with nothing in it.
pub(crate) fn empty(plan: &ParserPlan) -> Vec<u8> {
    if plan.source.gzip { compressed(&[]) } else { Vec::new() }
}

fn header_text(table: Option<&Table>, plan: &ParserPlan, dialect: &Delimited) -> String {
    let names: Vec<String> = match table.map(Table::header).filter(|header| !header.is_empty()) {
        Some(header) => header.to_vec(),
        None => plan.columns.iter().map(|column| column.name.clone()).collect(),
    };
    let quote = dialect.quote.unwrap_or('"');
    let quoted = |name: &String| match dialect.quote {
        Some(_) => format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}"))),
        None => name.clone(),
    };
    let line = names.iter().map(quoted).collect::<Vec<_>>().join(&dialect.delimiter.to_string());
    let skipped = "\n".repeat(dialect.skip_lines.min(100));
    if dialect.header { format!("{skipped}{line}\n") } else { skipped }
}

fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    match encoding {
        "utf-16" => {
            let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
            units.flat_map(u16::to_le_bytes).collect()
        }
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        other => Encoding::encode_for_python(text, other),
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;

    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
