//! `with_content`: the value of a call and the content blocks beside it.

use std::sync::{Arc, Mutex};

use mortise_contract::RawJson;
use mortise_script::{CallRequest, CallValue, HostError, ToolHost, ValueForm, Wanted};

use crate::hosts::{Tools, block_on, json, program, run_on};

/// Answers `echo` with a value and two blocks, `big` with blocks alone, all else like [`Tools`]; notes what was wanted.
#[derive(Clone, Default)]
struct Media(Arc<Mutex<Vec<Wanted>>>);

impl ToolHost for Media {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        self.0.lock().unwrap().push(request.wanted);
        let image = format!(r#"{{"type":"image","mimeType":"image/png","data":"{}"}}"#, "A".repeat(2_000));
        let blob = r#"{"type":"resource","resource":{"uri":"file:///a","blob":"AAEC"}}"#;
        match (request.name.as_str(), request.wanted) {
            ("echo", Wanted::Value) => Ok(json("7").into()),
            ("echo", Wanted::ValueAndContent) => {
                let json = json(&format!("[1e400,[{image},{blob}]]"));
                Ok(CallValue { json, form: ValueForm::ValueAndContent })
            }
            ("big", _) => Ok(CallValue { json: json(&format!("[{image}]")), form: ValueForm::Content }),
            _ => Tools.call(request).await,
        }
    }
    async fn inspect_tool(&self, tool_name: String) -> Result<RawJson, HostError> {
        Tools.inspect_tool(tool_name).await
    }
    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Tools.list_callable_tools().await
    }
    async fn server_status(&self) -> Result<RawJson, HostError> {
        Tools.server_status().await
    }
}

/// What a program prints, and what its calls wanted.
#[track_caller]
fn check(source: &str, expected: &str, wanted: &[Wanted]) {
    let host = Media::default();
    let report = block_on(run_on(program(source), host.clone()));
    assert_eq!(report.error.map(|error| error.traceback), None, "output: {}", report.output);
    assert_eq!(report.output, expected);
    assert_eq!(*host.0.lock().unwrap(), wanted);
}

#[test]
fn content_comes_only_to_a_call_that_asks_for_it() {
    let source = "print(await echo())\n\
                  value, content = await with_content(echo())\n\
                  print(value, content[0])\n\
                  print(content[1], content[1]['resource']['uri'], len(content[0]['data']))\n\
                  print(await echo())";
    let expected = "7\n\
                    1E+400 {'type': 'image', 'mimeType': 'image/png', 'data': <2,000 characters of Base64>}\n\
                    {'type': 'resource', 'resource': {'uri': 'file:///a', 'blob': 'AAEC'}} file:///a 2000\n7\n";
    check(source, expected, &[Wanted::Value, Wanted::ValueAndContent, Wanted::Value]);
}

#[test]
fn calls_side_by_side_do_not_mix_what_they_want() {
    let source = "import asyncio\n\
                  both = await asyncio.gather(with_content(echo()), echo(), with_content(value(json='[1]')))\n\
                  print(len(both[0][1]), both[1], both[2])";
    check(source, "2 7 ([1], [])\n", &[Wanted::ValueAndContent, Wanted::Value, Wanted::ValueAndContent]);
}

#[test]
fn blocks_that_are_the_value_print_without_their_data_and_are_json() {
    let source = "import json\n\
                  blocks = await big(bytes=9)\n\
                  print(blocks, isinstance(blocks[0], dict), len(json.dumps(blocks)))\n\
                  value, content = await with_content(big(bytes=9))\n\
                  print(value is content)";
    let expected = "[{'type': 'image', 'mimeType': 'image/png', 'data': <2,000 characters of Base64>}] True 2056\nTrue\n";
    check(source, expected, &[Wanted::Value, Wanted::ValueAndContent]);
}

#[test]
fn only_a_tool_call_has_content() {
    let source = "import asyncio\n\
                  async def helper():\n    return await echo()\n\
                  for given in (helper(), asyncio.create_task(asyncio.sleep(0)), 7, await echo()):\n\
                  \x20   try:\n        await with_content(given)\n    except TypeError as error:\n        print(error)\n\
                  try:\n    await with_content(fail())\nexcept ToolError as error:\n    print(error.kind, error.content)";
    let sentence =
        "with_content() takes a tool call: write `value, content = await with_content(mcp__s__t(...))`\n";
    check(source, &format!("{}tool []\n", sentence.repeat(4)), &[Wanted::Value, Wanted::ValueAndContent]);
}
