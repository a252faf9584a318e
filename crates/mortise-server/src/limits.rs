//! The limits of serving, over HTTP and over stdio.

use std::time::Duration;

use mortise_contract::limits::{KIB, MIB};

mortise_contract::limits! {
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
    /// Events of one stream that are kept for a client that lost its connection; the oldest go first.
    HTTP_RECENT_BYTES: usize = MIB, "http", "events of a stream kept for resuming, but for the answer", "1 MiB", None;
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
    /// The data of one log message; a note stands for what is larger.
    LOG_BYTES: usize = 64 * KIB, "server", "one log message", "64 KiB", None;
    /// The log messages of a call that wait for a slow client, together; more are dropped.
    LOGS_WAITING_BYTES: usize = MIB, "server", "log messages of a call waiting, together", "1 MiB", None;
    /// The text of one progress message; the rest is cut off.
    PROGRESS_BYTES: usize = 64 * KIB, "server", "text of a progress message", "64 KiB", None;
    /// One question to the client; a larger one is refused.
    QUESTION_BYTES: usize = 256 * KIB, "server", "one question to the client", "256 KiB", None;
    /// Questions that one call puts to its client; the next is refused.
    QUESTIONS_PER_CALL: usize = 10, "server", "questions to the client in a call", "10", None;
    /// Calls that wait for input of a modern client.
    CALLS_PARKED: usize = 1_000, "server", "calls waiting for input", "1,000", None;
    /// The questions of all calls that wait for input of a modern client; a call past it fails.
    CALLS_PARKED_BYTES: usize = 64 * MIB, "server", "questions of calls waiting for input, together", "64 MiB", None;
    /// How long such a call waits.
    CALL_PARKED: Duration = Duration::from_secs(600), "server", "a call waiting for input", "600 s", None;
    /// Tasks of all clients; a call past it is answered without a task.
    TASKS: usize = 1_000, "server", "tasks", "1,000", None;
    /// Tasks of one client; a call past it is answered without a task.
    TASKS_PER_CLIENT: usize = 100, "server", "tasks of a client", "100", None;
    /// Results of all tasks; a task whose result finds no room fails.
    TASK_BYTES: usize = 256 * MIB, "server", "results of tasks, together", "256 MiB", None;
    /// Results of one client's tasks; a task whose result finds no room fails.
    TASK_BYTES_PER_CLIENT: usize = 64 * MIB, "server", "results of a client's tasks, together", "64 MiB", None;
    /// A task that its client does not ask about; then it is stopped and dropped.
    TASK_KEPT: Duration = Duration::from_secs(3_600), "server", "a task that its client does not ask about", "3,600 s", None;
    /// A task that has ended, after its client has read how.
    TASK_RESULT_KEPT: Duration = Duration::from_secs(60), "server", "a task whose end its client has read", "60 s", None;
    /// A task from its begin to its end; then it is stopped and fails.
    TASK_TIME: Duration = Duration::from_secs(86_400), "server", "a task", "86,400 s", None;
    /// Resources that one session watches.
    RESOURCES_WATCHED: usize = 1_000, "server", "resources watched by a session", "1,000", None;
}
