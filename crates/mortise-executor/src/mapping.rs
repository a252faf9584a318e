//! What a program gets for a tool's result: the value as the server sent it.
//!
//! `{"total": 3}` beside a text `"5 rows were cut"` is the value `{"total": 3}`: nothing is written into it. Texts that
//! say something else, images, sounds, resources and links are reached with `with_content(…)`. Nothing passes through
//! a float: the value is the server's own text.

use mortise_contract::json::JsonKind;
use mortise_contract::project::unproject_raw;
use mortise_contract::result::{ContentBlock, ContentKind};
use mortise_contract::shape::Shape;
use mortise_contract::unwrap::{self, Evidence};
use mortise_contract::{Contract, RawJson, ToolResult};
use serde_json::Value;

/// A result as a program sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Mapped {
    /// The call returned a value.
    Value(ScriptValue),
    /// The tool said that it failed; the program gets an exception.
    ToolError {
        /// The texts of the result joined by a space, or `no details`.
        text: String,
        /// Its structured content, if there is any.
        structured: Option<RawJson>,
    },
}

/// The value of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptValue {
    /// The value, in the server's own digits and key order.
    pub json: RawJson,
    /// Whether the value is the list of content blocks, since there is neither structure nor text.
    pub is_content: bool,
    /// Why an inner value was taken out of `{"result": …}`, if it was.
    pub unwrapped: Option<Evidence>,
    /// What the value does not hold, in a word each: `text`, `image (image/png)`.
    pub beside: Vec<String>,
}

/// Maps a result; `contract` is what its tool declared.
pub fn script_value(contract: &Contract, result: &ToolResult) -> Mapped {
    if result.is_error {
        let texts: Vec<&str> = result.texts().filter(|text| !text.trim().is_empty()).collect();
        let text = if texts.is_empty() { "no details".to_owned() } else { texts.join(" ") };
        return Mapped::ToolError { text, structured: result.structured.clone() };
    }
    let mut value = match &result.structured {
        Some(structured) => from_structured(contract, result, structured),
        None => from_texts(contract, result),
    };
    if !value.is_content {
        value.beside.extend(result.content.iter().filter_map(medium));
    }
    Mapped::Value(value)
}

/// All content blocks of a result as one JSON array, each as the server sent it.
pub fn content(result: &ToolResult) -> RawJson {
    RawJson::array(result.content.iter().map(|block| &block.raw))
}

impl ScriptValue {
    fn of(json: RawJson) -> Self {
        Self { json, is_content: false, unwrapped: None, beside: Vec::new() }
    }
}

/// The structured value, without its wrapper where there is evidence for one.
fn from_structured(contract: &Contract, result: &ToolResult, structured: &RawJson) -> ScriptValue {
    let sole = sole_member(structured);
    let texts: Vec<&str> = result.texts().collect();
    let says_value =
        |text: &&str| says(text, structured) || sole.as_ref().is_some_and(|inner| says(text, inner));
    let others = match spell(&texts, sole.as_ref().unwrap_or(structured)) {
        true => 0,
        false => texts.iter().filter(|text| !says_value(text)).count(),
    };
    let unwrapped = unwrap::evidence(contract, result);
    let json = match unwrapped.and_then(|_| unproject_raw(structured)) {
        Some(inner) => undeclared(contract, inner),
        None => structured.clone(),
    };
    ScriptValue { unwrapped, beside: vec![TEXT.to_owned(); others], ..ScriptValue::of(json) }
}

/// What a text block beside the value is called.
const TEXT: &str = "text";

/// A string of a tool that declares nothing is read as its text would be.
fn undeclared(contract: &Contract, inner: RawJson) -> RawJson {
    match inner.value() {
        Ok(Value::String(text)) if contract.output_schema().is_none() => {
            TextKinds::CONTAINERS.read(&text).unwrap_or(inner)
        }
        _ => inner,
    }
}

/// The value of an object's only member.
fn sole_member(value: &RawJson) -> Option<RawJson> {
    match value.members().ok()?.as_slice() {
        [(_, only)] => Some(only.clone()),
        _ => None,
    }
}

/// Whether a text is the JSON of `value`, or the very string that `value` is.
fn says(text: &str, value: &RawJson) -> bool {
    if value.kind() == JsonKind::String && value.value().is_ok_and(|value| value.as_str() == Some(text)) {
        return true;
    }
    let Ok(parsed) = RawJson::parse(text.trim()) else { return false };
    parsed == *value || matches!((parsed.value(), value.value()), (Ok(parsed), Ok(value)) if parsed == value)
}

