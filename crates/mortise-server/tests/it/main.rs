//! Servers seen from outside, with no SDK on the other side.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper that can't go on fails its test")]

mod lines;
mod sample;
