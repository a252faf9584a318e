//! The real binary: exit code, stdout and stderr of every command.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod access;
mod arguments;
mod asking;
mod auth;
mod basics;
mod call;
mod check;
mod completion;
mod configuration;
mod contracts;
mod corrected;
mod declare;
mod doctor;
mod ending;
mod exit_codes;
mod files;
mod formats;
mod help;
mod init;
mod inspect;
mod listening;
mod locked;
mod logging;
mod mistakes;
mod modes;
mod my_servers;
mod observed;
mod offered;
mod pictures;
mod program;
mod pty;
mod readme;
mod record;
mod run;
mod runs;
mod samples;
mod secrets;
mod serve;
mod terminal;
mod tester;
mod tools;
mod trust;
mod unreadable;
mod wizards;
