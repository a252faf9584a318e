//! The one place that names rmcp: connections, and frames as they really are.

mod ask;
mod connection;
mod envelope;
mod exchange;
mod framing;
mod handshake;
#[cfg(feature = "http")]
pub(crate) mod http;
mod inbox;
mod lifecycle;
pub(crate) mod service;
mod stdio;
mod tap;

pub(crate) use connection::{Dial, UpstreamConnection, Wait};
pub(crate) use exchange::Exchange;
#[cfg(feature = "http")]
pub(crate) use exchange::ExchangeAnswer;
pub use exchange::RecordedExchange;
pub(crate) use inbox::{Inbox, ListChanges, excerpt};
pub(crate) use lifecycle::Identity;
pub(crate) use tap::rpc_error;
