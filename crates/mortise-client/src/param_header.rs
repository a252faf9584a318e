//! Arguments that travel in HTTP headers as well, as `x-mcp-header` in an input schema says.

use std::collections::HashSet;

use data_encoding::BASE64;
use http::{HeaderName, HeaderValue};
use mortise_contract::schema::keyword::{self, Holds};
use mortise_contract::{Contract, RawJson};
use serde_json::{Map, Value};

const ANNOTATION: &str = "x-mcp-header";
/// How deep annotated properties are looked for.
const MAX_DEPTH: usize = 64;

/// What is wrong with the annotations of a tool.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HeaderAnnotationError {
    #[error("annotated properties nest deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("`{ANNOTATION}` stands where only a property of the arguments may have it")]
    Misplaced,
    #[error("`{ANNOTATION}` of `{property}` {fault}")]
    Property { property: String, fault: &'static str },
}

/// The headers that one tool's arguments are copied to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParamHeaders {
    headers: Vec<ParamHeader>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ParamHeader {
    /// Property names from the root of the arguments.
    path: Vec<String>,
    name: HeaderName,
}

impl ParamHeaders {
    /// Reads the annotations of a tool. The error says which of them is wrong.
    pub(crate) fn read(contract: &Contract) -> Result<Self, HeaderAnnotationError> {
        if !contract.raw.text().contains(ANNOTATION) {
            return Ok(Self::default());
        }
        let Some(Value::Object(schema)) = contract.input_schema() else { return Ok(Self::default()) };
        let mut reader = AnnotationReader { headers: Vec::new(), seen: HashSet::new(), path: Vec::new() };
        reader.schema(schema, true)?;
        Ok(Self { headers: reader.headers })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    /// The headers for these arguments. One that is absent or null has none.
    pub(crate) fn of(&self, arguments: &RawJson) -> Vec<(HeaderName, HeaderValue)> {
        self.headers.iter().filter_map(|header| header.of(arguments)).collect()
    }
}

impl ParamHeader {
    fn of(&self, arguments: &RawJson) -> Option<(HeaderName, HeaderValue)> {
        let mut value = arguments.clone();
        for key in &self.path {
            value = value.member(key)?;
        }
        let text = match value.text().as_bytes().first()? {
            b'"' => serde_json::from_str::<String>(value.text()).ok()?,
            b'{' | b'[' | b'n' => return None,
            _ => value.text().to_owned(),
        };
        Some((self.name.clone(), header_value(&text)?))
    }
}

/// The `Mcp-Name` header of a request.
pub(crate) fn name_header(name: &str) -> Option<(HeaderName, HeaderValue)> {
    Some((HeaderName::from_static("mcp-name"), header_value(name)?))
}

/// A text as header value; one that can't be a header value goes as Base64.
fn header_value(text: &str) -> Option<HeaderValue> {
    let plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if plain {
        return HeaderValue::from_str(text).ok();
    }
    HeaderValue::from_str(&format!("=?base64?{}?=", BASE64.encode(text.as_bytes()))).ok()
}

struct AnnotationReader {
    headers: Vec<ParamHeader>,
    seen: HashSet<String>,
    path: Vec<String>,
}

impl AnnotationReader {
    /// Looks through a schema. `on_path` is true where only `properties` lead here from the root.
    fn schema(&mut self, schema: &Map<String, Value>, on_path: bool) -> Result<(), HeaderAnnotationError> {
        if self.path.len() > MAX_DEPTH {
            return Err(HeaderAnnotationError::TooDeep);
        }
        if let Some(annotation) = schema.get(ANNOTATION) {
            self.annotation(schema, annotation, on_path)?;
        }
        for (key, value) in schema {
            match keyword::holds(key) {
                Some(Holds::Map) => self.named(value, on_path && key == "properties")?,
                Some(holds) if !holds.has_schemas() => {}
                None if key == ANNOTATION => {}
                // A keyword that JSON Schema does not have may hold schemas too.
                _ => self.nested(value)?,
            }
        }
        Ok(())
    }

    fn named(&mut self, schemas: &Value, on_path: bool) -> Result<(), HeaderAnnotationError> {
        let Value::Object(schemas) = schemas else { return Ok(()) };
        for (name, schema) in schemas {
            if let Value::Object(schema) = schema {
                self.path.push(name.clone());
                self.schema(schema, on_path)?;
                self.path.pop();
            }
        }
        Ok(())
    }

    fn nested(&mut self, value: &Value) -> Result<(), HeaderAnnotationError> {
        match value {
            Value::Object(schema) => {
                self.path.push(String::new());
                self.schema(schema, false)?;
                self.path.pop();
                Ok(())
            }
            Value::Array(items) => items.iter().try_for_each(|item| match item {
                Value::Object(_) => self.nested(item),
                _ => Ok(()),
            }),
            _ => Ok(()),
        }
    }

    fn annotation(
        &mut self,
        schema: &Map<String, Value>,
        annotation: &Value,
        on_path: bool,
    ) -> Result<(), HeaderAnnotationError> {
        if !on_path || self.path.is_empty() {
            return Err(HeaderAnnotationError::Misplaced);
        }
        let wrong = |fault| Err(HeaderAnnotationError::Property { property: self.path.join("."), fault });
        let Value::String(name) = annotation else { return wrong("is not a string") };
        let Ok(header) = HeaderName::from_bytes(format!("mcp-param-{name}").as_bytes()) else {
            return wrong("is not a header name");
        };
        if name.is_empty() {
            return wrong("is empty");
        }
        if !matches!(schema.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
            return wrong("is on a property that is neither string nor integer nor boolean");
        }
        if !self.seen.insert(name.to_ascii_lowercase()) {
            return wrong("was used before");
        }
        self.headers.push(ParamHeader { path: self.path.clone(), name: header });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
