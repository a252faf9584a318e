//! Scenarios without login.

use std::sync::{Arc, OnceLock};

use mortise_client::{AskFuture, CallOptions, Handlers, ServerAsk, ServerAskError, Upstream};
use mortise_contract::RawJson;
use serde_json::{Map, Value, json};

use crate::{Outcome, PATIENCE, Scenario, call};

pub(crate) async fn run(scenario: &Scenario) -> Outcome {
    let used: Arc<OnceLock<Upstream>> = Arc::default();
    let handlers = match scenario.name.as_str() {
        "elicitation-sep1034-client-defaults" => with_form(defaults),
        "sep-2322-client-request-state" => confirming(used.clone()),
        _ => Handlers::default(),
    };
    let (pool, upstream) = scenario.connect(scenario.http(), handlers, None)?;
    let _ = used.set(upstream.clone());
    upstream.ready(PATIENCE).await?;
    let done = steps(scenario, &upstream).await;
    pool.shutdown().await;
    done
}

async fn steps(scenario: &Scenario, upstream: &Upstream) -> Outcome {
    match scenario.name.as_str() {
        "json-schema-ref-no-deref" | "request-metadata" => {}
        "json-schema-2020-12-preservation" => echo_schema(upstream).await?,
        "sep-2322-client-request-state" => {
            for tool in ["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_no_result_type"] {
                call(upstream, tool, "{}").await?;
            }
        }
        "http-custom-headers" => {
            for wanted in scenario.context["toolCalls"].as_array().into_iter().flatten() {
                let tool = wanted["name"].as_str().ok_or("a call without a name")?;
                call(upstream, tool, &wanted["arguments"].to_string()).await?;
            }
        }
        "http-invalid-tool-headers" => call_all(upstream).await?,
        "http-standard-headers" => {
            call_all(upstream).await?;
            read_all(upstream).await?;
        }
        _ => call_first(upstream).await?,
    }
    Ok(())
}

/// Calls every tool that is offered.
async fn call_all(upstream: &Upstream) -> Outcome {
    for contract in &upstream.catalog().contracts {
        call(upstream, contract.name.as_str(), "{}").await?;
    }
    Ok(())
}

async fn call_first(upstream: &Upstream) -> Outcome {
    if let Some(contract) = upstream.catalog().contracts.first() {
        call(upstream, contract.name.as_str(), r#"{"a":2,"b":3}"#).await?;
    }
    Ok(())
}

/// Reads every resource and gets every prompt.
async fn read_all(upstream: &Upstream) -> Outcome {
    let text = |element: &RawJson, member: &str| -> Outcome<String> {
        let value = element.value()?;
        Ok(value[member].as_str().ok_or("a list element without its name")?.to_owned())
    };
    for resource in upstream.resources(CallOptions::default()).await? {
        upstream.read_resource(&text(&resource, "uri")?, CallOptions::default()).await?;
    }
    for prompt in upstream.prompts(CallOptions::default()).await? {
        upstream.get_prompt(&text(&prompt, "name")?, None, CallOptions::default()).await?;
    }
    Ok(())
}

/// Sends the input schema of one tool to another, exactly as it was listed.
async fn echo_schema(upstream: &Upstream) -> Outcome {
    let catalog = upstream.catalog();
    let contract = catalog.get("json_schema_2020_12_tool").ok_or("the tool is not listed")?;
    let schema = contract.raw.member("inputSchema").ok_or("the tool has no schema")?;
    call(upstream, "json_schema_echo", &format!(r#"{{"schema":{}}}"#, schema.text())).await?;
    Ok(())
}

fn with_form(answer: fn(&Value) -> Value) -> Handlers {
    let handler = move |ask: ServerAsk| -> AskFuture {
        let params = ask.params.and_then(|params| params.value().ok()).unwrap_or_default();
        let answer = answer(&params).to_string();
        Box::pin(async move { RawJson::parse(&answer).map_err(|error| failed(&error)) })
    };
    Handlers { elicitation_form: Some(Arc::new(handler)), ..Handlers::default() }
}

/// Accepts a form with the default of every field that has one.
fn defaults(params: &Value) -> Value {
    let mut content = Map::new();
    let properties = params["requestedSchema"]["properties"].as_object();
    for (name, schema) in properties.into_iter().flatten() {
        if let Some(default) = schema.get("default") {
            content.insert(name.clone(), default.clone());
        }
    }
    json!({"action": "accept", "content": content})
}

/// Confirms, but first makes another call, which must not carry anything of this one.
fn confirming(used: Arc<OnceLock<Upstream>>) -> Handlers {
    let handler = move |_: ServerAsk| -> AskFuture {
        let used = used.clone();
        Box::pin(async move {
            if let Some(upstream) = used.get() {
                call(upstream, "test_mrtr_unrelated", "{}").await.map_err(|error| failed(&error))?;
            }
            let answer = r#"{"action":"accept","content":{"confirmed":true}}"#;
            RawJson::parse(answer).map_err(|error| failed(&error))
        })
    };
    Handlers { elicitation_form: Some(Arc::new(handler)), ..Handlers::default() }
}

fn failed(error: &dyn std::error::Error) -> ServerAskError {
    ServerAskError { code: -32603, message: error.to_string() }
}
