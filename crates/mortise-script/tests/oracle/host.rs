//! The tools of `tools.json`, answered from Rust exactly as `oracle.py` answers them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use mortise_contract::RawJson;
use mortise_script::{CallRequest, CallValue, HostError, HostErrorKind, RunReport, ToolHost, ToolNames};
use serde_json::{Map, Value, json};

/// The tools, with what the flaky ones remember. One per program.
pub(crate) struct CorpusTools {
    tools: Map<String, Value>,
    failures: Mutex<HashMap<String, u64>>,
}

impl CorpusTools {
    pub(crate) fn new() -> Self {
        let tools = serde_json::from_str(include_str!("tools.json")).expect("tools.json is JSON");
        Self { tools, failures: Mutex::default() }
    }

    pub(crate) fn names(&self) -> ToolNames {
        self.tools.keys().cloned().collect()
    }

    fn answer(&self, name: &str, arguments: &Map<String, Value>) -> Result<Value, String> {
        let tool = &self.tools[name];
        let list = |key: &str| tool[key].as_array().cloned().unwrap_or_default();
        let size = tool["size"].as_u64().unwrap_or(1) as usize;
        match tool["kind"].as_str() {
            Some("table") => table(&tool["filters"], list("rows"), arguments),
            Some("lookup") => {
                let key = arguments.get(tool["key"].as_str().unwrap_or_default()).unwrap_or(&Value::Null);
                let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
                tool["values"].get(key).cloned().ok_or_else(|| text(&tool["missing"]))
            }
            Some("pages") => {
                let (items, page) =
                    (list("items"), arguments.get("page").and_then(Value::as_u64).unwrap_or(1) as usize);
                let chosen: Vec<_> = items.iter().skip((page - 1) * size).take(size).collect();
                let next = (page * size < items.len()).then_some(page + 1);
                Ok(json!({"items": chosen, "page": page, "total": items.len(), "next": next}))
            }
            Some("cursor") => {
                let cursor = arguments.get("cursor").and_then(Value::as_str).unwrap_or("0");
                let (items, start) = (list("items"), cursor.parse().unwrap_or(0));
                let next = (start + size < items.len()).then(|| (start + size).to_string());
                let chosen: Vec<_> = items.iter().skip(start).take(size).collect();
                Ok(json!({"items": chosen, "nextCursor": next}))
            }
            Some("flaky") => {
                let key = format!("{name} {}", Value::Object(arguments.clone()));
                let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
                let count = failures.entry(key).or_default();
                *count += 1;
                if *count <= tool["failures"].as_u64().unwrap_or(0) {
                    Err(text(&tool["error"]))
                } else {
                    Ok(tool["value"].clone())
                }
            }
            Some("constant") => Ok(tool["value"].clone()),
            _ => Err(text(&tool["error"])),
        }
    }
}

fn table(filters: &Value, rows: Vec<Value>, arguments: &Map<String, Value>) -> Result<Value, String> {
    let known = |name: &&String| {
        !filters.as_array().is_some_and(|filters| filters.iter().any(|filter| filter == *name))
    };
    if let Some(unknown) = arguments.keys().find(known) {
        return Err(format!("unknown argument {unknown}"));
    }
    let fits = |row: &Value| arguments.iter().all(|(key, value)| row[key] == *value);
    Ok(Value::Array(rows.into_iter().filter(fits).collect()))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl ToolHost for CorpusTools {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        if self.tools[&request.name]["kind"] == "echo" {
            // Its own text, so that numbers of any size come back.
            return Ok(request.arguments.into());
        }
        let arguments =
            request.arguments.value().ok().and_then(|value| value.as_object().cloned()).unwrap_or_default();
        let failed = |message: String| {
            HostError::new(HostErrorKind::Tool, format!("'{}' returned an error: {message}", request.name))
        };
        let value = self.answer(&request.name, &arguments).map_err(failed)?;
        RawJson::from_value(&value).map(CallValue::from).map_err(|error| failed(error.to_string()))
    }

    async fn inspect_tool(&self, tool_name: String) -> Result<RawJson, HostError> {
        Err(HostError::new(HostErrorKind::Unavailable, tool_name))
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Err(HostError::new(HostErrorKind::Unavailable, "not in the corpus"))
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        Err(HostError::new(HostErrorKind::Unavailable, "not in the corpus"))
    }
}

/// What came of a program, in the form that `oracle.py` prints.
pub(crate) fn shown(report: &RunReport) -> String {
    let mut shown = report.output.clone();
    if let Some(emitted) = &report.emitted {
        shown += &format!("--- result ---\n{}\n", emitted.text());
    }
    if let Some(error) = &report.error {
        shown += &format!("--- error ---\n{}: {}\n", error.exception, error.message);
    }
    shown
}
