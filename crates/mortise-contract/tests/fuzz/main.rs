//! Random schemas and values against the laws of this crate.
//!
//! Under `cargo test` every target runs a fixed number of cases from fixed seeds. `MORTISE_FUZZ_SECONDS=60` runs each
//! for so long; a failure prints its round and the smallest input that still fails. `MORTISE_FUZZ_FIRST_ROUND=1000`
//! starts there: to repeat a failure, or to go where no run has been.

mod targets;
