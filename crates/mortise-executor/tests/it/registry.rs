//! Names, filters, inspecting and listing (executor/A1 to A6).

use serde_json::{Value, json};

use crate::bench::{Bench, Setup};
use crate::servers::{answering, called, echoing, mock, promising, sample, tool};

async fn names(bench: &Bench) -> Value {
    bench.call("list_callable_tools", json!({})).await.facts["tools"].clone()
}

#[tokio::test]
async fn a1_names_are_namespaced_and_plain() {
    let bench = Setup::of([
        echoing("financial-data", &["query"]).0,
        echoing("my-cool-server", &["get-data-now"]).0,
        echoing("my_server", &["my_tool"]).0,
    ])
    .start()
    .await;
    assert_eq!(
        names(&bench).await,
        json!(["mcp__financial_data__query", "mcp__my_cool_server__get_data_now", "mcp__my_server__my_tool"])
    );
    assert_eq!(bench.prints("print(await mcp__my_cool_server__get_data_now(n=1))").await, "{'n': 1}\n");
}

#[tokio::test]
async fn a2_colliding_names_stay_distinct_and_are_reported() {
    let (config, received) = echoing("s", &["a-b", "a_b"]);
    let bench = Setup::of([config]).start().await;
    let listed = bench.call("list_callable_tools", json!({})).await;
    let line = listed.result["content"][1]["text"].as_str().unwrap();
    assert!(line.starts_with("RENAMED to keep names distinct: mcp__s__a_b_"), "{line}");
    let listed = listed.facts;
    let names: Vec<&str> = listed["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(names.len(), 2);
    assert_ne!(names[0], names[1]);
    let mut mapped = Vec::new();
    for name in &names {
        bench.prints(&format!("await {name}()")).await;
        let inspected = bench.call("inspect_tool", json!({ "tool_name": name })).await.facts;
        mapped.push(inspected["wire_name"].as_str().unwrap().to_owned());
    }
    assert_eq!(called(&received), mapped);
    mapped.sort();
    assert_eq!(mapped, ["a-b", "a_b"]);
    let renamed = listed["renamed"].as_array().unwrap();
    assert!(!renamed.is_empty());
    for entry in renamed {
        assert_eq!(entry["server"], "s");
        assert!(names.contains(&entry["name"].as_str().unwrap()), "{entry}");
        assert!(mapped.contains(&entry["wire_name"].as_str().unwrap().to_owned()), "{entry}");
    }
}

#[tokio::test]
async fn a3_odd_names_are_callable_and_sent_as_they_are() {
    let odd = ["weird-name.v2", "class", "with space", "print", "__init__", "größe"];
    let (config, received) = echoing("s", &odd);
    let bench = Setup::of([config]).start().await;
    let callable = "mcp__s__weird_name_v2";
    assert_eq!(bench.prints(&format!("print(await {callable}(a=1))")).await, "{'a': 1}\n");
    assert_eq!(called(&received), ["weird-name.v2"]);
    let code = "for name in await list_callable_tools():\n    await globals()[name]()\nprint('all')";
    assert_eq!(bench.prints(code).await, "all\n");
    let mut sent = called(&received).split_off(1);
    sent.sort();
    let mut wanted: Vec<String> = odd.iter().map(|name| (*name).to_owned()).collect();
    wanted.sort();
    assert_eq!(sent, wanted);
}

#[tokio::test]
async fn a4_an_allow_list_keeps_everything_else_out() {
    let bench = Setup::of([echoing("fmp", &["quote", "history"]).0, echoing("m", &["iv", "flow"]).0])
        .allow(&["mcp__fmp__*", "mcp__m__iv"])
        .start()
        .await;
    assert_eq!(names(&bench).await, json!(["mcp__fmp__history", "mcp__fmp__quote", "mcp__m__iv"]));
    let failed = bench.run("await mcp__m__flow()").await;
    assert!(failed.is_error);
    assert!(
        failed.text.ends_with("\nToolError: 'mcp__m__flow' is not available in execute_program"),
        "{}",
        failed.text
    );
}

#[tokio::test]
async fn a4_a_block_list_keeps_what_it_names_out() {
    let (config, received) = echoing("srv", &["delete_all", "read"]);
    let bench = Setup::of([config]).block(&["mcp__*__delete_*"]).start().await;
    assert_eq!(names(&bench).await, json!(["mcp__srv__read"]));
    let code = "try:\n    await mcp__srv__delete_all()\nexcept ToolError as e:\n    print(e.kind, e)";
    assert_eq!(
        bench.prints(code).await,
        "unavailable 'mcp__srv__delete_all' is not available in execute_program\n"
    );
    assert_eq!(called(&received), Vec::<String>::new());
    let inspected = bench.call("inspect_tool", json!({ "tool_name": "mcp__srv__delete_all" })).await;
    assert!(inspected.is_error);
    assert_eq!(
        inspected.text,
        "[Tool not found] 'mcp__srv__delete_all' is not available in execute_program\nIt is blocked by this server's configuration."
    );
    let found = bench.call("search_tools", json!({ "query": "delete all" })).await;
    assert_eq!(found.facts["tools"], json!([]));
    let mut client = bench.client().await;
    assert!(!client.tools().await[1]["description"].as_str().unwrap().contains("delete_all"));
}

#[tokio::test]
async fn a_block_list_holds_when_names_collide_or_are_cut() {
    let long = format!("{}_delete", "x".repeat(140));
    let tools = ["delete_x", "delete.x", "repo_delete", "repo-delete", "Repo.Drop", "read.all", &long];
    let (config, received) = echoing("f", &tools);
    let globs = ["mcp__f__delete_x", "mcp__f__*_delete", "mcp__f__repo.drop"];
    let bench = Setup::of([config]).block(&globs).start().await;
    assert_eq!(names(&bench).await, json!(["mcp__f__read_all"]));
    let listed = bench.call("list_callable_tools", json!({})).await;
    assert_eq!(listed.facts["renamed"], json!([]), "nothing of a blocked tool is shown");
    assert!(!listed.result.to_string().contains("delete"), "{}", listed.result);
    let code = "for name in dir():\n    if name.startswith('mcp__'):\n        print(name)";
    assert_eq!(bench.prints(code).await, "mcp__f__read_all\n");
    assert_eq!(called(&received), Vec::<String>::new());
}

#[tokio::test]
async fn a5_a_declared_schema_is_shown_as_it_was_declared() {
    let declared = json!({
        "name": "query_financials",
        "description": "Fetch income/balance/cashflow statements for a ticker.",
        "inputSchema": { "type": "object", "properties": { "ticker": { "type": "string" } }, "required": ["ticker"] },
        "outputSchema": { "type": "array", "items": { "type": "object", "properties": { "revenue": { "type": "number" } } } },
    });
    let bench = Setup::of([answering(vec![(declared.clone(), "{}")])]).start().await;
    let inspected = bench.call("inspect_tool", json!({ "tool_name": "mcp__s__query_financials" })).await;
    assert!(!inspected.is_error);
    assert_eq!(
        inspected.text,
        r#"{
  "name": "mcp__s__query_financials",
  "description": "Fetch income/balance/cashflow statements for a ticker.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "ticker": {
        "type": "string"
      }
    },
    "required": [
      "ticker"
    ]
  },
  "outputSchema": {
    "type": "array",
    "items": {
      "type": "object",
      "properties": {
        "revenue": {
          "type": "number"
        }
      }
    }
  }
}"#
    );
    assert_eq!(inspected.facts["outputSchema"], declared["outputSchema"]);
    assert_eq!(inspected.facts.get("note"), None);
    assert_eq!(
        inspected.facts["signature"],
        "mcp__s__query_financials(ticker: string) -> Array<{ revenue?: number; }>"
    );
    assert_eq!(
        inspected.facts["typescript"],
        "declare const tools: {\n  /** Fetch income/balance/cashflow statements for a ticker. */\n  \
         mcp__s__query_financials(args: { ticker: string; }): Promise<Array<{ revenue?: number; }>>;\n};\n"
    );
    let python = inspected.facts["python"].as_str().unwrap();
    assert!(python.contains("async def mcp__s__query_financials(*, ticker: str) -> list["), "{python}");
    assert_eq!(inspected.facts["example"], json!({ "synthetic": true, "value": [] }));
}

