//! The limits of connections to servers and of logins.

use std::time::Duration;

use mortise_contract::limits::{KIB, MIB};

mortise_contract::limits! {
    /// From starting a server to its first answer.
    UPSTREAM_START: Duration = Duration::from_secs(30), "upstream", "start", "30 s", Some("servers.*.start_timeout_seconds");
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
    /// Lines in a row that are not messages; then the connection is given up.
    UPSTREAM_NOISE: u64 = 10_000, "upstream", "lines of noise in a row", "10,000", None;
    /// Faults of a server kept word for word; all are counted.
    FAULTS_KEPT: usize = 100, "upstream", "protocol faults kept", "100", None;
    /// Requests of one server open at once.
    UPSTREAM_ASKS: usize = 64, "upstream", "requests of a server open at once", "64", None;
    /// One request of a server; a larger one is refused and counted as a fault.
    ASK_BYTES: usize = 256 * KIB, "upstream", "one request of a server", "256 KiB", None;
    /// The parameters of a notification that is handed on; of larger ones a note stands for the text.
    NOTIFICATION_BYTES: usize = 64 * KIB, "upstream", "one notification handed on", "64 KiB", None;
    /// Rounds of input that a server may ask for during a call.
    INPUT_ROUNDS: usize = 10, "upstream", "rounds of input", "10", None;
    /// Redirects followed for one request, all within its origin.
    REDIRECTS: usize = 3, "upstream", "redirects", "3", None;
    /// Connecting to an HTTP server.
    HTTP_CONNECT: Duration = Duration::from_secs(10), "upstream", "connecting over HTTP", "10 s", None;
    /// From the end of its input to SIGTERM, and from there to SIGKILL.
    UPSTREAM_GRACE: Duration = Duration::from_secs(2), "upstream", "ending on its own, and after SIGTERM", "2 s each", None;

    /// Our own processes that start one another.
    PROCESS_DEPTH: u32 = 4, "config", "mortise processes within each other", "4", None;
    /// A login in the browser.
    LOGIN_TIME: Duration = Duration::from_secs(300), "config", "a login in the browser", "300 s", None;
}
