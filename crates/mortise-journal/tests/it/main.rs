//! The journal on disk, seen from outside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod child;
mod samples;

mod claiming;
mod cut;
mod failing;
mod keeping;
mod kept;
mod many;
