//! Generated Python: written, checked, run on samples and compared with the rule.

mod compare;
mod literal;
mod module;
mod sandbox;
mod transforms;

pub(crate) use compare::{Both, compare};
pub(crate) use module::module;
pub(crate) use sandbox::check_code;

#[cfg(test)]
mod tests;
