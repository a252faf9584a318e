//! Generated Python: written, checked, run on samples and compared with the rule.

mod compare;
mod literal;
mod module;
mod sandbox;
mod transforms;

pub(crate) use compare::{Both, compare};
pub(crate) use module::module;
pub use sandbox::{CodeReport, CodeStage, SAMPLE_WALL, check_code};

#[cfg(test)]
mod tests;
