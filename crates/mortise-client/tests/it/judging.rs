//! Where results are judged.

use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::verdict::Status;
use mortise_contract::{Mode, ToolOutcome};
use mortise_testkit::answer;
use serde_json::{Value, json};

use crate::support::{PATIENCE, call, count, pool_of, tool, with_tools};

async fn warned(upstream: Upstream, tool: &'static str) -> ToolOutcome {
    let options = CallOptions { mode: Some(Mode::Warn), ..CallOptions::default() };
    upstream.call(call(tool, "{}"), options).await.unwrap()
}

#[tokio::test]
async fn strict_mode_refuses_a_tool_whose_output_schema_can_not_be_read() {
    let mut schema = json!({"type": "object"});
    schema["description"] = json!("x".repeat(600 * 1024));
    let mut large = tool("large");
    large["outputSchema"] = schema;
    let (config, received) = with_tools(json!([large]), |request| {
        vec![answer(request, json!({"content": [], "structuredContent": {"any": "thing"}}))]
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let outcome = warned(upstream.clone(), "large").await;
    assert!(matches!(outcome.verdict.status, Status::Unchecked { .. }), "{:?}", outcome.verdict);
    let options = CallOptions { mode: Some(Mode::Strict), ..CallOptions::default() };
    let refused = upstream.call(call("large", "{}"), options).await.unwrap_err();
    assert!(matches!(refused, CallError::SchemaUnusable { .. }), "{refused}");
    assert_eq!(count(&received, "tools/call"), 1);
    pool.shutdown().await;
}

#[test]
fn a_result_that_takes_long_to_judge_holds_up_no_other_call() {
    let one_thread_beside =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build().unwrap();
    one_thread_beside.block_on(async {
        let promising = |name: &str| {
            let mut tool = tool(name);
            let numbers = json!({"type": "array", "items": {"type": "integer"}});
            tool["outputSchema"] = json!({"type": "object", "properties": {"n": numbers}});
            tool
        };
        let (config, received) = with_tools(json!([promising("small"), promising("large")]), |request| {
            let mut numbers: Vec<Value> = vec![json!(1)];
            if request["params"]["name"] == "large" {
                numbers.extend((0..30_000).map(Value::from));
                numbers.push(json!("x"));
            }
            vec![answer(request, json!({"content": [], "structuredContent": {"n": numbers}}))]
        });
        let (pool, upstream) = pool_of(config);
        upstream.ready(PATIENCE).await.unwrap();
        // The schema is compiled beside.
        assert_eq!(warned(upstream.clone(), "small").await.verdict.status, Status::Valid);

        let (free, taken) = std::sync::mpsc::channel::<()>();
        let beside = tokio::task::spawn_blocking(move || taken.recv());
        let large = tokio::spawn(warned(upstream.clone(), "large"));
        while count(&received, "tools/call") < 2 {
            tokio::task::yield_now().await;
        }
        for _ in 0..100 {
            assert_eq!(warned(upstream.clone(), "small").await.verdict.status, Status::Valid);
        }
        assert!(!large.is_finished(), "it was judged where the calls are made");
        free.send(()).unwrap();
        beside.await.unwrap().unwrap();
        let large = large.await.unwrap();
        assert_eq!(large.verdict.status, Status::Invalid);
        assert_eq!(large.verdict.errors[0].instance_path, "/n/30001");
        pool.shutdown().await;
    });
}
