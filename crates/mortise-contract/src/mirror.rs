//! Does the text of a result agree with its structured value.

use serde_json::Value;

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
pub fn mirror(result: &ToolResult) -> Mirror {
    let Some(Ok(structured)) = result.structured_reading() else { return Mirror::NotApplicable };
    let whole = &structured.value;
    let inner =
        whole.as_object().filter(|members| members.len() == 1).and_then(|members| members.values().next());
    let mut texts = 0;
    let mut of_inner = false;
    for text in result.texts() {
        texts += 1;
        let json: Option<Value> = serde_json::from_str(text).ok();
        if json.as_ref() == Some(whole) {
            return Mirror::Equal;
        }
        of_inner |= inner.is_some_and(|inner| json.as_ref() == Some(inner) || inner.as_str() == Some(text));
    }
    match texts {
        _ if of_inner => Mirror::OfInner,
        0 => Mirror::Absent,
        1 => Mirror::Differs,
        _ => Mirror::MultiBlock,
    }
}
