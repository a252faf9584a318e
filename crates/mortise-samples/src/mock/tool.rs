//! A tool of the mock: its declaration as text, and what it answers.

use std::sync::Arc;

use serde_json::{Value, json};

type Answer = dyn Fn(&Value) -> Value + Send + Sync;

/// A tool with a declaration that may be anything, even no JSON object.
#[derive(Clone)]
pub(crate) struct MockTool {
    /// The name under which it is called.
    pub(crate) name: String,
    /// The text of its element in `tools/list`, sent verbatim.
    pub(crate) declaration: String,
    pub(crate) answer: Arc<Answer>,
}

impl MockTool {
    /// A tool whose declaration is this value and that answers with a result made from the arguments.
    pub(crate) fn new(declaration: &Value, answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        let name = declaration["name"].as_str().unwrap_or_default().to_owned();
        Self { name, declaration: declaration.to_string(), answer: Arc::new(answer) }
    }

    /// The same tool with some members of its declaration replaced; null removes one.
    #[must_use]
    pub(crate) fn with(mut self, members: &Value) -> Self {
        let mut declaration: Value = serde_json::from_str(&self.declaration).unwrap_or_default();
        for (key, value) in members.as_object().into_iter().flatten() {
            if value.is_null() {
                declaration.as_object_mut().map(|object| object.shift_remove(key));
            } else {
                declaration[key] = value.clone();
            }
        }
        self.name = declaration["name"].as_str().unwrap_or_default().to_owned();
        self.declaration = declaration.to_string();
        self
    }

    /// The same tool under another name, made without parsing its declaration.
    #[must_use]
    pub(crate) fn renamed(mut self, name: &str) -> Self {
        let quoted = |name: &str| format!("\"name\":\"{name}\"");
        self.declaration = self.declaration.replacen(&quoted(&self.name), &quoted(name), 1);
        self.name = name.to_owned();
        self
    }

    /// The same tool with its declaration as text, for what a JSON value can't hold.
    #[must_use]
    pub(crate) fn declared_as(mut self, declaration: String) -> Self {
        self.declaration = declaration;
        self
    }

    #[must_use]
    pub(crate) fn answering(mut self, answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        self.answer = Arc::new(answer);
        self
    }
}

/// The tool on which faults show: `echo` gives back its text.
pub(crate) fn echo() -> MockTool {
    let declaration = json!({
        "name": "echo",
        "description": "Gives back its text.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
        },
        "outputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    });
    MockTool::new(&declaration, |arguments| {
        let text = arguments["text"].as_str().unwrap_or_default();
        structured(&json!({ "text": text }))
    })
}

/// The tool that behaves in every scenario: `add` gives the sum of two numbers.
pub(crate) fn add() -> MockTool {
    let declaration = json!({
        "name": "add",
        "description": "Adds two integers.",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {"sum": {"type": "integer"}},
            "required": ["sum"],
        },
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    });
    MockTool::new(&declaration, |arguments| match (arguments["a"].as_i64(), arguments["b"].as_i64()) {
        (Some(a), Some(b)) => structured(&json!({ "sum": a.saturating_add(b) })),
        _ => failed("`a` and `b` must be integers"),
    })
}

/// A result with a structured value and its JSON as text.
pub(crate) fn structured(value: &Value) -> Value {
    json!({"content": [text_block(&value.to_string())], "structuredContent": value})
}

pub(crate) fn text(text: &str) -> Value {
    json!({"content": [text_block(text)]})
}

pub(crate) fn failed(text: &str) -> Value {
    json!({"content": [text_block(text)], "isError": true})
}

pub(crate) fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
