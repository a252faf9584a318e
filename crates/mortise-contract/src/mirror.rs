//! Does the text of a result agree with its structured value.

use crate::ToolResult;

/// How the text blocks of a result relate to its structured content. Never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// There is no structured content to mirror.
    NotApplicable,
    /// A text is the JSON of the structured value.
    Equal,
    /// A text is the JSON (or the bare string) of the value inside the single property.
    OfInner,
    /// There is no text block.
    Absent,
    /// The only text is something else.
    Differs,
    /// Several text blocks, none of them the JSON of the value.
    MultiBlock,
}

/// Compares texts and structured content.
pub fn mirror(_result: &ToolResult) -> Mirror {
    todo!()
}
