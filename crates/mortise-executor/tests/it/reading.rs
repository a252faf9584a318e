//! Resources and prompts in programs.

use serde_json::json;

use crate::bench::Setup;
use crate::passed::library;
use crate::servers::{answering, scripted, tool};

/// Prints the kind and the sentence of a call's error.
fn caught(call: &str) -> String {
    format!("try:\n    await {call}\nexcept ToolError as error:\n    print(error.kind, error)")
}

#[tokio::test]
async fn a_program_lists_and_reads_resources() {
    let bench = Setup::of([library("a-b")]).start().await;
    let code = r#"
for resource in await list_resources("a-b"):
    print(resource.get("uri"), resource.get("uriTemplate"))
for contents in (await read_resource("a-b", "note://joint"), await read_resource(server="a-b", uri="note://hidden")):
    print(contents)
"#;
    let ran = bench.run(code).await;
    assert_eq!(
        ran.facts["output"],
        "note://joint None\nNone note://{name}\n\
         [{'uri': 'note://joint', 'mimeType': 'text/plain', 'text': 'a mortise'}]\n\
         [{'uri': 'note://hidden', 'mimeType': 'text/plain', 'text': 'a tenon'}]\n",
        "{}",
        ran.text
    );
    let calls = ran.calls();
    assert_eq!(calls.len(), 3, "reading counts as calling");
    assert_eq!(calls[1]["tool"], "read_resource");
    assert_eq!(calls[1]["args"], r#"{"server":"a-b","uri":"note://joint"}"#);
}

#[tokio::test]
async fn a_blob_keeps_its_uri_and_prints_short() {
    let blob = "AAEC".repeat(100);
    let result = json!({ "contents": [{ "uri": "file:///a.png", "mimeType": "image/png", "blob": blob }] });
    let server =
        scripted("s", vec![tool("t")], move |request| vec![mortise_testkit::answer(request, result.clone())])
            .0;
    let bench = Setup::of([server]).start().await;
    let code =
        "contents = await read_resource('s', 'file:///a.png')\nprint(contents[0])\nemit_image(contents)";
    let ran = bench.run(code).await;
    let printed = "{'uri': 'file:///a.png', 'mimeType': 'image/png', 'blob': <400 characters of Base64>}\n";
    assert_eq!(ran.facts["output"], printed, "{}", ran.text);
    assert_eq!(ran.result["content"][1], json!({ "type": "image", "mimeType": "image/png", "data": blob }));
}

#[tokio::test]
async fn a_program_gets_prompts() {
    let bench = Setup::of([library("a")]).start().await;
    let code = r#"
print([prompt["name"] for prompt in await list_prompts("a")])
prompt = await get_prompt("a", "repeat", {"word": "hi"})
print([message["content"]["text"] for message in prompt["messages"]])
"#;
    assert_eq!(bench.prints(code).await, "['repeat']\n['repeat: hi', 'as you say']\n");
}

#[tokio::test]
async fn what_can_not_be_read_says_why() {
    let bench = Setup::of([library("a"), answering(vec![(tool("t"), "{}")])]).start().await;
    let code = [
        caught("read_resource('b', 'note://joint')"),
        caught("read_resource('a')"),
        caught("read_resource('a', 'note://lost')"),
        "print(await list_resources('s'), await list_prompts('s'))".to_owned(),
        "try:\n    await read_resource('a', 'b', 'c')\nexcept TypeError as error:\n    print(error)"
            .to_owned(),
    ];
    assert_eq!(
        bench.prints(&code.join("\n")).await,
        "arguments 'read_resource' was not called: there is no server `b`; there are: a, s\n\
         arguments 'read_resource' was not called: missing argument `uri`\n\
         protocol 'read_resource' failed: server error -32602: no resource at `note://lost`\n\
         [] []\n\
         read_resource() takes server, uri and no further argument\n"
    );
}

#[tokio::test]
async fn the_configuration_withholds_resources_like_tools() {
    let read = caught("read_resource('a', 'note://joint')");
    let code = format!("{read}\n{}", caught("list_prompts('a')"));
    let blocked = Setup::of([library("a")]).block(&["mcp__a__*"]).start().await;
    assert_eq!(
        blocked.prints(&code).await,
        "unavailable 'read_resource' is not available: the configuration withholds `mcp__a__read_resource`\n\
         unavailable 'list_prompts' is not available: the configuration withholds `mcp__a__get_prompt`\n"
    );
    let allowed = Setup::of([library("a")]).allow(&["mcp__a__read_resource"]).start().await;
    assert_eq!(
        allowed.prints(&code).await,
        "unavailable 'list_prompts' is not available: the configuration withholds `mcp__a__get_prompt`\n"
    );
}

#[tokio::test]
async fn reading_is_within_the_limits_of_calls_and_known_to_the_check() {
    let bench = Setup::of([library("a"), answering(vec![(tool("t"), r#"{"content":[]}"#)])])
        .limits(|limits| limits.calls = 2)
        .check(mortise_typecheck::CheckMode::Guard)
        .start()
        .await;
    let code = "for _ in range(2):\n    contents = await read_resource('a', 'note://joint')\nprint(contents[0]['text'])\n\
                try:\n    await read_resource('a', 'note://joint')\nexcept ToolError as error:\n    print(error.kind)";
    let ran = bench.run(code).await;
    assert_eq!(ran.facts["output"], "a mortise\nbudget\n", "{}", ran.text);
    assert_eq!(ran.facts.get("check"), None);
}
