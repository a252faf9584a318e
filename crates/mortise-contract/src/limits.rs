//! Every limit of the system, in one table.

/// One limit as shown by `mortise doctor --limits` and in the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// `upstream`, `schema`, `http` …
    pub area: &'static str,
    /// What is limited.
    pub name: &'static str,
    /// The value with its unit, for a person.
    pub value: &'static str,
    /// The setting that changes it, if there is one.
    pub setting: Option<&'static str>,
}
