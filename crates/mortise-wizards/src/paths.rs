//! Extraction rules, semantic paths, and the wizards that propose them.

mod decision;

pub use decision::{DecisionConfig, Sensitivity};
