//! The sample servers and the mock, driven by raw frames.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod mock;
mod reference;
mod samples;
