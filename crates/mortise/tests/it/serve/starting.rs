//! What an agent gets from `mortise serve` while servers start.

use mortise_testkit::RawChild;
use serde_json::json;

use super::{block_on, over_stdio};
use crate::program::{World, binary};

/// A server that answers, unless there is a file `hang`: then it starts forever.
const SERVE: &[&str] = &["serve", "--server", "m=sh server.sh"];

async fn description(served: &mut RawChild) -> String {
    served.peer.initialize().await.unwrap();
    let listed = served.peer.request("tools/list", json!({})).await.unwrap();
    let tools = listed["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "execute_program").unwrap();
    tool["description"].as_str().unwrap().to_owned()
}

#[test]
fn the_first_list_has_the_tools_also_of_a_server_that_is_still_starting() {
    let world = World::new();
    let script = format!("if [ -e hang ]; then exec sleep 60; fi; exec {} mock ok", binary().display());
    world.write("server.sh", &script);
    let tools = "Tools:\nm (2): mcp__m__add, mcp__m__echo";
    block_on(async {
        let mut served = over_stdio(&world, SERVE);
        let text = description(&mut served).await;
        assert!(text.ends_with(tools) && !text.contains("starting"), "{text}");
        assert_eq!(served.finish().await.unwrap().0.code(), Some(0));
        world.write("hang", "");
        let mut served = over_stdio(&world, SERVE);
        let text = description(&mut served).await;
        assert!(text.ends_with(tools) && text.contains("Still starting when this was listed: m."), "{text}");
        assert_eq!(served.finish().await.unwrap().0.code(), Some(0));
    });
    let cache = world.home().join(".cache/mortise/tools");
    let files: Vec<_> = std::fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
}
