//! The chores of the workspace: checks, runs against other people's programs,
//! benchmarks, fuzzing and generated files. `cargo xtask --help` lists them.

pub mod bench;
pub mod check;
pub mod codegen;
pub mod fuzz;
pub mod interop;
pub mod packages;
pub mod process;
pub mod report;
pub mod tidy;
pub mod workspace;
