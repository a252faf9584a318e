//! The checker on whole programs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod observed;
mod programs;
mod right;
mod tools;
mod wrong;
