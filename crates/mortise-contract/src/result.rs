//! A `tools/call` result read without losing anything.

use std::fmt;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use crate::RawJson;
use crate::json::{JsonError, JsonKind, Reading};
use crate::limits;

const ERROR_FLAG_POINTER: &str = "/isError";

/// What a server answered to `tools/call`, verbatim and tolerantly read.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// The `result` member as the server wrote it.
    pub raw: RawJson,
    /// Every content block in order, unknown kinds included.
    pub content: Vec<ContentBlock>,
    /// `structuredContent`, when the key is present; null counts as present.
    pub structured: Option<RawJson>,
    /// `isError`, false when absent or not a boolean.
    pub is_error: bool,
    /// `resultType` when it is a string: `complete`, `input_required`, `task` …
    pub result_type: Option<String>,
    /// `_meta`.
    pub meta: Option<Map<String, Value>>,
    /// What is not as the protocol wants it, e.g. `/isError is a string`.
    pub faults: Vec<ResultFault>,
    reading: OnceLock<Result<Reading, JsonError>>,
}

/// One content block.
#[derive(Clone, Debug)]
pub struct ContentBlock {
    /// The block as sent.
    pub raw: RawJson,
    /// The block by its type.
    pub kind: ContentKind,
}

/// What a content block holds.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentKind {
    /// Text.
    Text(String),
    /// An image; the size of the decoded data.
    Image {
        /// Media type.
        mime_type: String,
        /// Decoded bytes.
        bytes: usize,
    },
    /// Sound; the size of the decoded data.
    Audio {
        /// Media type.
        mime_type: String,
        /// Decoded bytes.
        bytes: usize,
    },
    /// A resource's content.
    Resource {
        /// Its address.
        uri: String,
        /// Media type.
        mime_type: Option<String>,
    },
    /// A link to a resource.
    ResourceLink {
        /// Its address.
        uri: String,
    },
    /// A kind we don't know; kept raw.
    Other {
        /// The value of `type`, empty if there is none.
        kind: String,
    },
}

/// Something in a result that is not as the protocol wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFault {
    /// JSON pointer into the result.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl ToolResult {
    /// Reads a result; only a text that is not a JSON object is refused.
    ///
    /// ```
    /// use mortise_contract::{RawJson, ToolResult};
    ///
    /// let raw = RawJson::parse(r#"{"content":[{"type":"hologram"}],"isError":"no","structuredContent":null}"#)?;
    /// let result = ToolResult::parse(raw)?;
    /// assert_eq!(result.structured.as_ref().map(RawJson::text), Some("null"));
    /// assert_eq!(result.content[0].raw.text(), r#"{"type":"hologram"}"#);
    /// assert_eq!(result.faults[0].to_string(), "/isError is a string, not a boolean");
    /// # Ok::<(), mortise_contract::json::JsonError>(())
    /// ```
    pub fn parse(raw: RawJson) -> Result<Self, JsonError> {
        let mut result = Self {
            content: Vec::new(),
            structured: None,
            is_error: false,
            result_type: None,
            meta: None,
            faults: Vec::new(),
            reading: OnceLock::new(),
            raw,
        };
        let mut has_content = false;
        for (key, value) in result.raw.members()? {
            match key.as_str() {
                "content" => {
                    has_content = true;
                    result.read_content(&value);
                }
                "structuredContent" => result.structured = Some(value),
                "isError" => {
                    result.is_error =
                        result.read_as(&key, &value, JsonKind::Boolean, Value::as_bool).unwrap_or(false)
                }
                "resultType" => {
                    result.result_type = result
                        .read_as(&key, &value, JsonKind::String, |value| value.as_str().map(str::to_owned));
                }
                "_meta" => {
                    result.meta =
                        result.read_as(&key, &value, JsonKind::Object, |value| value.as_object().cloned())
                }
                _ => {}
            }
        }
        if !has_content && result.is_complete() {
            result.fault("/content", "is missing");
        }
        Ok(result)
    }

    /// What is wrong with `isError`, where it is not a boolean. Then [`ToolResult::is_error`] is a guess.
    pub fn error_flag_fault(&self) -> Option<&ResultFault> {
        self.faults.iter().find(|fault| fault.pointer == ERROR_FLAG_POINTER)
    }

    /// Whether this is a final answer, not a request for input or a task handle.
    pub fn is_complete(&self) -> bool {
        matches!(self.result_type.as_deref(), None | Some("complete"))
    }

    /// The texts of all text blocks, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(|block| match &block.kind {
            ContentKind::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// `structuredContent` parsed; parsed once, however often it is asked for, and at most 16 MiB of it.
    pub fn structured_reading(&self) -> Option<Result<&Reading, &JsonError>> {
        let structured = self.structured.as_ref()?;
        Some(self.reading.get_or_init(|| structured.read_within(limits::INSTANCE_BYTES)).as_ref())
    }

    fn read_content(&mut self, value: &RawJson) {
        match value.elements() {
            Ok(blocks) => {
                for (index, raw) in blocks.into_iter().enumerate() {
                    let kind = self.read_block(index, &raw);
                    self.content.push(ContentBlock { raw, kind });
                }
            }
            Err(error) => self.fault("/content", &fault_of(&error)),
        }
    }

    fn read_block(&mut self, index: usize, raw: &RawJson) -> ContentKind {
        let pointer = format!("/content/{index}");
        let members = match raw.members() {
            Ok(members) => members,
            Err(error) => {
                self.fault(&pointer, &fault_of(&error));
                return ContentKind::Other { kind: String::new() };
            }
        };
        let block = Block { members: &members };
        let Some(kind) = block.text("type") else {
            self.fault(&pointer, "has no type");
            return ContentKind::Other { kind: String::new() };
        };
        block.read(&kind).unwrap_or_else(|missing| {
            if let Some(missing) = missing {
                self.fault(&format!("{pointer}/{missing}"), "is missing or not a string");
            }
            ContentKind::Other { kind }
        })
    }

    fn read_as<T>(
        &mut self,
        key: &str,
        value: &RawJson,
        expected: JsonKind,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let pointer = format!("/{key}");
        match value.value() {
            Ok(value) => convert(&value).or_else(|| {
                self.fault(&pointer, &format!("is {}, not {expected}", JsonKind::of(&value)));
                None
            }),
            Err(error) => {
                self.fault(&pointer, &error.to_string());
                None
            }
        }
    }

    fn fault(&mut self, pointer: &str, message: &str) {
        self.faults.push(ResultFault { pointer: pointer.to_owned(), message: message.to_owned() });
    }
}

