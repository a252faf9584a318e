//! The tester driven as an assistant drives it, against servers that behave and misbehave.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod callers;
mod calling;
mod checking;
mod connecting;
mod declared;
mod extras;
mod listing;
mod locking;
mod matrix;
mod misbehaving;
mod permitted;
mod recordings;
mod support;
mod verdicts;
