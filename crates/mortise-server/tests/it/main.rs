//! Servers seen from outside, with no SDK on the other side.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that can't go on fails its test"
)]

mod calls;
mod changes;
mod contracts;
#[cfg(feature = "http")]
mod examples;
mod frames;
mod handlers;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod http_edge;
#[cfg(feature = "http")]
mod http_load;
#[cfg(feature = "http")]
mod http_sessions;
mod input;
mod lines;
mod sample;
mod siblings;
mod tasks;
#[cfg(feature = "http")]
mod tls;
