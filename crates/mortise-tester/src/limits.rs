//! The limits of the tester's connections and of what it keeps.

use std::time::Duration;

use mortise_contract::limits::{KIB, MIB};

mortise_contract::limits! {
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
}
