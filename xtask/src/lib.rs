//! The chores of the workspace: checks, runs against other people's programs,
//! benchmarks, faults, fuzzing, generated files and the list of what a release is made of. `cargo xtask --help` lists them.

pub mod bench;
pub mod built_in;
pub mod check;
pub mod codegen;
pub mod faults;
pub mod fuzz;
pub mod interop;
pub mod package;
pub mod packages;
pub mod process;
pub mod report;
pub mod sbom;
pub mod tidy;
pub mod workspace;
