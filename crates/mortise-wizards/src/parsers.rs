//! Generated parsers, their execution, backtests and pipelines.
