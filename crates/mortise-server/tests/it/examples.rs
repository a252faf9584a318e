//! The example servers, as a client starts them.

use std::path::PathBuf;

use mortise_testkit::{PeerError, RawChild};
use serde_json::{Value, json};
use tokio::process::Command;

/// Cargo builds examples next to the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    let profile = test.ancestors().nth(2).expect("tests are two levels below the profile");
    profile.join("examples").join(name)
}

async fn call(child: &mut RawChild, tool: &str, arguments: Value) -> Result<Value, PeerError> {
    let mut answer =
        child.peer.request("tools/call", json!({ "name": tool, "arguments": arguments })).await?;
    Ok(answer["result"].take())
}

#[tokio::test]
async fn both_weather_examples_do_the_same() -> Result<(), PeerError> {
    for name in ["weather_typed", "weather_raw"] {
        let mut child = RawChild::spawn(Command::new(example(name)))?;
        child.peer.initialize().await?;
        let listed = child.peer.request("tools/list", json!({})).await?;
        let tools = listed["result"]["tools"].as_array().unwrap();
        let with_schema: Vec<_> = tools
            .iter()
            .map(|tool| (tool["name"].as_str().unwrap(), tool.get("outputSchema").is_some()))
            .collect();
        assert_eq!(
            with_schema,
            [("get_weather", true), ("analyze_csv", true), ("calculate_bmi", true), ("list_cities", false)]
        );
        assert_eq!(
            call(&mut child, "get_weather", json!({ "city": "Lisbon" })).await?,
            json!({
                "content": [{ "type": "text", "text": "21.5 °C in Lisbon" }],
                "structuredContent": { "city": "Lisbon", "temperature": 21.5, "humidity": 60, "sky": "clear" },
            })
        );
        let bmi = call(&mut child, "calculate_bmi", json!({ "height_cm": 200, "weight_kg": 80 })).await?;
        assert_eq!(bmi["structuredContent"], json!({ "bmi": 20.0, "category": "normal" }));
        let csv = call(&mut child, "analyze_csv", json!({ "csv": "a,b\n1,x\n3,y" })).await?;
        assert_eq!(
            csv["structuredContent"],
            json!({ "result": [{ "name": "a", "mean": 2.0 }, { "name": "b" }] })
        );
        let nowhere = call(&mut child, "get_weather", json!({ "city": "Nowhere" })).await?;
        assert_eq!(nowhere["isError"], true);
        let (status, stderr) = child.finish().await?;
        assert!(status.success(), "{stderr}");
        assert_eq!(stderr, "");
    }
    Ok(())
}
