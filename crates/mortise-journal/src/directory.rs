//! The folder of a journal: which files it has, and how its database is opened.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mortise_client::private_file::{self, PrivateFileError};
use mortise_contract::file_access::FileAccess;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::journal_error::{DatabaseError, file_failed};
use crate::limits;
use crate::schema::{APPLICATION_ID, TABLES, VERSION};

const DATABASE: &str = "journal.db";
const MARKS: &str = "processes";
/// What SQLite puts behind the name of a database.
const COMPANIONS: [&str; 3] = ["", "-wal", "-shm"];

#[derive(Clone, Debug)]
pub(crate) struct JournalDirectory {
    path: PathBuf,
}

/// A database that can be written.
#[derive(Debug)]
pub(crate) struct OpenDatabase {
    pub(crate) connection: Connection,
    /// The write-ahead log, for those who wait until it is on the disk.
    pub(crate) log: Arc<File>,
    /// Which file it is, whatever its name is by now.
    pub(crate) inode: u64,
}

impl JournalDirectory {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Where the marks of processes are.
    pub(crate) fn marks(&self) -> PathBuf {
        self.path.join(MARKS)
    }

    /// Keeps other processes from making, replacing or cleaning anything here until it is dropped.
    pub(crate) fn lock(&self) -> Result<File, DatabaseError> {
        Ok(private_file::lock(&self.database())?)
    }

    /// Opens the database, and makes it where there is none. One that is broken is set aside first.
    pub(crate) fn open_or_create(&self) -> Result<OpenDatabase, DatabaseError> {
        let _lock = self.lock()?;
        match self.open_database() {
            Err(error) if error.is_corrupt() => {
                self.set_aside(&error)?;
                self.open_database()
            }
            result => result,
        }
    }

    /// A connection that reads and writes an existing database; `None` where there is none.
    pub(crate) fn open_existing(&self) -> Result<Option<Connection>, DatabaseError> {
        let path = self.database();
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(file_failed("read", &path)(error)),
            // It is being made.
            Ok(metadata) if metadata.len() == 0 && !self.companion(1).exists() => return Ok(None),
            Ok(_) => {}
        }
        check_access(&self.path)?;
        check_access(&path)?;
        let connection = match connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
            Err(DatabaseError::Sqlite(error))
                if matches!(
                    error.sqlite_error_code(),
                    Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly)
                ) =>
            {
                connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?
            }
            result => result?,
        };
        match version(&connection)? {
            DatabaseVersion::Ours => Ok(Some(connection)),
            DatabaseVersion::Empty => Ok(None),
        }
    }

    /// Whether the database at its path is still the one that was opened.
    pub(crate) fn is_current(&self, open: &OpenDatabase) -> bool {
        fs::metadata(self.database()).is_ok_and(|metadata| metadata.ino() == open.inode)
    }

    /// Moves a broken database away, so that a new one can begin.
    pub(crate) fn set_aside(&self, reason: &DatabaseError) -> Result<(), DatabaseError> {
        for number in (1..limits::SET_ASIDE).rev() {
            for index in 0..COMPANIONS.len() {
                rename_if_there(&self.damaged(number, index), &self.damaged(number + 1, index))?;
            }
        }
        for index in 0..COMPANIONS.len() {
            rename_if_there(&self.companion(index), &self.damaged(1, index))?;
        }
        tracing::warn!(
            kept_as = %self.damaged(1, 0).display(),
            error = %reason,
            "the journal of runs is damaged: it was set aside, and a new one begins"
        );
        Ok(())
    }

    fn open_database(&self) -> Result<OpenDatabase, DatabaseError> {
        let path = self.database();
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_access(&path)?,
            Err(error) => return Err(file_failed("create", &path)(error)),
        }
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        if let DatabaseVersion::Empty = version(&connection)? {
            connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        }
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        // The keeper moves the log into the database, so that no call waits for it.
        connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
        if let DatabaseVersion::Empty = version(&connection)? {
            create_tables(&connection)?;
        }
        let log_path = self.companion(1);
        let log = match File::open(&log_path) {
            Ok(log) => log,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // SQLite makes the log with the first write.
                note(&connection, "opened", 0)?;
                File::open(&log_path).map_err(file_failed("read", &log_path))?
            }
            Err(error) => return Err(file_failed("read", &log_path)(error)),
        };
        // The names of the files must survive the end of the machine, too.
        File::open(&self.path)
            .and_then(|folder| folder.sync_all())
            .map_err(file_failed("write", &self.path))?;
        let inode = fs::metadata(&path).map_err(file_failed("read", &path))?.ino();
        Ok(OpenDatabase { connection, log: Arc::new(log), inode })
    }

    fn companion(&self, index: usize) -> PathBuf {
        self.path.join(format!("{DATABASE}{}", COMPANIONS[index]))
    }

    fn damaged(&self, number: usize, index: usize) -> PathBuf {
        self.path.join(format!("{DATABASE}.damaged-{number}{}", COMPANIONS[index]))
    }
}

/// What a database says about itself.
enum DatabaseVersion {
    Empty,
    Ours,
}

fn version(connection: &Connection) -> Result<DatabaseVersion, DatabaseError> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    if application == APPLICATION_ID {
        return match version {
            VERSION => Ok(DatabaseVersion::Ours),
            found => Err(DatabaseError::OtherVersion { found }),
        };
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (application, tables) {
        (0, 0) => Ok(DatabaseVersion::Empty),
        _ => Err(DatabaseError::OtherProgram),
    }
}

fn create_tables(connection: &Connection) -> Result<(), DatabaseError> {
    let script = format!(
        "BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
    );
    connection.execute_batch(&script)?;
    Ok(())
}

/// Keeps a number under a name.
pub(crate) fn note(connection: &Connection, name: &str, value: u64) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO notes (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
    connection.execute(sql, rusqlite::params![name, i64::try_from(value).unwrap_or(i64::MAX)])?;
    Ok(())
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, DatabaseError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(limits::WRITE_TURN)?;
    // The keeper does it: the end of a process must not wait for the disk.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_prepared_statement_cache_capacity(32);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Refuses a file or folder that another user owns or can write.
fn check_access(path: &Path) -> Result<(), DatabaseError> {
    let metadata = fs::metadata(path).map_err(file_failed("read", path))?;
    let access = FileAccess { owner: metadata.uid(), mode: metadata.mode() };
    let (path, user) = (path.to_path_buf(), rustix::process::geteuid().as_raw());
    if access.is_foreign_to(user) {
        return Err(PrivateFileError::Foreign { path, owner: access.owner, user }.into());
    }
    match access.is_writable_by_others() {
        true => Err(PrivateFileError::Exposed { path, mode: access.permissions() }.into()),
        false => Ok(()),
    }
}

fn rename_if_there(from: &Path, to: &Path) -> Result<(), DatabaseError> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(file_failed("rename", from)(error)),
        _ => Ok(()),
    }
}