#[tokio::test]
async fn inspect_tool_has_the_four_fixed_fields_unless_more_detail_is_asked_for() {
    let bench = Setup::of([sample("weather")]).start().await;
    let shown = async |detail: Option<&str>| {
        let mut arguments = json!({ "tool_name": "mcp__weather__get_weather" });
        arguments.as_object_mut().unwrap().extend(detail.map(|detail| ("detail".to_owned(), json!(detail))));
        let inspected = bench.call("inspect_tool", arguments).await;
        serde_json::from_str::<Value>(&inspected.text).unwrap()
    };
    let keys = |shown: &Value| shown.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let fixed = ["name", "description", "inputSchema", "outputSchema"];
    let brief = shown(None).await;
    assert_eq!(keys(&brief), fixed);
    assert_eq!(brief, shown(Some("brief")).await);
    let types = shown(Some("types")).await;
    assert_eq!(keys(&types)[4..], ["signature", "python"]);
    let full = shown(Some("full")).await;
    assert_eq!(keys(&full)[..6], keys(&types));
    assert_eq!((&full["server"], &full["wire_name"]), (&json!("weather"), &json!("get_weather")));
    assert_eq!(full["example"]["synthetic"], true);
    for (key, value) in brief.as_object().unwrap() {
        assert_eq!((&types[key], &full[key]), (value, value));
    }
}

