//! Source text that declares tools.

use crate::loss::Loss;

/// Declarations in a language, and what they could not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarations {
    /// The source text.
    pub text: String,
    /// The losses of each tool that has any, by callable name.
    pub losses: Vec<(String, Vec<Loss>)>,
}
