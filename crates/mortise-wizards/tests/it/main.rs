//! The wizards through their tools, in process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod amendments;
mod backtest;
mod bench;
// What a process has open is read from `/proc`.
#[cfg(target_os = "linux")]
mod cancel;
mod chain;
mod data;
mod every_tool;
mod faithful;
mod generate;
mod harness;
mod injection;
mod refine;
mod tables;
mod workbench;
