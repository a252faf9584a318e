//! Contracts of MCP tools.
#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! This crate is pure: no network, no file, no clock, no environment, no
//! randomness, no async. The same input always gives the same output, byte for
//! byte.
//!
//! * [`name`]: server, tool and callable names, and the reversible map between them.
//! * [`json`]: a JSON text kept exactly as its sender wrote it.
//! * [`contract`]: everything a server said about one tool, verbatim.
//! * [`schema`]: JSON Schemas compiled under bounds, and the cache of compiled ones.
//! * [`approval`]: which calls need the agreement of a person, what is asked, and what was granted.
//! * [`arguments`]: do the arguments of a call fit the tool's input schema.
//! * [`listing`]: a page of `tools/list`, read so that one bad element never hides another.
//! * [`lock`]: what servers declared when a user last agreed to it.
//! * [`result`]: a `tools/call` result read without losing anything.
//! * [`mode`]: how strictly results, programs and tools are held to what was declared.
//! * [`verdict`]: does a result keep its contract, and if not, where.
//! * [`mirror`]: does the text of a result agree with its structured value.
//! * [`unwrap`]: is a value wrapped in `{"result": …}`, and on what evidence.
//! * [`project`]: object-root schemas and values for peers that know no other.
//! * [`observed`]: what results looked like, where nothing is declared.
//! * [`diff`]: what a change of a contract breaks, with a value that proves it.
//! * [`sample`]: a small value that conforms to a schema.
//! * [`shape`]: a schema as a person reads it, on one line or as a tree.
//! * [`call`]: a tool call and what came of it.
//! * [`recording`]: every message between a client and a server, as a file.
//! * [`text`]: strings for people: cut, on one line, printable; the nearest name; causes of an error.
//! * [`glob`]: patterns over callable names.
//! * [`embedded`]: JSON and regular expressions that are part of the program.
//! * [`file_access`]: who besides the user can read or change a file.
//! * [`mod@limits`]: the limits of the system, in one table.
//! * [`missing_modules`]: Python modules that programs do not have, and what to use instead.

#![warn(missing_docs)]

pub mod approval;
pub mod arguments;
pub mod call;
pub mod contract;
pub mod diff;
pub mod embedded;
pub mod file_access;
pub mod glob;
pub mod json;
pub mod limits;
pub mod listing;
pub mod lock;
pub mod mirror;
pub mod missing_modules;
pub mod mode;
pub mod name;
pub mod observed;
pub mod project;
pub mod recording;
pub mod result;
pub mod sample;
pub mod schema;
pub mod shape;
pub mod text;
pub mod unwrap;
pub mod verdict;

pub use call::{ToolCall, ToolOutcome};
pub use contract::Contract;
pub use glob::Glob;
pub use json::{RawJson, RawObject};
pub use mode::{CheckMode, LockMode, Mode, ObserveMode};
#[cfg(feature = "names")]
pub use name::NameMap;
pub use name::{CallableName, ServerName, ToolName};
pub use result::ToolResult;
pub use schema::{CompiledSchema, SchemaCache};
pub use shape::Shape;
pub use verdict::{Era, Status, Verdict, Violation, judge};
