//! Does the text of a result agree with its structured value.

use serde_json::Value;

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
        if says(text, whole) {
            return Mirror::Equal;
        }
        of_inner |= inner.is_some_and(|inner| says(text, inner));
    }
    match texts {
        _ if of_inner => Mirror::OfInner,
        0 => Mirror::Absent,
        1 => Mirror::Differs,
        _ => Mirror::MultiBlock,
    }
}

/// Whether this one text says the same as a value: it is its JSON or, where the value is a string, that string.
///
/// ```
/// use mortise_contract::mirror::says;
/// use serde_json::json;
///
/// assert!(says(r#"{ "n": 1.0 }"#, &json!({"n": 1})));
/// assert!(!says("one, as of today", &json!({"n": 1})));
/// ```
pub fn says(text: &str, value: &Value) -> bool {
    let is_json = || {
        let json = RawJson::parse(text).ok().and_then(|json| json.value().ok());
        json.is_some_and(|json| is_same_value(&json, value))
    };
    value.as_str() == Some(text) || is_json()
}

#[cfg(test)]
mod tests;
