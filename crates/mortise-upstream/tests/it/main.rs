//! Real processes and sockets against the public interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod in_process;
mod process;
mod support;
