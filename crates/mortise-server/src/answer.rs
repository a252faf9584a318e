//! A finished answer of a tool: structured content, readable content, or an error.

use mortise_contract::RawJson;
use mortise_contract::json::RawObject;
use serde::Serialize;
use serde_json::Value;

use crate::Content;

/// What a tool has to say, before it is checked and made fit for the client at hand.
///
/// ```
/// use mortise_server::Answer;
/// use serde_json::json;
///
/// let answer = Answer::structured(json!({ "bmi": 22.5 })).and_text("BMI 22.5, normal");
/// let failed = Answer::error("no station of that name; try `list_stations`");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub(crate) content: Vec<Content>,
    pub(crate) structured: Option<Structured>,
    pub(crate) is_error: bool,
    pub(crate) meta: RawObject,
}

/// A structured value, parsed or as text; only the text keeps every digit.
#[derive(Clone, Debug)]
pub(crate) enum Structured {
    Value(Value),
    Raw(RawJson),
}

impl Answer {
    /// An answer with structured content. Null, false, 0 and `""` count as present.
    pub fn structured(value: Value) -> Self {
        Self { structured: Some(Structured::Value(value)), ..Self::default() }
    }

    /// An answer whose structured content is sent digit for digit as written in `json`.
    pub fn structured_raw(json: RawJson) -> Self {
        Self { structured: Some(Structured::Raw(json)), ..Self::default() }
    }

    /// An answer whose structured content is `value` in JSON.
    ///
    /// # Errors
    ///
    /// When `value` has no JSON form, for example a map whose keys are not strings.
    pub fn serialized(value: &impl Serialize) -> Result<Self, serde_json::Error> {
        // Through text and not through `Value`, which would round 128-bit integers.
        let text = serde_json::to_string(value)?;
        match RawJson::parse(&text) {
            Ok(json) => Ok(Self::structured_raw(json)),
            Err(error) => Err(serde::ser::Error::custom(error)),
        }
    }

    /// An answer with readable content only.
    pub fn text(text: impl Into<String>) -> Self {
        Self::content([Content::text(text)])
    }

    /// An answer with these blocks only.
    pub fn content(blocks: impl IntoIterator<Item = Content>) -> Self {
        Self { content: blocks.into_iter().collect(), ..Self::default() }
    }

    /// A failure that the caller, usually a model, reads and can act on. Its output is never validated.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Adds a text block. With one, no JSON text is generated from the structured content.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and(Content::text(text))
    }

    /// Adds a block.
    #[must_use]
    pub fn and(mut self, block: Content) -> Self {
        self.content.push(block);
        self
    }

    /// Adds structured content to an answer, for instance facts to an error.
    #[must_use]
    pub fn and_structured(mut self, value: Value) -> Self {
        self.structured = Some(Structured::Value(value));
        self
    }

    /// The same, sent digit for digit as written in `json`.
    #[must_use]
    pub fn and_structured_raw(mut self, json: RawJson) -> Self {
        self.structured = Some(Structured::Raw(json));
        self
    }

    /// Sets a key of the result's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: &str, value: Value) -> Self {
        self.meta.set(key, RawJson::from(&value));
        self
    }

    /// Sets a key of the result's `_meta` to `json`, digit for digit as written.
    #[must_use]
    pub fn meta_raw(mut self, key: &str, json: &RawJson) -> Self {
        self.meta.set(key, json.clone());
        self
    }

    /// Whether this is a failure.
    pub fn is_error(&self) -> bool {
        self.is_error
    }
}
