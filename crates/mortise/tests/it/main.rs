//! The real binary: exit code, stdout and stderr of every command.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod arguments;
mod auth;
mod basics;
mod call;
mod configuration;
mod declare;
mod doctor;
mod ending;
mod exit_codes;
mod help;
mod init;
mod inspect;
mod logging;
mod program;
mod pty;
mod readme;
mod samples;
mod secrets;
mod terminal;
mod tools;
mod trust;