impl fmt::Display for ResultFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.pointer, self.message)
    }
}

fn fault_of(error: &JsonError) -> String {
    match error {
        JsonError::WrongKind { expected, found } => format!("is {found}, not {expected}"),
        other => other.to_string(),
    }
}

/// The members of one content block.
struct Block<'a> {
    members: &'a [(String, RawJson)],
}

impl Block<'_> {
    fn member(&self, name: &str) -> Option<&RawJson> {
        self.members.iter().rev().find_map(|(key, value)| (key == name).then_some(value))
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.member(name)?.value() {
            Ok(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    fn required(&self, name: &'static str) -> Result<String, Option<&'static str>> {
        self.text(name).ok_or(Some(name))
    }

    /// The block's content; the error names the member that is missing, none for a kind that the protocol does not have.
    fn read(&self, kind: &str) -> Result<ContentKind, Option<&'static str>> {
        Ok(match kind {
            "text" => ContentKind::Text(self.required("text")?),
            "image" => ContentKind::Image { bytes: self.decoded()?, mime_type: self.required("mimeType")? },
            "audio" => ContentKind::Audio { bytes: self.decoded()?, mime_type: self.required("mimeType")? },
            "resource_link" => ContentKind::ResourceLink { uri: self.required("uri")? },
            "resource" => {
                let members =
                    self.member("resource").and_then(|raw| raw.members().ok()).ok_or(Some("resource"))?;
                let resource = Block { members: &members };
                let uri = resource.text("uri").ok_or(Some("resource/uri"))?;
                ContentKind::Resource { uri, mime_type: resource.text("mimeType") }
            }
            _ => return Err(None),
        })
    }

    /// Bytes that the Base64 of `data` stands for, without decoding it.
    fn decoded(&self) -> Result<usize, Option<&'static str>> {
        let data = self.member("data").filter(|data| data.kind() == JsonKind::String).ok_or(Some("data"))?;
        let digits = data
            .text()
            .bytes()
            .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'));
        Ok(digits.count() * 3 / 4)
    }
}

#[cfg(test)]
mod tests;
