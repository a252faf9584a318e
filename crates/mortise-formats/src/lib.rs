//! Checks and detection of output formats: code, extraction rules, and what tools return.
//!
//! The formats themselves are types of `mortise-contract`; this crate looks inside their texts.
//!
//! * [`rules`]: extraction rules as YAML: read with line and column, checked, written.
//! * [`suggest`]: the word that someone may have meant.

pub mod rules;
pub mod suggest;
mod yaml;
