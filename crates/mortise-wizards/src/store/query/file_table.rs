//! A Parquet, CSV or TSV file as a table of SQLite, read row by row while a query runs.

use std::cmp::Ordering;
use std::ffi::c_int;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::types::Null;
use rusqlite::vtab::{
    Context, Filters, IndexInfo, VTab, VTabConnection, VTabCursor, eponymous_only_module, sqlite3_vtab,
    sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error, Result};
use tokio_util::sync::CancellationToken;

use super::text::{KnownNames, QueryText, quoted};
use crate::data::data_type::DataType;
use crate::data::fault::DataError;
use crate::data::nulls::NullTokens;
use crate::data::schema::{InferOptions, infer};
use crate::data::table::{Row, Rows, Table};
use crate::data::value::{Converter, Value};
use crate::parsers::value::to_text;

/// The declared type that distinguishes truth values from numbers in a result.
pub(super) const BOOLEAN: &str = "BOOLEAN";

/// Rows between two checks of whether the caller still waits.
const ROWS_BETWEEN_CHECKS: u64 = 1024;

/// A file with the columns that a query can use.
pub(super) struct QueriedFile {
    table: Table,
    columns: Vec<QueriedColumn>,
    stop: CancellationToken,
    /// Why a row could not be read. SQLite reports no more than its text.
    fault: Mutex<Option<DataError>>,
}

struct QueriedColumn {
    /// In SQLite.
    name: String,
    place: usize,
    data_type: DataType,
    converter: Converter,
}

impl QueriedFile {
    /// The columns that the query names, and the first others, up to `most`.
    pub(super) fn new(
        table: Table,
        query: &QueryText<'_>,
        most: usize,
        stop: &CancellationToken,
    ) -> Result<Self, DataError> {
        let schema = infer(&table, &InferOptions::default(), stop)?;
        let nulls = NullTokens::only([String::new()]);
        let names = table.columns();
        let mut wanted: Vec<bool> =
            names.iter().map(|name| names.len() <= most || query.mentions(name)).collect();
        let mut room = most.saturating_sub(wanted.iter().filter(|wanted| **wanted).count());
        let mut columns: Vec<QueriedColumn> = Vec::new();
        for (place, mut column) in schema.parser_columns().into_iter().enumerate() {
            if !wanted[place] && room > 0 {
                (wanted[place], room) = (true, room - 1);
            }
            if wanted[place] && columns.len() < most {
                column.nullable = true;
                let name = unlike(&names[place], &columns);
                let converter = Converter::new(&column, &nulls);
                columns.push(QueriedColumn { name, place, data_type: column.data_type, converter });
            }
        }
        Ok(Self { table, columns, stop: stop.clone(), fault: Mutex::new(None) })
    }

    pub(super) fn known_names(&self, table: String) -> KnownNames {
        let own = |column: &QueriedColumn| self.table.columns()[column.place].clone();
        let is_renamed = |column: &&QueriedColumn| self.table.columns()[column.place] != column.name;
        let is_boolean = |column: &&QueriedColumn| column.data_type == DataType::Boolean;
        KnownNames {
            table,
            columns: self.table.columns().to_vec(),
            renamed: self
                .columns
                .iter()
                .filter(is_renamed)
                .map(|column| (own(column), column.name.clone()))
                .collect(),
            booleans: self.columns.iter().filter(is_boolean).map(own).collect(),
        }
    }

    /// How many columns SQLite knows.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Why a row could not be read, once.
    pub(super) fn take_fault(&self) -> Option<DataError> {
        self.fault.lock().take()
    }

    fn declaration(&self) -> String {
        let column = |column: &QueriedColumn| {
            let declared = match column.data_type {
                DataType::Boolean => BOOLEAN,
                DataType::Int64 | DataType::Int32 => "INTEGER",
                DataType::Float64 | DataType::Float32 => "REAL",
                DataType::Timestamp => "TEXT COLLATE moment",
                DataType::Date | DataType::Time | DataType::String | DataType::Binary => "TEXT",
            };
            format!("{} {declared}", quoted(&column.name))
        };
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        format!("CREATE TABLE x({})", columns.join(", "))
    }

    fn failed(&self, error: DataError) -> Error {
        let reason = error.to_string();
        *self.fault.lock() = Some(error);
        Error::ModuleError(reason)
    }
}

