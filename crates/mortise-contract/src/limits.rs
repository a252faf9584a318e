//! The limits of the system, in one table; a crate above may have a table of its own.

use std::time::Duration;

/// One limit as shown by `mortise doctor --limits` and in the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// `program`, `upstream`, `tester`, `wizards`, `config`, `schema`, `http`, `server`, `declare`, `formats`, `name`.
    pub area: &'static str,
    /// What is limited.
    pub name: &'static str,
    /// The value with its unit, for a person.
    pub value: &'static str,
    /// The setting that changes it, if there is one.
    pub setting: Option<&'static str>,
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

macro_rules! limits {
    ($($(#[doc = $doc:literal])* $constant:ident: $type:ty = $value:expr, $area:literal, $name:literal, $shown:literal, $setting:expr;)*) => {
        $($(#[doc = $doc])* pub const $constant: $type = $value;)*

        /// All of them, in the order in which they are shown.
        pub const LIMITS: &[Limit] =
            &[$(Limit { area: $area, name: $name, value: $shown, setting: $setting },)*];

        /// What each of [`LIMITS`] is in the code.
        #[cfg(test)]
        const NUMBERS: &[&dyn tests::Number] = &[$(&$constant,)*];
    };
}

limits! {
    /// Wall clock of one program.
    PROGRAM_WALL: Duration = Duration::from_secs(120), "program", "wall clock", "120 s", Some("execution.timeout_seconds");
    /// The longest wall clock that can be set.
    PROGRAM_WALL_MAX: Duration = Duration::from_secs(600), "program", "wall clock that can be set", "600 s", None;
    /// Memory of one program.
    PROGRAM_MEMORY: usize = 256 * MIB, "program", "memory", "256 MiB", Some("execution.max_memory_bytes");
    /// Source text of one program.
    PROGRAM_SOURCE: usize = 256 * KIB, "program", "source", "256 KiB", Some("execution.max_source_bytes");
    /// Printed output kept.
    PROGRAM_OUTPUT: usize = 64 * KIB, "program", "output kept", "64 KiB", Some("execution.max_output_bytes");
    /// Printed output after which a program is stopped.
    PROGRAM_FLOOD: usize = 16 * MIB, "program", "output before it is stopped", "16 MiB", None;
    /// Tool calls of one program.
    PROGRAM_CALLS: usize = 1_000, "program", "tool calls", "1,000", Some("execution.max_tool_calls");
    /// Tool calls of one program at the same time; the rest wait.
    PROGRAM_CALLS_IN_FLIGHT: usize = 16, "program", "tool calls in flight", "16", Some("execution.max_concurrent_calls");
    /// One tool call.
    CALL_TIME: Duration = Duration::from_secs(60), "program", "one tool call", "60 s", Some("execution.tool_call_timeout_seconds");
    /// One tool result on its way into a program.
    PROGRAM_RESULT: usize = 16 * MIB, "program", "one result into a program", "16 MiB", Some("execution.max_tool_result_bytes");
    /// The arguments of one tool call.
    PROGRAM_ARGUMENTS: usize = 16 * MIB, "program", "arguments of one call", "16 MiB", None;
    /// What a program emits as its result.
    PROGRAM_EMITTED: usize = MIB, "program", "emitted result", "1 MiB", Some("execution.max_emitted_bytes");
    /// Images and sounds that a program emits, all together, as Base64.
    PROGRAM_MEDIA: usize = 8 * MIB, "program", "emitted images and sounds, together", "8 MiB", None;
    /// Images and sounds that a program emits.
    PROGRAM_MEDIA_BLOCKS: usize = 20, "program", "emitted images and sounds", "20", None;
    /// Levels of a JSON value: nested containers plus one.
    JSON_DEPTH: usize = 128, "program", "nesting of a JSON value", "128 levels", None;
    /// Programs running at once, per core.
    PROGRAMS_PER_CORE: usize = 2, "program", "running at once", "2 per core", Some("execution.max_running");
    /// Programs waiting; the next is refused.
    PROGRAMS_WAITING: usize = 2_000, "program", "waiting", "2,000", Some("execution.max_waiting");
    /// Memory of all programs together.
    PROGRAMS_MEMORY: usize = 2_048 * MIB, "program", "memory of all together", "2 GiB", Some("execution.max_total_memory_bytes");
    /// The check of one program. Then its process is killed, and the program counts as not checked.
    CHECK_TIME: Duration = Duration::from_secs(2), "program", "check before the run", "2 s", None;
    /// The time in which a check must begin; then the program counts as not checked.
    CHECK_TURN: Duration = Duration::from_secs(2), "program", "waiting for the check to begin", "2 s", None;
    /// Programs waiting to be checked; the session with the most of them gives up its newest.
    CHECKS_WAITING: usize = 256, "program", "waiting to be checked", "256", None;
    /// Checker's processes: one that stays, others while checks take long.
    CHECKERS: usize = 3, "program", "type checker processes", "3", None;
    /// Address space of a checker's process; a check that needs more ends it.
    CHECKER_MEMORY: usize = 512 * MIB, "program", "address space of a type checker process", "512 MiB", None;
    /// Resident memory after a check at which a checker's process is replaced.
    CHECKER_RESIDENT: usize = 192 * MIB, "program", "memory at which a type checker process is replaced", "192 MiB", None;
    /// Nesting of a program that is checked; a deeper one runs unchecked.
    CHECK_LEVELS: usize = 250, "program", "nesting of a program that is checked", "250 levels", None;

    /// From starting a server to its first answer.
    UPSTREAM_START: Duration = Duration::from_secs(30), "upstream", "start", "30 s", Some("servers.*.start_timeout_seconds");
    /// How long the first list of `mortise serve` waits for servers that start and whose tools are not known yet.
    FIRST_LIST: Duration = Duration::from_secs(5), "upstream", "first list of tools, waiting for servers that start", "5 s", None;
    /// The list of one server in the cache; a larger one is not written.
    CACHED_LIST_BYTES: usize = 4 * MIB, "upstream", "cached list of a server", "4 MiB", None;
    /// Lists in the cache; the oldest go.
    CACHED_LISTS: usize = 256, "upstream", "cached lists", "256", None;
    /// Pages of one list.
    LIST_PAGES: usize = 1_000, "upstream", "pages of a list", "1,000", None;
    /// Tools of one server.
    LIST_TOOLS: usize = 50_000, "upstream", "tools of a server", "50,000", None;
    /// One message.
    FRAME_BYTES: usize = 64 * MIB, "upstream", "one message", "64 MiB", None;
    /// Calls of one server at the same time; the rest wait in order. Over HTTP a session has at most half of what the
    /// other sessions leave.
    UPSTREAM_CALLS_IN_FLIGHT: usize = 64, "upstream", "calls in flight", "64", Some("servers.*.in_flight");
    /// The size from which a result is large: of those few are judged at once, since each takes many times its size.
    LARGE_RESULT: usize = MIB, "upstream", "a result that is large", "1 MiB", None;
    /// Large results of all servers that are judged at once; the rest wait in order. Over HTTP a session has at most
    /// half of what the other sessions leave.
    LARGE_RESULTS_JUDGED: usize = 2, "upstream", "large results judged at once", "2", None;
    /// Restarts in a minute; then a pause.
    UPSTREAM_RESTARTS: usize = 5, "upstream", "restarts in a minute", "5", None;
    /// The pause after too many restarts.
    UPSTREAM_PAUSE: Duration = Duration::from_secs(30), "upstream", "pause after too many restarts", "30 s", None;
    /// Standard error kept of one server.
    UPSTREAM_STDERR: usize = 64 * KIB, "upstream", "standard error kept", "64 KiB", None;
    /// Finding out which protocol era a server speaks.
    UPSTREAM_PROBE: Duration = Duration::from_secs(3), "upstream", "answer to the probe for the protocol, from the first read of a process", "3 s", None;
    /// All pages of one list together.
    LIST_TIME: Duration = Duration::from_secs(30), "upstream", "reading a list", "30 s", None;
    /// The cursor of a page.
    CURSOR_BYTES: usize = 64 * KIB, "upstream", "cursor of a list", "64 KiB", None;
    /// The time between two lists that a server asks for; changes meanwhile are taken together.
    RELIST_PAUSE: Duration = Duration::from_secs(2), "upstream", "pause between two lists", "2 s", None;
    /// Messages that wait for a server to read them.
    UPSTREAM_QUEUE: usize = 256, "upstream", "messages waiting to be read", "256", None;
    /// A message that a server leaves unread; then the connection is given up.
    UPSTREAM_STALL: Duration = Duration::from_secs(60), "upstream", "a message left unread", "60 s", None;
    /// Notifications handed on in a second; the rest are counted.
    NOTIFICATIONS_PER_SECOND: u32 = 1_000, "upstream", "notifications in a second", "1,000", None;
    /// Lines in a row that are no messages; then the connection is given up.
    UPSTREAM_NOISE: u64 = 10_000, "upstream", "lines of noise in a row", "10,000", None;
    /// Faults of a server kept word for word; all are counted.
    FAULTS_KEPT: usize = 100, "upstream", "protocol faults kept", "100", None;
    /// Requests of one server open at once.
    UPSTREAM_ASKS: usize = 64, "upstream", "requests of a server open at once", "64", None;
    /// Rounds of input that a server may ask for during a call.
    INPUT_ROUNDS: usize = 10, "upstream", "rounds of input", "10", None;
    /// Redirects followed for one request, all within its origin.
    REDIRECTS: usize = 3, "upstream", "redirects", "3", None;
    /// Connecting to an HTTP server.
    HTTP_CONNECT: Duration = Duration::from_secs(10), "upstream", "connecting over HTTP", "10 s", None;
    /// From the end of its input to SIGTERM, and from there to SIGKILL.
    UPSTREAM_GRACE: Duration = Duration::from_secs(2), "upstream", "ending by itself, and after SIGTERM", "2 s each", None;

    /// Servers that one caller of a tester is connected to at once.
    TESTER_CONNECTIONS: usize = 16, "tester", "connections of a caller", "16", None;
    /// Servers that all callers of a tester are connected to at once.
    TESTER_CONNECTIONS_TOTAL: usize = 256, "tester", "connections of all callers", "256", None;
    /// A caller over HTTP that does not call; then its connections end.
    TESTER_IDLE: Duration = Duration::from_secs(1_800), "tester", "connections of a caller over HTTP that does not call", "1,800 s", None;
    /// The longest time that a caller can give a request or a connection.
    TESTER_TIME_MAX: Duration = Duration::from_secs(600), "tester", "time that can be asked for", "600 s", None;
    /// Notifications and requests of a server kept; the oldest go.
    TESTER_NOTIFICATIONS: usize = 200, "tester", "notifications kept", "200", None;
    /// One notification that is kept whole; of a larger one its size is kept.
    TESTER_NOTIFICATION_BYTES: usize = 16 * KIB, "tester", "one notification kept", "16 KiB", None;
    /// Requests with their answers kept; the oldest go.
    TESTER_EXCHANGES: usize = 100, "tester", "raw exchanges kept", "100", None;
    /// All of them together.
    TESTER_EXCHANGE_BYTES: usize = 16 * MIB, "tester", "raw exchanges kept, together", "16 MiB", None;

    /// One call of a wizard that answers while its caller waits.
    WIZARD_TIME: Duration = Duration::from_secs(300), "wizards", "one call", "300 s", None;
    /// One call that reads or writes whole files: a pipeline, a backtest, a discovery.
    WIZARD_LONG_TIME: Duration = Duration::from_secs(900), "wizards", "one pipeline, backtest or discovery", "900 s", Some("wizards.timeout_seconds");
    /// The longest time that can be set.
    WIZARD_LONG_TIME_MAX: Duration = Duration::from_secs(86_400), "wizards", "pipeline, backtest or discovery that can be set", "86,400 s", None;
    /// One query of a table.
    WIZARD_QUERY_TIME: Duration = Duration::from_secs(30), "wizards", "one query", "30 s", None;
    /// Bytes of all tables that one pipeline writes.
    WIZARD_OUTPUT_BYTES: u64 = 4096 * MIB as u64, "wizards", "tables of one pipeline", "4 GiB", Some("wizards.max_output_bytes");
    /// Decoded text from which the dialect and the encoding of a file are sniffed.
    WIZARD_SAMPLE_BYTES: usize = MIB, "wizards", "beginning of a file that is sniffed", "1 MiB", None;
    /// One record, line or JSON value of a file; a longer one is no data but a fault or an attack.
    WIZARD_RECORD_BYTES: u64 = 16 * MIB as u64, "wizards", "one record of a file", "16 MiB", None;
    /// Columns of one table.
    WIZARD_COLUMNS: usize = 10_000, "wizards", "columns of a table", "10,000", None;
    /// Lines before a table that are skipped at most.
    WIZARD_PREAMBLE_LINES: u64 = 100, "wizards", "lines before a table", "100", None;
    /// What a compressed file may become before its ratio is judged.
    WIZARD_INFLATED_BYTES: u64 = 64 * MIB as u64, "wizards", "uncompressed file whose growth is not judged", "64 MiB", None;
    /// How many times larger than its compressed form a larger file may be.
    WIZARD_INFLATION: u64 = 200, "wizards", "growth of a larger compressed file, on the way", "200 times", None;
    /// The footer of a Parquet file.
    WIZARD_FOOTER_BYTES: u64 = 64 * MIB as u64, "wizards", "footer of a Parquet file", "64 MiB", None;
    /// One page of a Parquet file, before and after it is uncompressed. DuckDB writes up to 100 MB.
    WIZARD_PAGE_BYTES: u64 = 128 * MIB as u64, "wizards", "page of a Parquet file", "128 MiB", None;
    /// The pages of a row group that are open at once, one of each column, and what is decoded of them.
    WIZARD_OPEN_PAGES_BYTES: u64 = 512 * MIB as u64, "wizards", "open pages of a Parquet file, together", "512 MiB", None;
    /// An SQLite database that is queried: it is held in memory.
    WIZARD_DATABASE_BYTES: u64 = 256 * MIB as u64, "wizards", "SQLite database that is queried", "256 MiB", None;
    /// Rows of a scan's listing; more files are counted.
    WIZARD_LISTED_FILES: usize = 10_000, "wizards", "files listed by a scan", "10,000", None;
    /// Tables of a database.
    WIZARD_TABLES: u32 = 10_000, "wizards", "tables of a database", "10,000", None;

    /// One configuration file of ours.
    CONFIG_BYTES: usize = MIB, "config", "mortise.yaml", "1 MiB", None;
    /// Nodes of one configuration file, aliases expanded.
    CONFIG_NODES: usize = 10_000, "config", "nodes of mortise.yaml", "10,000", None;
    /// One configuration file of another program.
    IMPORT_BYTES: usize = 16 * MIB, "config", "another program's file", "16 MiB", None;
    /// Our own processes that start one another.
    PROCESS_DEPTH: u32 = 4, "config", "mortise processes within each other", "4", None;
    /// A login in the browser.
    LOGIN_TIME: Duration = Duration::from_secs(300), "config", "a login in the browser", "300 s", None;

    /// Compact text of one schema.
    SCHEMA_BYTES: usize = 256 * KIB, "schema", "size", "256 KiB", None;
    /// Nesting of one schema.
    SCHEMA_DEPTH: usize = 64, "schema", "depth", "64 levels", None;
    /// Nesting of one schema, through its references: what compiling needs of the stack.
    SCHEMA_NESTING: usize = 128, "schema", "depth with references", "128 levels", None;
    /// Ways from one embedded resource (`$id`) to another: each is compiled.
    SCHEMA_RESOURCE_WAYS: usize = 500, "schema", "ways through embedded resources", "500", None;
    /// Subschemas within each other while one value is validated: what validating needs of the stack.
    VALIDATION_DEPTH: usize = 1_000, "schema", "subschemas within each other on one value", "1,000", None;
    /// Visits of subschemas up to which all violations are looked for; beyond, the first one only.
    VIOLATIONS_WORK: u64 = 100_000, "schema", "work up to which all violations are counted", "100,000", None;
    /// Values that may be copied while violations of `anyOf` and `oneOf` are looked for.
    VIOLATIONS_COPIES: u64 = 500_000, "schema", "values copied into violations", "500,000", None;
    /// A chain of references.
    SCHEMA_REFS: usize = 32, "schema", "reference depth", "32", None;
    /// Subschemas of one schema.
    SCHEMA_SUBSCHEMAS: usize = 5_000, "schema", "subschemas", "5,000", None;
    /// Paths through one schema with its references expanded.
    SCHEMA_PATHS: u64 = 100_000, "schema", "expanded paths", "100,000", None;
    /// Expanded paths times instance nodes.
    SCHEMA_WORK: u64 = 50_000_000, "schema", "expanded paths x instance nodes", "50 million", None;
    /// Values in one `enum`.
    SCHEMA_ENUM: usize = 10_000, "schema", "values of an enum", "10,000", None;
    /// One `pattern`.
    SCHEMA_PATTERN: usize = KIB, "schema", "one pattern", "1 KiB", None;
    /// One compiled pattern.
    SCHEMA_REGEX: usize = MIB, "schema", "one compiled pattern", "1 MiB", None;
    /// All compiled patterns of one schema.
    SCHEMA_REGEX_TOTAL: usize = 8 * MIB, "schema", "all compiled patterns of a schema", "8 MiB", None;
    /// Steps back in one match of a pattern with look-around or back-references.
    SCHEMA_BACKTRACKS: usize = 10_000, "schema", "backtracking steps of one match", "10,000", None;
    /// A value to be validated, as text.
    INSTANCE_BYTES: usize = 16 * MIB, "schema", "value to be validated", "16 MiB", None;
    /// One field of a tool, resource or prompt; a larger one is kept as text only.
    FIELD_BYTES: usize = 512 * KIB, "schema", "one field of a listed tool", "512 KiB", None;
    /// Violations shown; all are counted.
    VIOLATIONS_SHOWN: usize = 10, "schema", "violations shown", "10", None;
    /// The message of one violation.
    VIOLATION_MESSAGE: usize = 2 * KIB, "schema", "message of a violation", "2 KiB", None;
    /// The excerpt of one violation.
    VIOLATION_EXCERPT: usize = 256, "schema", "excerpt of a violation", "256 bytes", None;
    /// Compiled schemas kept.
    SCHEMAS_CACHED: usize = 4_096, "schema", "compiled schemas kept", "4,096", None;

    /// One request body.
    HTTP_BODY: usize = 4 * MIB, "http", "request body", "4 MiB", None;
    /// Sessions open at once.
    HTTP_SESSIONS: usize = 10_000, "http", "sessions", "10,000", None;
    /// A session without traffic.
    HTTP_IDLE: Duration = Duration::from_secs(300), "http", "idle session", "300 s", None;

    /// Connections open at once; the next waits.
    HTTP_CONNECTIONS: usize = 20_000, "http", "connections", "20,000", None;
    /// Connections without a request that had the token; the oldest is closed for the next.
    HTTP_STRANGERS: usize = 256, "http", "connections without a token", "256", None;
    /// Answers that one client has not read; further ones are dropped with an error.
    HTTP_UNREAD_BYTES: usize = 256 * MIB, "http", "unread answers of a client", "256 MiB", None;
    /// A connection that takes nothing of an answer.
    HTTP_STALLED: Duration = Duration::from_secs(60), "http", "connection that takes nothing of its answer", "60 s", None;
    /// Headers of one request.
    HTTP_HEADERS: usize = 100, "http", "headers of a request", "100", None;
    /// All headers of one request together.
    HTTP_HEADER_BYTES: usize = 64 * KIB, "http", "size of a request's headers", "64 KiB", None;
    /// From a connection to its headers.
    HTTP_HEADER_TIME: Duration = Duration::from_secs(10), "http", "time for headers", "10 s", None;
    /// From headers to the end of the body.
    HTTP_BODY_TIME: Duration = Duration::from_secs(30), "http", "time for a body", "30 s", None;
    /// For running requests after the signal to stop.
    HTTP_DRAIN: Duration = Duration::from_secs(25), "http", "drain", "25 s", None;

    /// One line on standard input.
    LINE_BYTES: usize = 16 * MIB, "server", "one line on stdio", "16 MiB", None;
    /// A request's id.
    ID_BYTES: usize = 256, "server", "request id", "256 bytes", None;
    /// Requests of all clients that run at once.
    REQUESTS_RUNNING: usize = 10_000, "server", "requests running", "10,000", None;
    /// Entries of a list in one answer.
    PAGE_ENTRIES: usize = 200, "server", "entries on a page", "200", None;
    /// Log messages that wait for a slow client; more are dropped.
    LOGS_WAITING: usize = 256, "server", "log messages waiting", "256", None;
    /// Questions that one call puts to its client; the next is refused.
    QUESTIONS_PER_CALL: usize = 10, "server", "questions to the client in a call", "10", None;
    /// Calls that wait for input of a modern client.
    CALLS_PARKED: usize = 1_000, "server", "calls waiting for input", "1,000", None;
    /// How long such a call waits.
    CALL_PARKED: Duration = Duration::from_secs(600), "server", "a call waiting for input", "600 s", None;
    /// Resources that one session watches.
    RESOURCES_WATCHED: usize = 1_000, "server", "resources watched by a session", "1,000", None;

    /// The text of extraction rules.
    RULES_BYTES: usize = MIB, "formats", "text of extraction rules", "1 MiB", None;
    /// Values in such a text.
    RULES_NODES: usize = 200_000, "formats", "values in extraction rules", "200,000", None;
    /// Nesting of such a text.
    RULES_DEPTH: usize = 32, "formats", "nesting of extraction rules", "32 levels", None;
    /// Rules of one document.
    RULES: usize = 1_000, "formats", "rules of a document", "1,000", None;
    /// Fields of one rule.
    RULE_FIELDS: usize = 64, "formats", "fields of a rule", "64", None;
    /// One pattern of a rule.
    RULE_PATTERN_CHARS: usize = 200, "formats", "one pattern of a rule", "200 characters", None;
    /// Groups of such a pattern.
    RULE_PATTERN_GROUPS: usize = 10, "formats", "groups of a pattern", "10", None;
    /// Such a pattern compiled.
    RULE_PATTERN_BYTES: usize = MIB, "formats", "one compiled pattern of a rule", "1 MiB", None;
    /// Generated or given code that is looked at.
    CODE_BYTES: usize = 256 * KIB, "formats", "code that is checked", "256 KiB", None;
    /// Nesting of such code.
    CODE_LEVELS: usize = 200, "formats", "nesting of code that is checked", "200 levels", None;

    /// A tool's name as a program calls it, and a server's key.
    NAME_CHARS: usize = 128, "name", "callable name, server name", "128 characters", None;
    /// A tool's name as an LLM provider sees it.
    PROVIDER_NAME_CHARS: usize = 64, "name", "name for a provider", "64 characters", None;
}

#[cfg(test)]
mod tests;
