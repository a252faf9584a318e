//! Checks and detection of output formats: code, extraction rules, and what tools return.
//!
//! * [`mod@format`]: the four formats of what a tool returns, and the body of an error.
//! * [`check`]: does a tool's result keep the rules of the formats.
//! * [`detect`]: what a text is, found out by parsing it.
//! * [`feedback`]: what a wizard made, in sentences for people.
//! * [`fence`]: texts without the wrapping they come in.
//! * [`legacy`]: the fields that results had before there were formats.
//! * [`python`]: Python code: syntax, what it may use, what it must define, where to edit it.
//! * [`rules`]: extraction rules as YAML: read with line and column, checked, written.

pub mod check;
pub mod detect;
pub mod feedback;
pub mod fence;
pub mod format;
pub mod legacy;
pub mod limits;
pub mod python;
pub mod rules;
mod yaml;
