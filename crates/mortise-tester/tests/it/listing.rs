//! Listing and reading: complete, verbatim, in the server's order.

use mortise_samples::mock::{Mock, Script};
use serde_json::json;

use crate::support::Assistant;

#[tokio::test]
async fn e7_all_pages_with_their_schemas() {
    let assistant = Assistant::new().await;
    assistant.connect("pages").await;
    let listed = assistant.ok("list_tools", json!({"verbose": true})).await;
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 22);
    assert_eq!(listed["metadata"]["total_tools"], 22);
    assert!(listed["metadata"]["server_name"].is_string() && listed["metadata"]["retrieved_at"].is_string());
    for tool in tools {
        assert_eq!(tool["input_schema"], tool["raw"]["inputSchema"]);
        assert_eq!(tool["output_schema"], tool["raw"]["outputSchema"]);
        assert_eq!(tool["annotations"], tool["raw"]["annotations"]);
    }
    let brief = assistant.ok("list_tools", json!({})).await;
    assert_eq!(brief["tools"][0].get("raw"), None);
    assert_eq!(brief["tools"][0]["input_schema"], tools[0]["input_schema"]);
}

#[tokio::test]
async fn one_odd_tool_hides_no_other_and_is_shown_as_it_is() {
    let assistant = Assistant::new().await;
    for scenario in [
        "input-schema-null",
        "no-input-schema",
        "output-schema-true",
        "tool-not-object",
        "no-name",
        "duplicate-names",
        "vendor-fields",
    ] {
        assistant.connect(scenario).await;
        let listed = assistant.ok("list_tools", json!({})).await;
        let tools = listed["tools"].as_array().unwrap();
        assert!(tools.iter().any(|tool| tool["name"] == "add"), "{scenario}: {listed:#}");
        let odd = tools.iter().any(|tool| {
            tool.get("notes").is_some() || tool["issues"].as_array().is_some_and(|issues| !issues.is_empty())
        });
        assert!(odd || scenario == "vendor-fields", "{scenario}: {listed:#}");
    }
}

#[tokio::test]
async fn of_a_member_given_twice_the_one_that_counts_is_shown() {
    let assistant = Assistant::new().await;
    assistant.connect("declared-twice").await;
    let listed = assistant.ok("list_tools", json!({})).await;
    assert_eq!(listed["tools"][0]["name"], "again");
    assert_eq!(listed["tools"][0]["notes"], json!(["`name` is given more than once, see raw"]));
    // What the members do not show is shown raw, asked for or not.
    assert!(listed["tools"][0]["raw"].is_object() && listed["tools"][1].get("raw").is_none(), "{listed:#}");
}

#[tokio::test]
async fn a_list_that_changes_is_the_one_that_calls_are_judged_by() {
    let assistant = Assistant::new().await;
    assistant.connect("dynamic").await;
    assistant.ok("call_tool", json!({"name": "change", "arguments": {}})).await;
    let before = assistant.ok("list_tools", json!({})).await;
    let added = before["tools"].as_array().unwrap().last().unwrap()["name"].clone();
    assistant.ok("validate_arguments", json!({"name": added})).await;
}

#[tokio::test]
async fn resources_templates_and_prompts() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let listed = assistant.ok("list_resources", json!({})).await;
    assert_eq!(listed["metadata"]["total_resources"], 2);
    assert_eq!(listed["resources"][0]["uri"], "mock://text");
    assert_eq!(listed["resources"][0]["mimeType"], "text/plain");
    let templates = assistant.ok("list_resource_templates", json!({})).await;
    assert_eq!(templates["resource_templates"][0]["uriTemplate"], "mock://text/{name}");
    let prompts = assistant.ok("list_prompts", json!({})).await;
    assert_eq!(prompts["prompts"][0]["arguments"][0]["name"], "who");
    assert_eq!(prompts["metadata"]["total_prompts"], 1);
}

#[tokio::test]
async fn e14_bytes_are_shown_as_base64_and_counted_decoded() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let read = assistant.ok("read_resource", json!({"uri": "mock://bytes"})).await;
    assert_eq!(read["resource"]["content"], "AAEC");
    assert_eq!(read["resource"]["uri"], "mock://bytes");
    assert_eq!(read["metadata"]["content_size"], 3);
    let read = assistant.ok("read_resource", json!({"uri": "mock://text"})).await;
    assert_eq!(read["resource"]["content"], "plain text");
    assert_eq!(read["metadata"]["content_size"], 10);
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(status["statistics"]["resources_read"], 2);
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let assistant = Assistant::new().await;
    for era in ["legacy-only", "modern-only"] {
        assistant.connect(era).await;
        let missing = json!({"uri": "other://thing"});
        assistant.fails("read_resource", missing, "resource_not_found").await;
        assistant.fails("get_prompt", json!({"name": "nope"}), "prompt_not_found").await;
    }
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(status["statistics"]["errors"], 2);
    assert_eq!(status["statistics"]["resources_read"], 0);
}

#[tokio::test]
async fn prompts_with_and_without_arguments() {
    let assistant = Assistant::new().await;
    assistant.connect("ok").await;
    let plain = assistant.ok("get_prompt", json!({"name": "greeting"})).await;
    assert_eq!(
        plain["prompt"]["messages"][0],
        json!({"role": "user", "content": {"type": "text", "text": "Hello, world."}})
    );
    let named = assistant.ok("get_prompt", json!({"name": "greeting", "arguments": {"who": "you"}})).await;
    assert_eq!(named["prompt"]["messages"][0]["content"]["text"], "Hello, you.");
    let number = json!({"name": "greeting", "arguments": {"who": 7}});
    assistant.fails("get_prompt", number, "invalid_arguments").await;
    let status = assistant.ok("get_connection_status", json!({})).await;
    assert_eq!(status["statistics"]["prompts_retrieved"], 2);
}

#[tokio::test]
async fn a_prompt_without_an_argument_that_it_requires_is_not_asked_for() {
    let script = Script::parse(
        "version: 1
rules: [{method: prompts/list, steps: [{result: {prompts: [{name: greeting, arguments: [{name: who, required: true}, {name: how}]}]}}]}]",
    );
    let mock = Mock::new(script.unwrap().plan, 0);
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let assistant = Assistant::new().await;
    assistant.ok("connect_to_server", json!({"url": http.url()})).await;
    for arguments in [json!({}), json!({"how": "loud"})] {
        let asked = json!({"name": "greeting", "arguments": arguments});
        let refused = assistant.fails("get_prompt", asked, "invalid_arguments").await;
        assert_eq!(refused["error"]["message"], "the prompt `greeting` requires `who`");
        assert_eq!(refused["error"]["details"]["sent"], false);
    }
    let gets = || mock.received().iter().filter(|message| message["method"] == "prompts/get").count();
    assert_eq!(gets(), 0);
    assistant.ok("get_prompt", json!({"name": "greeting", "arguments": {"who": "you"}})).await;
    assistant.ok("get_prompt", json!({"name": "greeting", "check_arguments": false})).await;
    assert_eq!(gets(), 2);
}

#[tokio::test]
async fn a_list_that_fails_is_a_failure_of_the_right_type() {
    let assistant = Assistant::new().await;
    let connected = assistant.connect("cursor-loop").await;
    assert!(connected["warnings"].to_string().contains("could not be listed"), "{connected:#}");
    assistant.fails("list_tools", json!({}), "transport_error").await;
    assistant.connect("list-error").await;
    assistant.fails("list_tools", json!({}), "execution_error").await;
}
