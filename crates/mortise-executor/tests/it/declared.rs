//! What the executor's own tools declare.

use serde_json::{Value, json};

use mortise_executor::tools::ANSWER_META;

use crate::bench::Setup;
use crate::exposed::answer_frame;
use crate::servers::{mock, sample};

fn named<'a>(tools: &'a [Value], name: &str) -> &'a Value {
    tools.iter().find(|tool| tool["name"] == name).unwrap()
}

#[tokio::test]
async fn our_tools_are_there_and_promise_no_structured_content() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let tools = bench.client().await.tools().await;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "cancel_program",
            "check_program",
            "execute_program",
            "inspect_tool",
            "list_callable_tools",
            "resume_program",
            "search_tools",
            "wait_program"
        ]
    );
    for tool in &tools {
        assert_eq!(tool.get("outputSchema"), None, "{tool}");
    }
}

#[tokio::test]
async fn inspect_tool_is_declared_in_the_fixed_words() {
    let bench = Setup::of([]).start().await;
    let tools = bench.client().await.tools().await;
    let tool = named(&tools, "inspect_tool");
    assert_eq!(
        tool["description"],
        "Returns the schema and description of a tool available in execute_program. Includes outputSchema if the upstream MCP server defines one. Call this before writing a script if you need to understand a tool's return format."
    );
    let mut input = tool["inputSchema"].clone();
    // The one addition to the fixed words: a caller may leave it out.
    let detail = input["properties"].as_object_mut().unwrap().remove("detail").unwrap();
    assert_eq!(detail["default"], "brief");
    assert_eq!(
        input,
        json!({
            "type": "object",
            "properties": { "tool_name": { "type": "string", "description": "Namespaced tool name (e.g., mcp__financial_data__query_financials)" } },
            "required": ["tool_name"],
        })
    );
}

#[tokio::test]
async fn every_choice_among_words_is_declared_as_a_string() {
    let bench = Setup::of([]).start().await;
    let mut choices = 0;
    for tool in bench.client().await.tools().await {
        for (name, property) in tool["inputSchema"]["properties"].as_object().unwrap() {
            if property.get("enum").is_some() {
                assert_eq!(property["type"], "string", "{}: {name}", tool["name"]);
                choices += 1;
            }
        }
    }
    assert_eq!(choices, 4);
}

/// What a client shows a model that prefers structured content to text, as Claude Code, Codex, fastmcp and mcporter do.
fn shown_by_others(result: &Value) -> Value {
    result.get("structuredContent").unwrap_or(&result["content"]).clone()
}

#[tokio::test]
async fn a_model_reads_the_text_whichever_part_its_client_shows() {
    let bench = Setup::of([sample("weather")]).check(mortise_typecheck::CheckMode::Guard).start().await;
    let program = |code: &str| ("execute_program", json!({ "code": code }));
    let tool = json!({ "tool_name": "mcp__weather__get_weather" });
    for ((name, arguments), begins, holds) in [
        (program("print(1)"), "[Script executed successfully]\n1\n", ""),
        (program("emit({'n': 1.10})"), "[Script executed successfully]\n(no output)\n--- result ---\n", ""),
        (
            program("await mcp__weather__get_weather(town='Oslo')"),
            "[Script execution failed]\nCheckError",
            "pass check=",
        ),
        (
            program("await mcp__weather__get_weather(city='Oslo')\n1 / 0"),
            "[Script execution failed]\nTraceback",
            "Calls that had already succeeded: mcp__weather__get_weather",
        ),
        (
            ("check_program", json!({ "code": "await mcp__weather__get_weather(town='Oslo')" })),
            "CheckError",
            "line 1",
        ),
        (("inspect_tool", tool), "{\n  \"name\": \"mcp__weather__get_weather\",", "outputSchema"),
        (("inspect_tool", json!({ "tool_name": "x" })), "[Tool not found] 'x'", ""),
        (("list_callable_tools", json!({})), "[\"mcp__weather__", ""),
        (("search_tools", json!({ "query": "weather" })), "mcp__weather__get_weather(", ""),
    ] {
        let outcome = bench.call(name, arguments).await;
        assert!(outcome.text.starts_with(begins) && outcome.text.contains(holds), "{}", outcome.text);
        assert_eq!(shown_by_others(&outcome.result), outcome.result["content"], "{name}");
        assert_eq!(outcome.result["content"][0]["text"], outcome.text);
    }
}

