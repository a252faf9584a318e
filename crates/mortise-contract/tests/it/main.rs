//! The crate as a caller uses it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod catalog;
