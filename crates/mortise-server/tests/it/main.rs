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
mod examples;
mod frames;
mod handlers;
mod http;
mod http_edge;
mod http_load;
mod http_sessions;
mod input;
mod lines;
mod sample;
mod siblings;
mod tls;