#[tokio::test]
async fn a5_a_missing_schema_is_null_with_the_note() {
    let bench =
        Setup::of([answering(vec![(tool("t"), "{}"), (promising("empty", json!({})), "{}")])]).start().await;
    let note = "No output schema defined by the upstream server. Inspect the return value in your script (e.g., print(type(result), result[:1])) to determine the structure.";
    let inspected = bench.call("inspect_tool", json!({ "tool_name": "mcp__s__t" })).await;
    assert_eq!(
        inspected.text,
        format!(
            "{{\n  \"name\": \"mcp__s__t\",\n  \"description\": \"\",\n  \"inputSchema\": {{\n    \"type\": \"object\"\n  }},\n  \"outputSchema\": null,\n  \"note\": \"{note}\"\n}}"
        )
    );
    let inspected = bench.call("inspect_tool", json!({ "tool_name": "mcp__s__empty" })).await;
    assert!(
        inspected.text.contains("\"outputSchema\": null,\n  \"note\": \"No output schema"),
        "{}",
        inspected.text
    );
    assert_eq!(inspected.facts["outputSchema"], json!({}), "the raw schema stays visible");
}

#[tokio::test]
async fn a5_an_unknown_tool_is_an_error_with_the_fixed_text() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let inspected = bench.call("inspect_tool", json!({ "tool_name": "mcp__nonexistent__foo" })).await;
    assert!(inspected.is_error);
    assert_eq!(
        inspected.text,
        "[Tool not found] 'mcp__nonexistent__foo' is not available in execute_program"
    );
    let near = bench.call("inspect_tool", json!({ "tool_name": "mcp__m__ehco" })).await;
    assert_eq!(
        near.text,
        "[Tool not found] 'mcp__m__ehco' is not available in execute_program\nDid you mean mcp__m__echo?"
    );
}

#[tokio::test]
async fn a5_a_program_inspects_in_the_same_words() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let code = "import json\nfound = await inspect_tool(tool_name='mcp__m__echo')\nprint(json.dumps(found, indent=2))\n\
                try:\n    await inspect_tool(tool_name='mcp__nonexistent__foo')\nexcept ToolError as e:\n    print(e)";
    let outside = bench.call("inspect_tool", json!({ "tool_name": "mcp__m__echo" })).await.text;
    assert_eq!(
        bench.prints(code).await,
        format!("{outside}\n[Tool not found] 'mcp__nonexistent__foo' is not available in execute_program\n")
    );
}

#[tokio::test]
async fn a6_the_list_is_sorted_and_may_be_empty() {
    let empty = Setup::of([]).start().await;
    let listed = empty.call("list_callable_tools", json!({})).await;
    assert_eq!((listed.text.as_str(), listed.is_error), ("[]", false));
    assert_eq!(empty.prints("print(await list_callable_tools())").await, "[]\n");
    let bench = Setup::of([echoing("s", &["beta", "alpha"]).0]).start().await;
    let listed = bench.call("list_callable_tools", json!({})).await;
    assert_eq!(listed.text, r#"["mcp__s__alpha","mcp__s__beta"]"#);
    assert_eq!(listed.result["content"].as_array().unwrap().len(), 1, "no server is unavailable");
}

#[tokio::test]
async fn one_bad_tool_never_hides_the_others() {
    for scenario in [
        "no-input-schema",
        "input-schema-null",
        "input-schema-string",
        "output-schema-true",
        "output-schema-null",
        "output-schema-list",
        "tool-not-object",
        "no-name",
        "odd-names",
        "schema-invalid",
        "bomb-deep=2000",
        "huge-description=100000",
        "bad-header",
        "schema-external",
        "duplicate-names",
    ] {
        let bench = Setup::of([mock("m", scenario)]).start().await;
        assert_eq!(bench.prints("print(await mcp__m__add(a=1, b=2))").await, "{'sum': 3}\n", "{scenario}");
        let listed = names(&bench).await;
        assert!(listed.as_array().unwrap().contains(&json!("mcp__m__echo")), "{scenario}: {listed}");
        for name in listed.as_array().unwrap() {
            assert!(
                !bench.call("inspect_tool", json!({ "tool_name": name })).await.is_error,
                "{scenario}: {name}"
            );
        }
    }
}

#[tokio::test]
async fn a_schema_among_the_annotations_is_found() {
    let bench = Setup::of([mock("m", "output-in-annotations")]).start().await;
    let listed = names(&bench).await;
    let bad = listed
        .as_array()
        .unwrap()
        .iter()
        .find(|name| name.as_str().unwrap().contains("bad"))
        .unwrap()
        .clone();
    let inspected = bench.call("inspect_tool", json!({ "tool_name": bad })).await;
    assert!(inspected.facts["outputSchema"].is_object(), "{}", inspected.text);
    assert!(!inspected.text.contains("\"note\""));
}
