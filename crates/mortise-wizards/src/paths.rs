//! Extraction rules, semantic paths, and the wizards that propose them.
//!
//! * `engine`: rules run over paths, with statuses, coverage and reasons.
//! * `semantic`: what the folders of paths mean.
//! * `hint`: what a person says about paths.
//! * `decision`: what decides between YAML and Python.
//! * `python`: generated Python, checked and run.
//! * `path`: paths as rules see them.
//! * [`tools`]: the wizards.

pub(crate) mod decision;
pub(crate) mod engine;
mod extractor;
mod filename;
pub(crate) mod hint;
pub(crate) mod path;
pub(crate) mod python;
pub(crate) mod semantic;
pub mod tools;
mod transform;

pub use decision::{
    DecisionConfig, DecisionLayers, DecisionLimits, DecisionSensitivity, SettingError, VARIABLES,
};
