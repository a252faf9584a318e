//! The chores of the workspace: checks, runs against other people's programs,
//! benchmarks, faults, fuzzing, generated files, the packages of a release and the list of what it is made of. `cargo xtask --help` lists them.

pub mod bench;
pub mod built_in;
pub mod check;
pub mod codegen;
pub mod dist;
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
