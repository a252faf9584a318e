use std::sync::Arc;
use std::time::Duration;

use mortise_contract::observed::ObservedShape;
use mortise_contract::{Contract, ObserveMode, RawJson, ToolResult};
use serde_json::{Value, json};

use super::{Observer, ShapeFiles, ShapeStore, ShapeStoreError};
use crate::limits::OBSERVED_WRITE;
use crate::mapping::{Mapped, ScriptValue, script_value};

fn contract(declaration: Value) -> Contract {
    Contract::parse(RawJson::from_value(&declaration).unwrap()).unwrap()
}

fn silent() -> Contract {
    contract(json!({"name": "list_orders", "inputSchema": {"type": "object"}}))
}

fn result(content: Value) -> ToolResult {
    ToolResult::parse(RawJson::from_value(&content).unwrap()).unwrap()
}

fn value(contract: &Contract, text: &str) -> ScriptValue {
    match script_value(contract, &result(json!({"content": [{"type": "text", "text": text}]}))) {
        Mapped::Value(value) => value,
        Mapped::ToolError { text, .. } => panic!("{text}"),
    }
}

#[test]
fn shapes_of_a_tool_without_schema_are_learned() {
    let (observer, tool) = (Observer::new(ObserveMode::On, None), silent());
    assert!(observer.observed(&tool).is_none());
    for text in [r#"{"orders": [{"id": 7}]}"#, r#"{"orders": [], "next": "p2"}"#] {
        observer.take_in(&tool, &value(&tool, text));
    }
    let shape = observer.observed(&tool).unwrap();
    assert_eq!((shape.calls(), &shape.schema().value["required"]), (2, &json!(["orders"])));
    // The same declaration with another description is another contract.
    let described =
        contract(json!({"name": "list_orders", "description": "v2", "inputSchema": {"type": "object"}}));
    assert!(observer.observed(&described).is_none());
}

#[test]
fn results_of_declared_tools_are_only_counted() {
    let observer = Observer::new(ObserveMode::On, None);
    let declared = contract(json!({"name": "t", "inputSchema": {}, "outputSchema": {"type": "object"}}));
    observer.take_in(&declared, &value(&declared, "{}"));
    assert!(observer.observed(&declared).is_none());
    let known = observer.0.shapes.known(declared.digest());
    assert_eq!((known.calls(), known.has_type()), (1, false));
    let empty = contract(json!({"name": "t", "inputSchema": {}, "outputSchema": {}}));
    observer.take_in(&empty, &value(&empty, "{}"));
    assert!(observer.observed(&empty).is_some());
}

#[test]
fn errors_and_lists_of_blocks_have_no_shape() {
    let (observer, tool) = (Observer::new(ObserveMode::On, None), silent());
    observer.take_in_result(
        &tool,
        &result(json!({"content": [{"type": "text", "text": "{}"}], "isError": true})),
    );
    assert_eq!(observer.0.shapes.known(tool.digest()).calls(), 0);
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    observer.take_in_result(&tool, &result(json!({ "content": [image] })));
    assert_eq!(observer.0.shapes.known(tool.digest()).calls(), 1);
    assert!(observer.observed(&tool).is_none());
}

#[test]
fn an_observer_that_is_off_learns_and_shows_nothing() {
    let (observer, tool) = (Observer::new(ObserveMode::On, None), silent());
    observer.take_in(&tool, &value(&tool, "{}"));
    observer.set_mode(ObserveMode::Off);
    observer.take_in(&tool, &value(&tool, "{}"));
    assert!(observer.observed(&tool).is_none());
    observer.set_mode(ObserveMode::On);
    assert_eq!(observer.observed(&tool).unwrap().calls(), 1);
}

#[test]
fn shapes_outlive_the_process_and_large_results_are_looked_at_later() {
    let directory = tempfile::tempdir().unwrap();
    let start =
        || Observer::new(ObserveMode::On, Some(Arc::new(ShapeFiles::new(directory.path().join("observed")))));
    let tool = silent();
    let observer = start();
    observer.take_in(&tool, &value(&tool, r#"[{"id": 1}]"#));
    let rows: Vec<Value> = (0..5_000).map(|id| json!({"id": id, "name": "x"})).collect();
    observer.take_in(&tool, &value(&tool, &Value::from(rows).to_string()));
    observer.flush(OBSERVED_WRITE);
    let shape = observer.observed(&tool).unwrap();
    assert_eq!(shape.calls(), 2);
    assert!(shape.is_sampled());
    assert_eq!(start().observed(&tool).unwrap(), shape);
    // Another process learned meanwhile: nothing of it is lost.
    let other = start();
    other.take_in(&tool, &value(&tool, r#"[{"other": true}]"#));
    other.flush(OBSERVED_WRITE);
    observer.take_in(&tool, &value(&tool, "[]"));
    observer.flush(OBSERVED_WRITE);
    let shape = observer.observed(&tool).unwrap();
    assert_eq!(shape.calls(), 4);
    assert_eq!(start().observed(&tool).unwrap(), shape);
    assert!(shape.schema().value["items"]["properties"]["other"].is_object());
}

/// A store that fails until there is space.
#[derive(Debug, Default)]
struct FullDisk(std::sync::atomic::AtomicBool);

impl ShapeStore for FullDisk {
    fn load(&self, _: &str) -> Result<Option<ObservedShape>, ShapeStoreError> {
        Ok(None)
    }

    fn merge(&self, _: &str, seen: &ObservedShape) -> Result<ObservedShape, ShapeStoreError> {
        if self.0.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(seen.clone());
        }
        Err(serde_json::from_str::<Value>("").unwrap_err().into())
    }
}

#[test]
fn a_full_disk_loses_nothing_that_memory_has() {
    let store = Arc::new(FullDisk::default());
    let (observer, tool) = (Observer::new(ObserveMode::On, Some(store.clone())), silent());
    observer.take_in(&tool, &value(&tool, "[1]"));
    observer.flush(Duration::from_secs(10));
    assert_eq!(observer.observed(&tool).unwrap().calls(), 1);
    store.0.store(true, std::sync::atomic::Ordering::Relaxed);
    observer.take_in(&tool, &value(&tool, "[2]"));
    observer.flush(Duration::from_secs(10));
    assert_eq!(observer.observed(&tool).unwrap().calls(), 2);
    assert!(observer.0.shapes.by_digest.lock()[tool.digest()].unsaved.is_none());
}
