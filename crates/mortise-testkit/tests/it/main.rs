//! The test kit tested.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;
mod http;
mod peer;
mod redact;
