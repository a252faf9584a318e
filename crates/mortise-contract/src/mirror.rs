//! Does the text of a result agree with its structured value.

use crate::json::is_same_value;
use crate::{RawJson, ToolResult};

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

impl Mirror {
    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotApplicable => "mirror_not_applicable",
            Self::Equal => "mirror_equal",
            Self::OfInner => "mirror_of_inner",
            Self::Absent => "mirror_absent",
            Self::Differs => "mirror_differs",
            Self::MultiBlock => "mirror_multi_block",
        }
    }
}

/// Compares texts and structured content.
///
/// ```
/// use mortise_contract::mirror::{Mirror, mirror};
/// use mortise_contract::{RawJson, ToolResult};
///
/// let raw = r#"{"content": [{"type": "text", "text": "{ \"n\": 1.0 }"}], "structuredContent": {"n": 1}}"#;
/// assert_eq!(mirror(&ToolResult::parse(RawJson::parse(raw)?)?), Mirror::Equal);
/// # Ok::<(), mortise_contract::json::JsonError>(())
/// ```
pub fn mirror(result: &ToolResult) -> Mirror {
    let Some(Ok(structured)) = result.structured_reading() else { return Mirror::NotApplicable };
    let whole = &structured.value;
    let inner =
        whole.as_object().filter(|members| members.len() == 1).and_then(|members| members.values().next());
    let mut texts = 0;
    let mut of_inner = false;
    for text in result.texts() {
        texts += 1;
        let json = RawJson::parse(text).ok().and_then(|json| json.value().ok());
        let says = |value| json.as_ref().is_some_and(|json| is_same_value(json, value));
        // A structured string is mirrored by its JSON, and by itself as bare text.
        if says(whole) || whole.as_str() == Some(text) {
            return Mirror::Equal;
        }
        of_inner |= inner.is_some_and(|inner| says(inner) || inner.as_str() == Some(text));
    }
    match texts {
        _ if of_inner => Mirror::OfInner,
        0 => Mirror::Absent,
        1 => Mirror::Differs,
        _ => Mirror::MultiBlock,
    }
}

#[cfg(test)]
mod tests;
