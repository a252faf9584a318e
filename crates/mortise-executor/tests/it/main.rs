//! The executor as its clients see it: over a pipe, with servers in the same process.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod approvals;
mod asks;
mod bench;
mod budgets;
mod changes;
mod checked;
mod checker;
mod declared;
mod edges;
mod exposed;
mod kept;
mod lasting;
mod locked;
mod mapping;
mod modes;
mod observed;
mod passed;
mod reading;
mod recorded;
mod registry;
mod servers;
mod sharing;
mod sizes;
mod starting;
mod supervision;
mod texts;
