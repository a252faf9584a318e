//! SQL over the tables of one file, run by SQLite, which reads and can do nothing else.

mod file_table;
mod guard;
mod text;

use std::sync::Arc;

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Statement};
use tokio_util::sync::CancellationToken;

use self::file_table::{BOOLEAN, QueriedFile, offer_file};
use self::guard::{ReadableTable, allow_only_reading};
use self::text::KnownNames;
use super::database::OpenDatabase;
use crate::data::bounds::shown;
use crate::data::fault::DataError;
use crate::data::table::Table;
use crate::data::value::Value;
use crate::limits::WIZARD_QUERY_BYTES;

pub(crate) use self::guard::bounded_connection;
pub(crate) use self::text::{QueryText, quoted};

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueryError {
    #[error("the query has more than 10000 bytes")]
    TooLong,
    #[error("only one statement is possible")]
    SeveralStatements,
    #[error("`{word}` is not possible here: a query begins with SELECT and only reads")]
    NotARead { word: String },
    #[error("the database has {} tables", tables.len())]
    NoTableNamed { tables: Vec<String> },
    #[error("the database has no table `{}`", shown(name))]
    NoSuchTable { name: String, tables: Vec<String> },
    #[error("there is no column `{}`", shown(name))]
    NoSuchColumn { name: String, columns: Vec<String> },
    #[error("there is no table `{}`: the file is one table", shown(name))]
    OnlyOneTable { name: String },
    #[error("{reason}")]
    Invalid { reason: String },
    #[error("{reason}: a query reads tables, with functions such as count, sum, round and strftime")]
    NotAllowed { reason: String },
    /// By sorting, grouping or joining.
    #[error("the query needs more than {WIZARD_QUERY_BYTES} bytes of memory")]
    TooMuchMemory,
    #[error(transparent)]
    Data(#[from] DataError),
    #[error("the query could not be finished")]
    Sqlite(#[from] rusqlite::Error),
}

/// The tables of one file, ready for one query.
pub(crate) struct QuerySource {
    connection: Connection,
    known: KnownNames,
    /// `None` for a database.
    file: Option<Arc<QueriedFile>>,
    tables: Vec<String>,
}

impl QuerySource {
    /// A Parquet, CSV or TSV file: one table, under whatever name the query has for it.
    pub(crate) fn file(
        table: Table,
        query: &QueryText<'_>,
        stop: &CancellationToken,
    ) -> Result<Self, QueryError> {
        let connection = bounded_connection(stop)?;
        let most = usize::try_from(connection.limit(Limit::SQLITE_LIMIT_COLUMN)?).unwrap_or(0);
        let file = Arc::new(QueriedFile::new(table, query, most, stop)?);
        let name = query.table().unwrap_or_else(|| "file".to_owned());
        offer_file(&connection, &name, &file)?;
        let readable = ReadableTable { name: name.clone(), computed: Vec::new() };
        allow_only_reading(&connection, vec![readable])?;
        let known = file.known_names(name.clone());
        Ok(Self { connection, known, file: Some(file), tables: vec![name] })
    }

    /// The tables of an SQLite database.
    pub(crate) fn database(database: OpenDatabase, query: &QueryText<'_>) -> Result<Self, QueryError> {
        let OpenDatabase { connection, tables } = database;
        let mut known = KnownNames::default();
        let mut readable = Vec::new();
        let named = |table: &&String| query.mentions(table) || (tables.len() == 1 && query.table().is_none());
        for table in tables.iter().filter(named) {
            let (stored, computed) = OpenDatabase::columns(&connection, table)?;
            if !computed.is_empty() {
                let columns: Vec<String> = stored.iter().map(|column| quoted(column)).collect();
                let (table, columns) = (quoted(table), columns.join(", "));
                let view = format!("CREATE TEMP VIEW {table} AS SELECT {columns} FROM main.{table}");
                connection.execute_batch(&view)?;
            }
            known.columns.extend(stored);
            readable.push(ReadableTable { name: table.clone(), computed });
        }
        if query.table().is_none() {
            match tables.as_slice() {
                [only] => known.table.clone_from(only),
                _ => return Err(QueryError::NoTableNamed { tables }),
            }
        }
        allow_only_reading(&connection, readable)?;
        Ok(Self { connection, known, file: None, tables })
    }

    /// Prepares the query for at most `most` rows.
    pub(crate) fn select(
        &self,
        query: &QueryText<'_>,
        most: usize,
    ) -> Result<QuerySelection<'_>, QueryError> {
        let limit = query.limit().map_or(most, |own| own.min(most));
        let statement = self.connection.prepare(&query.for_sqlite(&self.known, limit)).or_else(|error| {
            if !is_syntax_error(&error) {
                return Err(error);
            }
            let bare = query.with_bare_columns(&self.known.columns).for_sqlite(&self.known, limit);
            // Errors show the query as written.
            let as_written = || self.connection.prepare(query.sql()).err().filter(is_syntax_error);
            self.connection.prepare(&bare).map_err(|_| as_written().unwrap_or(error))
        });
        let statement = statement.map_err(|error| self.explained(error))?;
        let mut columns = Vec::new();
        let mut is_boolean = Vec::new();
        for column in statement.columns() {
            let renamed = self.known.renamed.iter().find(|(_, internal)| internal == column.name());
            columns.push(renamed.map_or_else(|| column.name().to_owned(), |(own, _)| own.clone()));
            is_boolean.push(self.file.is_some() && column.decl_type() == Some(BOOLEAN));
        }
        // A query that gives every column that SQLite knows would give those that it can't know as well.
        let unknown = match &self.file {
            Some(file) if columns.len() >= file.width() => self.known.columns.len() - file.width(),
            _ => 0,
        };
        Ok(QuerySelection { source: self, statement, columns, is_boolean, columns_left_out: unknown, limit })
    }

    fn explained(&self, error: rusqlite::Error) -> QueryError {
        if let Some(fault) = self.file.as_ref().and_then(|file| file.take_fault()) {
            return fault.into();
        }
        let Some((code, reason)) = told(&error) else { return error.into() };
        if let Some(name) = reason.strip_prefix("no such table: ") {
            let name = name.to_owned();
            return match self.file {
                Some(_) => QueryError::OnlyOneTable { name },
                None => QueryError::NoSuchTable { name, tables: self.tables.clone() },
            };
        }
        if let Some(name) = reason.strip_prefix("no such column: ") {
            // SQLite asks whether a name in double quotes was meant as a text.
            let name = name.split(" - should this be").next().unwrap_or_default().trim_matches('"');
            return QueryError::NoSuchColumn { name: name.to_owned(), columns: self.known.columns.clone() };
        }
        match code {
            ErrorCode::OutOfMemory => QueryError::TooMuchMemory,
            ErrorCode::OperationInterrupted => DataError::Canceled.into(),
            ErrorCode::AuthorizationForStatementDenied => {
                QueryError::NotAllowed { reason: reason.to_owned() }
            }
            // A function, unlike a table, is refused with an ordinary error.
            ErrorCode::Unknown if reason.starts_with("not authorized") => {
                QueryError::NotAllowed { reason: reason.to_owned() }
            }
            ErrorCode::Unknown | ErrorCode::TooBig => QueryError::Invalid { reason: reason.to_owned() },
            _ => error.into(),
        }
    }
}

/// What SQLite says about an error.
fn told(error: &rusqlite::Error) -> Option<(ErrorCode, &str)> {
    match error {
        rusqlite::Error::SqlInputError { error, msg, .. } => Some((error.code, msg)),
        rusqlite::Error::SqliteFailure(error, reason) => {
            Some((error.code, reason.as_deref().unwrap_or_default()))
        }
        _ => None,
    }
}

fn is_syntax_error(error: &rusqlite::Error) -> bool {
    told(error).is_some_and(|(_, reason)| {
        reason.ends_with("syntax error")
            || reason == "incomplete input"
            || reason.starts_with("unrecognized token")
    })
}

/// The rows that a query selects.
pub(crate) struct QuerySelection<'a> {
    source: &'a QuerySource,
    statement: Statement<'a>,
    /// The names of the columns.
    pub(crate) columns: Vec<String>,
    is_boolean: Vec<bool>,
    /// Columns of `*` beyond what a table of SQLite can have.
    pub(crate) columns_left_out: usize,
    limit: usize,
}

impl QuerySelection<'_> {
    /// Gives every row to `take`, and returns whether there are more than were asked for.
    pub(crate) fn each_row(mut self, mut take: impl FnMut(Vec<Value>)) -> Result<bool, QueryError> {
        let source = self.source;
        let failed = |error| source.explained(error);
        let mut rows = self.statement.query([]).map_err(failed)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            if count == self.limit {
                return Ok(true);
            }
            count += 1;
            let cells = self.is_boolean.iter().enumerate();
            let values = cells.map(|(place, is_boolean)| Ok(typed(row.get_ref(place)?, *is_boolean)));
            take(values.collect::<Result<_, rusqlite::Error>>().map_err(failed)?);
        }
        Ok(false)
    }
}

fn typed(cell: ValueRef<'_>, is_boolean: bool) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number @ (0 | 1)) if is_boolean => Value::Boolean(number == 1),
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Float(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

#[cfg(test)]
mod tests;
