//! What programs get and give beside values: `with_content`, `emit_image`, `emit_audio`.

use std::sync::{Arc, Mutex};

use mortise_contract::RawJson;
use mortise_script::{CallRequest, CallValue, HostError, ToolHost, ValueForm, Wanted};

use crate::hosts::{Tools, block_on, json, program, run, run_on};

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

/// The blocks that a program emits.
#[track_caller]
fn emits(source: &str, expected: &[&str]) {
    let report = block_on(run_on(program(source), Media::default()));
    assert_eq!(report.error.map(|error| error.traceback), None, "output: {}", report.output);
    let media: Vec<&str> = report.media.iter().map(RawJson::text).collect();
    assert_eq!(media, expected);
}

const PNG: &str = r#"{"type":"image","mimeType":"image/png","data":"AAEC"}"#;

#[test]
fn bytes_base64_blocks_and_lists_are_emitted_as_content() {
    emits(r#"emit_image(b"\0\1\2", "image/png")"#, &[PNG]);
    emits(r#"await emit_image(bytearray(b"\0\1\2"), mime_type="image/png")"#, &[PNG]);
    emits(r#"emit_image("AAEC", "image/png")"#, &[PNG]);
    emits(r#"emit_image("data:image/png;base64,AAEC")"#, &[PNG]);
    emits(
        r#"emit_image({"type": "image", "mimeType": "image/png", "data": "AAEC", "annotations": {}})"#,
        &[PNG],
    );
    let resource =
        r#"{"type": "resource", "resource": {"uri": "a:b", "mimeType": "image/png", "blob": "AAEC"}}"#;
    emits(&format!("emit_image({resource})"), &[PNG]);
    emits(&format!(r#"emit_image([{{"type": "text", "text": "a"}}, {resource}, {PNG}])"#), &[PNG, PNG]);
    let wav = r#"{"type":"audio","mimeType":"audio/wav","data":"AAEC"}"#;
    emits(r#"emit_audio(b"\0\1\2", "audio/wav"); emit_image("AAEC", "image/png")"#, &[wav, PNG]);
    let big = format!(r#"{{"type":"image","mimeType":"image/png","data":"{}"}}"#, "A".repeat(2_000));
    emits("emit_image(await big(bytes=9))", &[&big]);
    emits("value, content = await with_content(echo())\nemit_image(content)", &[&big]);
}

#[test]
fn what_is_not_an_image_is_refused_with_a_sentence() {
    let refused = |call: &str, expected: &str| {
        let source = format!("try:\n    {call}\nexcept (TypeError, ValueError) as error:\n    print(error)");
        let report = run(program(&source));
        assert_eq!(
            (report.output.trim_end(), report.media.len()),
            (expected, 0),
            "{call}: {:?}",
            report.error
        );
    };
    refused(
        "emit_image(b'a')",
        "emit_image() needs to know what the bytes are: pass mime_type=\"image/png\" or the like",
    );
    refused(
        "emit_image(7, 'image/png')",
        "emit_image() takes bytes, Base64 or a content block with data, not int",
    );
    refused("emit_image('not base64', 'image/png')", "emit_image(): the data is not Base64");
    refused("emit_image('', 'image/png')", "emit_image(): the data is not Base64");
    refused(
        "emit_image('AAEC', 'text/html')",
        "emit_image(): `text/html` is not a media type that begins with `image/`",
    );
    refused(
        "emit_audio('AAEC', 'audio/a b')",
        "emit_audio(): `audio/a b` is not a media type that begins with `audio/`",
    );
    refused("emit_image([])", "emit_image() was given 0 content blocks, and none of them is of type image");
    refused(
        "ask = emit_image.__globals__['ask']; print(ask('emit_media', '', b'{}')[2].decode())",
        "this is not an image or a sound",
    );
}

#[test]
fn images_have_their_limits_and_those_before_are_kept() {
    let source = "for _ in range(5):\n    emit_image('AAEC', 'image/png')";
    let mut few = program(source);
    few.limits.media_blocks = 3;
    let report = run(few);
    assert_eq!(report.media.len(), 3);
    assert_eq!(
        report.error.unwrap().message,
        "emit_image(): a program can emit 3 images and sounds, and it has"
    );
    let mut small = program("emit_image('A' * 400, 'image/png')\nemit_image('A' * 4096, 'image/png')");
    small.limits.media = 4096;
    let report = run(small);
    assert_eq!(report.media.len(), 1);
    assert_eq!(
        report.error.unwrap().message,
        "emit_image(): the data is 4 KiB of Base64 and 449 bytes are emitted already; the limit is 4 KiB for all images \
         and sounds of a program: emit a smaller one, or fewer"
    );
    let mut huge = program("emit_image('A' * (20 << 20), 'image/png')");
    (huge.limits.media, huge.limits.arguments) = (1 << 20, 1 << 20);
    let message = run(huge).error.unwrap().message;
    assert!(message.starts_with("emit_image() or emit_audio(): the data is 20 MiB of Base64"), "{message}");
}