#[tokio::test]
async fn facts_keep_the_digits_that_a_program_emits() {
    let bench = Setup::of([]).start().await;
    let mut client = bench.client().await;
    client.start("execute_program", json!({ "code": "emit([12345678901234567890123])" })).await;
    let frame = answer_frame(&mut client).await;
    assert!(frame.contains(r#""result":[12345678901234567890123]"#), "{frame}");
}

#[tokio::test]
async fn annotations_are_honest() {
    let bench = Setup::of([]).start().await;
    let tools = bench.client().await.tools().await;
    let program = &named(&tools, "execute_program")["annotations"];
    assert_eq!((&program["destructiveHint"], &program["openWorldHint"]), (&json!(true), &json!(true)));
    assert_eq!(program["readOnlyHint"], false);
    for name in ["check_program", "inspect_tool", "list_callable_tools", "search_tools", "wait_program"] {
        assert_eq!(named(&tools, name)["annotations"]["readOnlyHint"], true);
    }
}

#[tokio::test]
async fn the_description_teaches_and_shows_the_catalogue() {
    let bench = Setup::of([mock("m", "ok"), sample("weather")]).start().await;
    let tools = bench.client().await.tools().await;
    let description = named(&tools, "execute_program")["description"].as_str().unwrap();
    for needed in [
        "await",
        "keyword arguments only",
        "only what it prints",
        "three or more",
        "inspect_tool",
        "search_tools",
        "ToolError",
    ] {
        assert!(description.contains(needed), "{needed}: {description}");
    }
    assert!(description.contains("mcp__m__add, mcp__m__echo"), "{description}");
    assert!(description.contains("mcp__weather__get_weather"), "{description}");
}

#[tokio::test]
async fn wrong_arguments_are_refused_before_anything_runs() {
    let bench = Setup::of([]).start().await;
    for (tool, arguments) in [
        ("execute_program", json!({})),
        ("execute_program", json!({ "code": 1 })),
        ("execute_program", json!({ "code": "1", "timeout_seconds": 0 })),
        ("execute_program", json!({ "code": "1", "timeout_seconds": 601 })),
        ("inspect_tool", json!({})),
        ("search_tools", json!({ "query": "x", "limit": 0 })),
        ("search_tools", json!({ "query": "x", "limit": 101 })),
    ] {
        let mut client = bench.client().await;
        let id = client.start(tool, arguments.clone()).await;
        let response = client.peer.response(id).await.unwrap();
        let refused = response.get("error").is_some() || response["result"]["isError"] == true;
        assert!(refused, "{tool} {arguments}: {response}");
    }
}

#[tokio::test]
async fn a_client_of_the_stateless_era_gets_the_same() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let mut peer = bench.connect();
    let listed = peer.modern("tools/list", json!({})).await.unwrap();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 8, "{listed}");
    let arguments = json!({ "code": "emit(await mcp__m__add(a=20, b=22))" });
    let called = peer
        .modern("tools/call", json!({ "name": "execute_program", "arguments": arguments }))
        .await
        .unwrap();
    assert_eq!(called["result"]["_meta"][ANSWER_META]["result"], json!({ "sum": 42 }));
    assert_eq!(
        called["result"]["content"][0]["text"],
        "[Script executed successfully]\n(no output)\n--- result ---\n{\"sum\": 42}"
    );
    let unknown = peer.modern("tools/call", json!({ "name": "nope", "arguments": {} })).await.unwrap();
    assert!(unknown.get("error").is_some() || unknown["result"]["isError"] == true, "{unknown}");
}
