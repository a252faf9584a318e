//! Generated parsers, their execution, backtests and pipelines.
//!
//! * [`plan`], [`planning`], [`generate`]: what a parser is to read, and its Python text.
//! * [`run`]: one parser on one file in the embedded interpreter; [`batch`]: its rows as they come out.
//! * [`check`]: whether rows are what a contract says; [`columns`]: or what they say themselves;
//!   [`reconcile`]: whether they are what is in the file;
//!   [`validate`]: both, and more, before anybody sees the parser.
//! * [`refine`]: edits by the errors that were raised; [`category`]: what kind of error that was.
//! * [`backtest`], [`subject`]: a parser on all files; [`pipeline`]: their rows as tables.
//! * [`tools`]: all of that as wizards.

pub mod backtest;
pub mod batch;
pub mod category;
pub mod check;
pub mod columns;
mod contracts;
pub mod generate;
pub mod pipeline;
pub mod plan;
pub mod planning;
pub mod reconcile;
pub mod refine;
pub mod run;
pub mod subject;
pub mod tools;
pub mod validate;
pub mod value;
