//! Everything stays small, however many tools and calls there are.

use mortise_executor::tools::LEDGER_META;
use serde_json::{Value, json};

use crate::bench::{Bench, Outcome, Setup};
use crate::servers::{answering, mock, sample, tool};

async fn description(bench: &Bench) -> String {
    let tools = bench.client().await.tools().await;
    let tool = tools.iter().find(|tool| tool["name"] == "execute_program").unwrap();
    tool["description"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_description_is_short_with_ten_thousand_tools() {
    let one = Setup::of([mock("big", "tools=10000")]).start().await;
    let many = Setup::of((0..20).map(|number| mock(&format!("server-{number}"), "tools=500"))).start().await;
    for bench in [&one, &many] {
        let shown = bench.call("search_tools", json!({ "query": "echo" })).await;
        assert_eq!(shown.facts["total"], 10_000);
        let description = description(bench).await;
        assert!(description.chars().count() <= 2_000, "{}", description.chars().count());
        assert!(description.starts_with("Runs one Python"), "usage comes first");
        assert!(description.contains("Tools:\n"), "{description}");
    }
}

#[tokio::test]
async fn search_finds_the_one_tool_among_ten_thousand() {
    let bench = Setup::of([mock("big", "tools=10000"), sample("weather")]).start().await;
    let found = bench.call("search_tools", json!({ "query": "weather of a city", "limit": 3 })).await;
    let tools = found.facts["tools"].as_array().unwrap();
    assert_eq!(tools[0]["name"], "mcp__weather__get_weather", "{tools:?}");
    assert!(tools.len() <= 3);
    let first = &tools[0];
    assert!(
        first["signature"].as_str().unwrap().starts_with("mcp__weather__get_weather(city: string"),
        "{first}"
    );
    assert!(first["signature"].as_str().unwrap().contains(") -> "), "{first}");
    assert!(found.text.contains(first["signature"].as_str().unwrap()));
    let exact = bench.call("search_tools", json!({ "query": "tool_007777" })).await;
    assert_eq!(exact.facts["tools"][0]["name"], "mcp__big__tool_007777");
    let usual = bench.call("search_tools", json!({ "query": "gives back its text" })).await;
    assert_eq!(usual.facts["tools"].as_array().unwrap().len(), 10, "ten unless asked otherwise");
    let most = bench.call("search_tools", json!({ "query": "gives back its text", "limit": 100 })).await;
    assert_eq!(most.facts["tools"].as_array().unwrap().len(), 100);
    let none = bench.call("search_tools", json!({ "query": "xylophone" })).await;
    assert_eq!((none.text.as_str(), &none.facts["tools"]), ("No tool matches `xylophone`.", &json!([])));
}

#[tokio::test]
async fn search_shows_as_much_as_is_asked_for() {
    let bench = Setup::of([mock("big", "tools=200"), sample("weather")]).start().await;
    let ask = |detail: &str| json!({ "query": "current weather in a city", "limit": 1, "detail": detail });
    let [brief, types, full] = ["brief", "types", "full"].map(ask);
    let brief = bench.call("search_tools", brief).await;
    assert_eq!(brief.facts["tools"][0]["name"], "mcp__weather__get_weather");
    assert_eq!(brief.facts["tools"][0]["python"], Value::Null);
    let lines: Vec<&str> = brief.text.lines().collect();
    assert_eq!(lines.len(), 3, "{}", brief.text);
    assert!(lines[2].ends_with(" more tools match; a larger limit shows them."), "{}", lines[2]);
    let types = bench.call("search_tools", types).await;
    let python = types.facts["tools"][0]["python"].as_str().unwrap();
    assert!(python.contains("async def mcp__weather__get_weather(*, city: str)"), "{python}");
    assert!(types.text.contains(python.trim_end()), "{}", types.text);
    let full = bench.call("search_tools", full).await;
    let entry = &full.facts["tools"][0];
    assert_eq!(entry["inputSchema"]["required"], json!(["city"]));
    assert!(full.text.contains(&format!("{:#}", entry["outputSchema"])), "{}", full.text);
    let wide = json!({ "query": "gives back its text", "limit": 100, "detail": "full" });
    let wide = bench.call("search_tools", wide).await;
    assert!(wide.facts.to_string().len() < 192 * 1024, "{}", wide.facts.to_string().len());
    assert_eq!(wide.facts["tools"].as_array().unwrap().len(), 100);
}

/// What holds for every run, however many calls it made.
#[track_caller]
fn assert_small(ran: &Outcome, calls: usize) {
    let output = ran.facts["output"].as_str().unwrap().len();
    let facts = ran.facts.to_string().len();
    assert!(facts <= output + 4096, "{facts} bytes for {output} bytes of output");
    let summary = ran.facts["ledger"].to_string().len();
    assert!(summary <= 2048, "{summary} bytes of summary");
    let detail = &ran.result["_meta"][LEDGER_META];
    assert!(detail.to_string().len() <= 64 * 1024, "{} bytes of ledger", detail.to_string().len());
    let omitted = detail["omitted"].as_u64().unwrap() as usize;
    assert_eq!(ran.calls().len() + omitted, calls);
    assert_eq!(ran.facts["ledger"]["calls"], calls);
    assert_eq!(ran.facts.get("calls"), None);
}

#[tokio::test]
async fn a_thousand_calls_leave_the_facts_small() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let code = "import asyncio\nsums = await asyncio.gather(*(mcp__m__add(a=n, b=1) for n in range(1000)))\nprint(sum(s['sum'] for s in sums))";
    let ran = bench.run(code).await;
    assert_eq!(ran.facts["output"], "500500\n");
    assert_small(&ran, 1000);
    let ledger = &ran.facts["ledger"];
    let tool = &ledger["tools"][0];
    assert_eq!(
        (&tool["tool"], &tool["calls"], &tool["failed"]),
        (&json!("mcp__m__add"), &json!(1000), &json!(0))
    );
    assert_eq!(tool["verdicts"], json!({ "valid": 1000 }));
    let bytes = ledger["bytes_from_tools"].as_u64().unwrap();
    assert!(bytes > 50_000, "{bytes}");
    assert_eq!(ledger["bytes_kept_out"], bytes - 7);
}

#[tokio::test]
async fn a_thousand_failing_calls_with_long_errors_stay_small_too() {
    let long =
        json!({ "isError": true, "content": [{ "type": "text", "text": "no ".repeat(2_000) }] }).to_string();
    let bench = Setup::of([answering(vec![(tool("t"), &long)])]).start().await;
    let code = "import asyncio\nawait asyncio.gather(*(mcp__s__t(argument='y' * 1000) for n in range(1000)), return_exceptions=True)\nprint('x' * 60_000)";
    let ran = bench.run(code).await;
    assert!(!ran.is_error);
    assert_small(&ran, 1000);
    assert_eq!(ran.facts["ledger"]["failures"].as_array().unwrap().len(), 5);
    let arguments = ran.calls()[0]["args"].as_str().unwrap().to_owned();
    assert_eq!(arguments.chars().count(), 201, "cut at 200 with an ellipsis: {arguments}");
}

#[tokio::test]
async fn a_call_of_each_of_five_hundred_tools_stays_small_too() {
    let bench = Setup::of([mock("m", "tools=500")]).start().await;
    let code = "import asyncio\nnames = [n for n in await list_callable_tools() if 'tool_' in n]\n\
                await asyncio.gather(*(globals()[n](text='x') for n in names))\nprint(len(names))";
    let ran = bench.run(code).await;
    assert_eq!(ran.facts["output"], "498\n");
    assert_small(&ran, 498);
    let shown = ran.facts["ledger"]["tools"].as_array().unwrap().len() as u64;
    assert_eq!(ran.facts["ledger"]["tools_omitted"], 498 - shown);
}

#[tokio::test]
async fn arguments_are_shown_sorted() {
    let bench = Setup::of([mock("m", "ok")]).start().await;
    let ran = bench.run("await mcp__m__add(b=2, a=1)").await;
    assert_eq!(ran.only_call()["args"], r#"{"a":1,"b":2}"#);
    let keys: Vec<String> = match ran.only_call() {
        Value::Object(members) => members.keys().cloned().collect(),
        _ => Vec::new(),
    };
    assert_eq!(keys, ["tool", "args", "ok", "ms", "bytes", "verdict"]);
}
