//! The tables, and the version of the database.

use mortise_executor::journal::ENTRY_FORMAT;

/// `mrtj`: SQLite keeps it in the header of the file.
pub(crate) const APPLICATION_ID: i64 = 0x6d72_746a;

/// The version of the tables.
const TABLES_VERSION: u32 = 1;

/// What the header of a database has that this version reads: the version of the tables, and that of the entries.
pub(crate) const VERSION: i64 = (TABLES_VERSION * 1000 + ENTRY_FORMAT) as i64;

/// - `runs`: what a list shows. `owner` names the mark of the process that runs it. `lost` is 1 when entries are missing.
/// - `entries`: JSON. `parts` names the values that were taken out of it, and their digests.
/// - `contents`: large values, each once. `uses` says which runs need them.
/// - `tools`, `run_tools`: which runs name or call which tool.
/// - `questions`: what people were asked about runs, and what they decided.
/// - `kept`: values that programs keep for later ones. `value` is JSON.
/// - `notes`: when the journal was last pruned.
pub(crate) const TABLES: &str = "
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    begun_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    owner TEXT,
    lost INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL,
    caller TEXT NOT NULL,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    begun TEXT NOT NULL,
    begun_parts TEXT,
    calls INTEGER NOT NULL DEFAULT 0,
    failed_calls INTEGER NOT NULL DEFAULT 0,
    wall_ms INTEGER,
    ended_ms INTEGER,
    error TEXT,
    bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_time ON runs (begun_ms);
CREATE INDEX runs_by_state ON runs (state, begun_ms);
CREATE INDEX runs_by_caller ON runs (caller, begun_ms);
CREATE TABLE entries (
    run INTEGER NOT NULL,
    position INTEGER NOT NULL,
    is_call INTEGER NOT NULL,
    entry TEXT NOT NULL,
    parts TEXT,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE contents (
    number INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    content BLOB NOT NULL
) STRICT;
CREATE TABLE uses (
    run INTEGER NOT NULL,
    content INTEGER NOT NULL,
    PRIMARY KEY (run, content)
) STRICT, WITHOUT ROWID;
CREATE INDEX uses_by_content ON uses (content);
CREATE TABLE tools (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE run_tools (
    run INTEGER NOT NULL,
    tool INTEGER NOT NULL,
    PRIMARY KEY (run, tool)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_tools_by_tool ON run_tools (tool, run);
CREATE TABLE questions (
    run TEXT NOT NULL,
    number INTEGER NOT NULL,
    asked_ms INTEGER NOT NULL,
    question TEXT NOT NULL,
    decision TEXT,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_open ON questions (asked_ms) WHERE decision IS NULL;
CREATE TABLE kept (
    caller TEXT NOT NULL,
    name TEXT NOT NULL,
    reason TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    shape TEXT NOT NULL,
    preview TEXT NOT NULL,
    kept_ms INTEGER NOT NULL,
    used_ms INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (caller, name)
) STRICT;
CREATE TABLE notes (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";
