//! Random schemas and values against the laws of declarations.
//!
//! Under `cargo test` every target runs a fixed number of cases from fixed seeds; `mortise_testkit::fuzz_law` says how
//! to run more.

mod declared;
mod lexed;
mod provided;
mod strict;
