//! Programs run end to end through the public interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod asyncio;
mod content;
mod corpus;
mod errors;
mod escapes;
mod hosts;
mod interpreter;
mod language;
mod limits;
mod missing;
mod mounts;
mod repeating;
mod sharing;
mod tools;
mod values;
