//! Values that programs keep for later programs of the same client.

use mortise_contract::CheckMode;
use serde_json::{Value, json};

use crate::bench::{Bench, Client, Setup};

async fn bench() -> Bench {
    Setup::of([]).limits(|limits| limits.output = 40).start().await
}

async fn client(bench: &Bench, name: &str) -> Client {
    bench.client_called(name).await
}

async fn text(client: &mut Client, code: &str) -> String {
    client.call("execute_program", json!({ "code": code })).await.text
}

#[tokio::test]
async fn a_later_program_of_the_same_client_loads_a_value() {
    let bench = bench().await;
    let (mut one, mut other) = (client(&bench, "one").await, client(&bench, "other").await);
    assert_eq!(
        text(&mut one, "print((await keep({'a': 1.10}, 'x'))['bytes'])").await,
        "[Script executed successfully]\n10\n"
    );
    // Another session of the same client.
    let mut again = client(&bench, "one").await;
    let load = "print(await load('x'))";
    assert_eq!(text(&mut again, load).await, "[Script executed successfully]\n{'a': 1.1}\n");
    assert!(text(&mut other, load).await.contains("ToolError: nothing is kept as `x`"));
}

#[tokio::test]
async fn mistakes_are_named() {
    let bench = bench().await;
    for (code, message) in [
        (
            "await keep('x', {'a': 1})",
            "TypeError: keep() name must be a string, not dict: write keep(value, \"name\")",
        ),
        ("await load(1)", "TypeError: load() name must be a string, not int: write load(\"name\")"),
        (
            "await keep(1, 'a b')",
            "ToolError: `a b` can't be the name of a kept value: use 1 to 64 letters, digits, `_`, `-` and `.`",
        ),
        (
            "await keep(object(), 'a')",
            "TypeError: keep() value must be JSON-serializable: Object of type object is not JSON serializable",
        ),
        (
            "await keep('x' * 17_000_000, 'a')",
            "ToolError: keep() value is 17000002 bytes; the limit is 16777216 (one kept value, 16 MiB)",
        ),
    ] {
        let answer = bench.run(code).await;
        assert!(answer.text.contains(message), "{code}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_program_that_is_refused_keeps_nothing() {
    let bench = Setup::of([]).check(CheckMode::Guard).start().await;
    let refused = bench.run("await keep(1, 'x')\nundefined_name()\n").await;
    assert!(refused.text.contains("undefined_name"), "{}", refused.text);
    let loaded =
        bench.run("try:\n    await load('x')\nexcept ToolError as error:\n    print(error.kind)\n").await;
    assert_eq!(loaded.text, "[Script executed successfully]\nunavailable\n");
}

#[tokio::test]
async fn output_that_is_cut_is_kept() {
    let bench = bench().await;
    let answer = bench.run("for n in range(100): print(n)").await;
    assert!(answer.text.ends_with("... (truncated)"), "{}", answer.text);
    let cut = answer.result["content"][1]["text"].as_str().unwrap().to_owned();
    let name = cut.split('"').nth(1).unwrap();
    assert_eq!(
        cut,
        format!(
            "The output was cut: 40 of 290 bytes are shown (execution.max_output_bytes). All of it is kept: `text = await \
             load(\"{name}\")` in a program, or the resource mortise://kept/{name}."
        )
    );
    let loaded = bench.run(&format!("print(len((await load('{name}')).split()))")).await;
    assert_eq!(loaded.text, "[Script executed successfully]\n100\n");
    assert_eq!(answer.facts["cuts"], Value::from(vec![cut]));
}

async fn uris(client: &mut Client) -> Vec<String> {
    let listed = client.peer.request("resources/list", json!({})).await.unwrap();
    let resources = listed["result"]["resources"].as_array().unwrap().clone();
    resources.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn kept_values_are_resources_of_their_client_alone() {
    let bench = bench().await;
    let (mut one, mut other) = (client(&bench, "one").await, client(&bench, "other").await);
    let code = "import decimal\nawait keep([decimal.Decimal('1.10')], 'x')\nawait keep('long', 'text')";
    assert!(text(&mut one, code).await.starts_with("[Script executed successfully]"));
    assert_eq!(uris(&mut one).await, ["mortise://kept/text", "mortise://kept/x"]);
    assert_eq!(uris(&mut other).await, [""; 0]);
    let x = json!({ "uri": "mortise://kept/x" });
    let read = one.peer.request("resources/read", x.clone()).await.unwrap();
    assert_eq!(
        read["result"]["contents"],
        json!([{ "uri": "mortise://kept/x", "mimeType": "application/json", "text": "[1.10]" }])
    );
    let read = one.peer.request("resources/read", json!({ "uri": "mortise://kept/text" })).await.unwrap();
    assert_eq!(read["result"]["contents"][0]["text"], "long");
    for uri in ["mortise://kept/x", "mortise://kept/none", "mortise://run/7k2m9q4x0abc/output", "mortise://"]
    {
        let refused = other.peer.request("resources/read", json!({ "uri": uri })).await.unwrap();
        assert!(refused["error"]["message"].is_string(), "{refused}");
    }
}
