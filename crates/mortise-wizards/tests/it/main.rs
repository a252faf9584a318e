//! The wizards through their tools, in process.

mod backtest;
mod bench;
mod chain;
mod data;
mod every_tool;
mod generate;
mod harness;
mod injection;
mod refine;
mod workbench;
