//! Tools for programs to name.

use std::sync::{Arc, LazyLock};

use mortise_contract::{Contract, RawJson, ServerName};
use mortise_typecheck::{
    CheckMode, CheckRequest, CheckedTool, Checker, Outputs, TypecheckReport, UnknownTool, named_tools,
};
use serde_json::{Value, json};

/// One checker for all tests, as programs share one.
pub(crate) static CHECKER: LazyLock<Checker> = LazyLock::new(Checker::new);

/// Makes a tool of what a server would list.
pub(crate) fn tool(server: &str, listed: &Value) -> CheckedTool {
    let contract = Contract::parse(RawJson::from_value(listed).unwrap()).unwrap();
    CheckedTool {
        callable: format!("mcp__{server}__{}", contract.name.as_str()),
        server: ServerName::parse(server).unwrap(),
        contract: Arc::new(contract),
        outputs: Outputs::Declared,
    }
}

/// The tools of `tests/cases/tools.json`, and all others.
pub(crate) static TOOLS: LazyLock<Vec<CheckedTool>> =
    LazyLock::new(|| [tools(include_str!("../cases/tools.json")), SAMPLES.clone()].concat());

/// Those of the sample servers, and of a board of tasks whose objects are closed.
pub(crate) static SAMPLES: LazyLock<Vec<CheckedTool>> = LazyLock::new(|| {
    [include_str!("../cases/samples.json"), include_str!("../cases/board.json")].map(tools).concat()
});

pub(crate) fn tools(servers: &str) -> Vec<CheckedTool> {
    let servers: Value = serde_json::from_str(servers).unwrap();
    let servers = servers.as_object().unwrap();
    let tools = servers
        .iter()
        .flat_map(|(server, tools)| tools.as_array().unwrap().iter().map(move |listed| tool(server, listed)));
    tools.collect()
}

/// Checks a program that names some of these tools.
pub(crate) fn check(source: &str, mode: CheckMode, tools: &[CheckedTool]) -> TypecheckReport {
    let mut request = CheckRequest::new(source, mode);
    for name in named_tools(source) {
        match tools.iter().find(|tool| tool.callable == name) {
            Some(tool) => request.tools.push(tool.clone()),
            None => {
                let similar = tools.iter().map(|tool| tool.callable.clone());
                let similar = similar.filter(|known| strsim::levenshtein(known, &name) <= 2).collect();
                let is_blocked = name.contains("__delete_");
                request.unknown.push(UnknownTool { name, is_blocked, similar });
            }
        }
    }
    CHECKER.check(request)
}

/// A schema that a value satisfies: what a server with such data would declare.
pub(crate) fn schema_of(value: &Value) -> Value {
    match value {
        Value::Null => json!({ "type": "null" }),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(number) if number.is_i64() => json!({ "type": "integer" }),
        Value::Number(_) => json!({ "type": "number" }),
        Value::String(_) => json!({ "type": "string" }),
        Value::Array(items) => match items.iter().map(schema_of).reduce(merged) {
            Some(items) => json!({ "type": "array", "items": items }),
            None => json!({ "type": "array" }),
        },
        Value::Object(members) => {
            let properties: serde_json::Map<String, Value> =
                members.iter().map(|(key, member)| (key.clone(), schema_of(member))).collect();
            let required: Vec<&String> = members.keys().collect();
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
        }
    }
}

/// A schema of what satisfies one or the other.
fn merged(one: Value, other: Value) -> Value {
    if one == other {
        return one;
    }
    let (Some(ours), Some(theirs)) = (one["properties"].as_object(), other["properties"].as_object()) else {
        return match (&one["type"], &other["type"]) {
            (Value::String(a), Value::String(b)) if a == "array" && b == "array" => {
                match (one.get("items"), other.get("items")) {
                    (Some(a), Some(b)) => json!({ "type": "array", "items": merged(a.clone(), b.clone()) }),
                    (Some(items), None) | (None, Some(items)) => json!({ "type": "array", "items": items }),
                    (None, None) => one,
                }
            }
            _ => json!({ "anyOf": [one, other] }),
        };
    };
    let mut properties = ours.clone();
    for (key, schema) in theirs {
        let both = match ours.get(key) {
            Some(known) => merged(known.clone(), schema.clone()),
            None => schema.clone(),
        };
        properties.insert(key.clone(), both);
    }
    let required: Vec<&Value> = one["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|key| other["required"].as_array().is_some_and(|keys| keys.contains(key)))
        .collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
