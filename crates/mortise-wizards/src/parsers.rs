//! Generated parsers, their execution, backtests and pipelines.
//!
//! * [`plan`], `planning`, [`generate`]: what a parser is to read, and its Python text.
//! * [`run`]: one parser on one file in the embedded interpreter; [`batch`]: its rows as they come out.
//! * `check`: whether rows are what a contract says; `columns`: or what they say themselves;
//!   `reconcile`: whether they are what is in the file;
//!   `validate`: both, and more, before the parser is returned.
//! * `refine`: edits by the errors that were raised; `category`: what kind of error that was.
//! * `backtest`, `subject`: a parser on all files; `pipeline`: their rows as tables.
//! * [`tools`]: all of that as wizards.

pub(crate) mod backtest;
pub mod batch;
pub(crate) mod category;
pub(crate) mod check;
pub(crate) mod columns;
mod contracts;
pub mod generate;
pub(crate) mod pipeline;
pub mod plan;
pub(crate) mod planning;
pub(crate) mod reconcile;
pub(crate) mod refine;
pub mod run;
pub(crate) mod subject;
pub mod tools;
pub(crate) mod validate;
pub(crate) mod value;
