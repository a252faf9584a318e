//! What the tests of several crates share. For `[dev-dependencies]` only.
//!
//! Nothing here uses an MCP library: a test that checks what goes over the
//! wire must see the wire itself.
//!
//! * [`RawPeer`]: the client side of a JSON-RPC line stream, of a pair of
//!   pipes or of a child ([`RawChild`]).
//! * [`ScriptedServer`] and [`ScriptedHttp`]: the server side, answering what a
//!   closure says, broken frames included.
//! * [`http`]: one HTTP exchange, written and read by hand.
//! * [`redact`]: text without ports, times and ids, for snapshots.
//! * [`run_cases`]: JSON case files with one check for all of them.
//! * [`fuzz`] and [`fuzz_law`]: fuzz targets that are also plain tests.
//! * [`schemas`]: random schemas and values that meet often.

mod cases;
mod child;
mod era;
mod fuzz;
pub mod http;
mod laws;
mod lines;
mod peer;
mod redact;
pub mod schemas;
mod script;

pub use cases::run_cases;
pub use child::RawChild;
pub use era::{LEGACY_VERSION, MODERN_VERSION, client_meta, with_meta};
pub use fuzz::{fuzz, fuzz_some};
pub use laws::fuzz_law;
pub use lines::LineFrame;
pub use peer::{PeerError, RawPeer};
pub use redact::redact;
pub use script::http::{HttpReply, ScriptedHttp};
pub use script::{ScriptedReply, ScriptedServer, answer, handshake, refuse};
