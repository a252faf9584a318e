//! The one place that names rmcp: connections, and frames as they really are.

mod ask;
mod connection;
mod envelope;
mod exchange;
mod framing;
mod handshake;
mod http;
mod inbox;
mod lifecycle;
mod params;
mod service;
mod stdio;
mod tap;

pub(crate) use connection::{Dial, UpstreamConnection, Wait};
pub use exchange::RecordedExchange;
pub(crate) use exchange::{Exchange, ExchangeAnswer};
pub(crate) use inbox::{Inbox, ListChanges, excerpt, printable};
pub(crate) use lifecycle::Identity;
pub(crate) use params::RequestParams;