/// Whether the texts are the elements of a list one by one, as the official Python server writes lists.
fn spell(texts: &[&str], value: &RawJson) -> bool {
    if texts.is_empty() || value.kind() != JsonKind::Array {
        return false;
    }
    let Ok(elements) = value.elements() else { return false };
    elements.len() == texts.len() && texts.iter().zip(&elements).all(|(text, element)| says(text, element))
}

/// The value of a result without structured content.
fn from_texts(contract: &Contract, result: &ToolResult) -> ScriptValue {
    let texts: Vec<&str> = result.texts().collect();
    let kinds = TextKinds::of(contract);
    let is_wrapper = unwrap::declared_evidence(contract).is_some();
    let read = |text: &&str| {
        let inner = |json: RawJson| unproject_raw(&json).filter(|_| is_wrapper).unwrap_or(json);
        kinds.read(text).or_else(|| TextKinds::WRAPPER.read(text).filter(|_| is_wrapper)).map(inner)
    };
    match texts.as_slice() {
        [] if result.content.is_empty() => ScriptValue::of(RawJson::null()),
        [] => ScriptValue { is_content: true, ..ScriptValue::of(content(result)) },
        [only] => ScriptValue::of(read(only).unwrap_or_else(|| RawJson::string(only))),
        several => {
            let mut parsed: Vec<RawJson> = several.iter().filter_map(read).collect();
            match parsed.len() {
                // One text is the value, the others speak about it.
                1 => {
                    let beside = vec![TEXT.to_owned(); several.len() - 1];
                    ScriptValue { beside, ..ScriptValue::of(parsed.remove(0)) }
                }
                // The official Python server writes a list as one text for each element.
                count if count == several.len() => ScriptValue::of(RawJson::array(&parsed)),
                _ => ScriptValue::of(RawJson::string(&several.join("\n"))),
            }
        }
    }
}

/// Which JSON values a text becomes. It depends on the tool, never on the text.
#[derive(Clone, Debug, PartialEq)]
struct TextKinds<'a>(&'a [JsonKind]);

impl TextKinds<'_> {
    /// Those of a tool that declares nothing: `1.10` and `null` stay texts.
    const CONTAINERS: TextKinds<'static> = TextKinds(&[JsonKind::Object, JsonKind::Array]);
    /// The wrapper of a value.
    const WRAPPER: TextKinds<'static> = TextKinds(&[JsonKind::Object]);
    const NONE: TextKinds<'static> = TextKinds(&[]);
    /// Those of a tool whose shape has no place for a string.
    const ANY: TextKinds<'static> =
        TextKinds(&[JsonKind::Object, JsonKind::Array, JsonKind::Number, JsonKind::Boolean, JsonKind::Null]);

    fn of(contract: &Contract) -> TextKinds<'static> {
        let schema = unwrap::delivered_schema(contract);
        match schema.and_then(|schema| takes_text(&Shape::of(&schema))) {
            None => TextKinds::CONTAINERS,
            Some(true) => TextKinds::NONE,
            Some(false) => TextKinds::ANY,
        }
    }

    /// The value of a text, if it becomes one and nests no deeper than a program can take.
    fn read(&self, text: &str) -> Option<RawJson> {
        let json = RawJson::parse(text.trim()).ok()?;
        (self.0.contains(&json.kind()) && json.value().is_ok()).then_some(json)
    }
}

/// Whether a string can be of this shape; `None` if the shape does not say what values are.
fn takes_text(shape: &Shape) -> Option<bool> {
    match shape {
        Shape::Scalar { kind, .. } => Some(kind == "string"),
        Shape::Literals(values) => Some(values.iter().any(|value| value.starts_with('"'))),
        Shape::Array(_) | Shape::Tuple { .. } | Shape::Object { .. } => Some(false),
        Shape::Union(branches) => {
            let branches: Option<Vec<bool>> = branches.iter().map(takes_text).collect();
            branches.map(|branches| branches.contains(&true))
        }
        Shape::Any | Shape::Never | Shape::Intersection(_) | Shape::Recursive(_) | Shape::Cut => None,
    }
}

/// What a block that is not text is called.
fn medium(block: &ContentBlock) -> Option<String> {
    Some(match &block.kind {
        ContentKind::Text(_) => return None,
        ContentKind::Image { mime_type, .. } => format!("image ({mime_type})"),
        ContentKind::Audio { mime_type, .. } => format!("audio ({mime_type})"),
        ContentKind::Resource { uri, .. } => format!("resource ({uri})"),
        ContentKind::ResourceLink { uri } => format!("resource link ({uri})"),
        ContentKind::Other { kind } if kind.is_empty() => "block without a type".to_owned(),
        ContentKind::Other { kind } => format!("{kind} block"),
    })
}

#[cfg(test)]
mod tests;