/// The name, with a number where SQLite can't tell it from one that is there.
fn unlike(name: &str, columns: &[QueriedColumn]) -> String {
    let is_taken = |name: &str| columns.iter().any(|own| own.name.eq_ignore_ascii_case(name));
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// Lets queries of this connection read the file under a name.
pub(super) fn offer_file(connection: &Connection, name: &str, file: &Arc<QueriedFile>) -> Result<()> {
    connection.create_collation("moment", compare_moments)?;
    connection.create_module(name, eponymous_only_module::<FileTab>(), Some(Arc::clone(file)))
}

/// `…:00.5Z` is after `…:00Z`, though `.` is before `Z`.
pub(super) fn compare_moments(left: &str, right: &str) -> Ordering {
    left.trim_end_matches('Z').cmp(right.trim_end_matches('Z')).then_with(|| left.cmp(right))
}

#[repr(C)]
struct FileTab {
    base: sqlite3_vtab,
    file: Arc<QueriedFile>,
}

#[expect(unsafe_code, reason = "SQLite's part of the struct is its first field, as the trait asks")]
// SAFETY: the struct is `repr(C)` and begins with `sqlite3_vtab`.
unsafe impl VTab<'_> for FileTab {
    type Aux = Arc<QueriedFile>;
    type Cursor = FileCursor;

    fn connect(_: &mut VTabConnection, file: Option<&Self::Aux>, _: &[&[u8]]) -> Result<(String, Self)> {
        let file = file.ok_or_else(|| Error::ModuleError("there is no file".to_owned()))?;
        Ok((file.declaration(), Self { base: sqlite3_vtab::default(), file: Arc::clone(file) }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<()> {
        info.set_estimated_cost(1e6);
        Ok(())
    }

    fn open(&mut self) -> Result<FileCursor> {
        Ok(FileCursor {
            base: sqlite3_vtab_cursor::default(),
            file: Arc::clone(&self.file),
            rows: None,
            row: Row::default(),
        })
    }
}

#[repr(C)]
struct FileCursor {
    base: sqlite3_vtab_cursor,
    file: Arc<QueriedFile>,
    /// `None` when there are no more.
    rows: Option<Rows>,
    row: Row,
}

impl FileCursor {
    fn advance(&mut self) -> Result<(), DataError> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        if rows.count().is_multiple_of(ROWS_BETWEEN_CHECKS) && self.file.stop.is_cancelled() {
            return Err(DataError::Canceled);
        }
        if !rows.read(&mut self.row)? {
            self.rows = None;
        }
        Ok(())
    }
}

#[expect(unsafe_code, reason = "SQLite's part of the struct is its first field, as the trait asks")]
// SAFETY: the struct is `repr(C)` and begins with `sqlite3_vtab_cursor`.
unsafe impl VTabCursor for FileCursor {
    fn filter(&mut self, _: c_int, _: Option<&str>, _: &Filters<'_>) -> Result<()> {
        self.rows = Some(self.file.table.rows().map_err(|error| self.file.failed(error))?);
        self.next()
    }

    fn next(&mut self) -> Result<()> {
        self.advance().map_err(|error| self.file.failed(error))
    }

    fn eof(&self) -> bool {
        self.rows.is_none()
    }

    fn column(&self, context: &mut Context, place: c_int) -> Result<()> {
        let column = usize::try_from(place).ok().and_then(|place| self.file.columns.get(place));
        let Some(column) = column else { return context.set_result(&Null) };
        let cell = self.row.cell(column.place);
        match column.converter.value(cell) {
            Ok(Value::Null) => context.set_result(&Null),
            Ok(Value::Boolean(truth)) => context.set_result(&truth),
            Ok(Value::Integer(number)) => context.set_result(&number),
            Ok(Value::Float(number)) => context.set_result(&number),
            Ok(value) => context.set_result(&to_text(&value)),
            // The type was inferred from the beginning of the file: what does not fit it is text.
            Err(_) => context.set_result(&cell),
        }
    }

    fn rowid(&self) -> Result<i64> {
        let count = self.rows.as_ref().map_or(0, Rows::count);
        Ok(i64::try_from(count).unwrap_or(i64::MAX))
    }
}
