//! What a query may do: read the tables that it was given, within bounds of time and memory.

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Result};
use tokio_util::sync::CancellationToken;

use crate::limits::{WIZARD_DATABASE_BYTES, WIZARD_QUERY_BYTES};

/// Steps of SQLite between two checks of whether the caller still waits.
const STEPS_BETWEEN_CHECKS: i32 = 10_000;

/// Functions that take a time in proportion to their arguments. `instr`, `replace` and `trim` with two arguments take
/// the product of their lengths, which no check interrupts.
const FUNCTIONS: &str = "abs avg coalesce count cume_dist date datetime dense_rank first_value glob group_concat if \
    ifnull iif julianday lag last_value lead length like likelihood likely lower max min nth_value ntile nullif \
    octet_length percent_rank quote rank round row_number sign strftime string_agg substr substring sum time total \
    typeof unixepoch unlikely upper";

/// A table that may be read.
#[derive(Clone, Debug)]
pub(super) struct ReadableTable {
    pub name: String,
    /// Its columns that are expressions, which may take any time and memory.
    pub computed: Vec<String>,
}

/// A connection without a database that stops when `stop` fires, and keeps everything in memory.
///
/// The bound on memory holds for all connections of the process together, since SQLite counts no other way.
pub(crate) fn bounded_connection(stop: &CancellationToken) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    let stop = stop.clone();
    connection.progress_handler(STEPS_BETWEEN_CHECKS, Some(move || stop.is_cancelled()))?;
    let bytes = i64::try_from(WIZARD_QUERY_BYTES).unwrap_or(i64::MAX);
    connection.pragma_update_and_check(None, "hard_heap_limit", bytes, |_| Ok(()))?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "case_sensitive_like", true)?;
    let longest = i32::try_from(WIZARD_DATABASE_BYTES).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Else a column that is not there would be a text.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    Ok(connection)
}

/// From now on only these tables can be read, and nothing else can be done.
pub(super) fn allow_only_reading(connection: &Connection, tables: Vec<ReadableTable>) -> Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    connection.authorizer(Some(move |context: AuthContext<'_>| match is_allowed(&tables, context.action) {
        true => Authorization::Allow,
        false => Authorization::Deny,
    }))
}

fn is_allowed(tables: &[ReadableTable], action: AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select => true,
        AuthAction::Function { function_name } => {
            FUNCTIONS.split(' ').any(|own| own.eq_ignore_ascii_case(function_name))
        }
        AuthAction::Read { table_name, column_name } => {
            let table = tables.iter().find(|table| table.name.eq_ignore_ascii_case(table_name));
            table.is_some_and(|table| !table.computed.iter().any(|own| own.eq_ignore_ascii_case(column_name)))
        }
        _ => false,
    }
}
