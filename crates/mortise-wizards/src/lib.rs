//! Data wizards: from a folder of files to a rule, a schema, a parser and a table.
//!
//! Every wizard is a tool with one declared output format. No model is called: the same input gives
//! the same output, byte for byte, but for times and ids.
//!
//! * [`Wizards`], [`WizardOptions`]: what all tools work with: directories, clock, ids, interpreter, stores.
//! * [`tool`]: how a wizard is declared, and what becomes of its arguments and its result.
//! * [`answer`]: what every result may carry: warnings, questions, the next steps.
//! * [`paths`]: extraction rules, semantic paths, and the wizards that propose them.
//! * [`data`]: files, readers, type inference and schemas.
//! * [`parsers`]: generated parsers, their execution, backtests and pipelines.
//! * [`server`]: all of them as one MCP server.
//! * [`store`]: what outlives a call: drafts, scopes and contracts.

pub mod answer;
pub mod data;
mod hex;
pub mod limits;
pub mod parsers;
pub mod paths;
mod python_literal;
pub mod server;
pub mod store;
pub mod tool;
mod wizards;

pub use wizards::{Clock, IdSource, RandomIds, SystemClock, WizardOptions, Wizards};
