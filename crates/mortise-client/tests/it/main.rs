//! Real processes and sockets against the public interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod asks;
#[cfg(feature = "http")]
mod belonging;
mod cached;
mod calls;
mod changes;
mod client;
mod eras;
mod frames;
#[cfg(feature = "http")]
mod http;
mod in_process;
mod judging;
mod loss;
mod named_calls;
mod paging;
mod process;
mod supervision;
mod support;
mod tasks;
