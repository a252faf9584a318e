//! A configuration that changes while clients are served.

use std::fs;

use super::*;

const LIST: &str = "print(await list_callable_tools())";

/// A server by name that plays a scenario of the mock.
fn server(name: &str, scenario: &str) -> String {
    let own = binary().display();
    format!("  - name: {name}\n    command: sh\n    args: [-c, '{own} mock {scenario}']\n")
}

impl Listening {
    /// The text of what a program came to.
    fn run(&self, code: &str) -> String {
        let ran = block_on(self.modern("tools/call", program(code)));
        response(&ran)["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_changed_configuration_is_taken_without_a_restart() {
    let world = World::new();
    world.write("changing.yaml", &format!("servers:\n{}", server("one", "ok")));
    block_on(async {
        let mut served = over_stdio(&world, &["serve", "--config", "changing.yaml"]);
        served.peer.initialize().await.unwrap();
        let ran = served.peer.request("tools/call", program(LIST)).await.unwrap();
        assert_eq!(output(&ran), "['mcp__one__add', 'mcp__one__echo']\n");
        world.write("changing.yaml", &format!("servers:\n{}{}", server("one", "ok"), server("two", "ok")));
        loop {
            served.peer.called("notifications/tools/list_changed").await.unwrap();
            let ran = served.peer.request("tools/call", program(LIST)).await.unwrap();
            if output(&ran) == "['mcp__one__add', 'mcp__one__echo', 'mcp__two__add', 'mcp__two__echo']\n" {
                break;
            }
        }
        let (_, stderr) = served.finish().await.unwrap();
        assert!(stderr.contains("the configuration was read again: started `two`"), "{stderr}");
    });
}

#[test]
fn how_results_are_checked_can_change() {
    let world = World::new();
    let servers = format!("servers:\n{}", server("m", "lie-mismatch"));
    world.write("changing.yaml", &servers);
    let mut served = Listening::start(&world, &["serve", "--config", "changing.yaml"]);
    let echo = "print(await mcp__m__echo(text='x'))";
    let ran = served.run(echo);
    assert!(ran.starts_with("[Script executed successfully]"), "{ran}");
    world.write("changing.yaml", &format!("{servers}validation: {{mode: strict}}\n"));
    served.wait_for("the configuration was read again: restarted `m`");
    let ran = served.run(echo);
    assert!(ran.contains("does not match its declared output schema"), "{ran}");
    served.stop();
}

#[test]
fn a_project_file_that_is_gone_or_not_trusted_changes_nothing() {
    let world = World::new();
    let own = world.project().join("../home/.config/mortise");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("mortise.yaml"), format!("servers:\n{}", server("other", "ok"))).unwrap();
    let path = world.write("mortise.yaml", &format!("servers:\n{}", server("one", "ok")));
    world.run(&["trust"]).expect_exit(0);
    let mut served = Listening::start(&world, &["serve"]);
    let before = served.run(LIST);
    assert!(before.contains("mcp__one__add") && !before.contains("mcp__other__add"), "{before}");

    fs::remove_file(path).unwrap();
    served.wait_for("everything stays as it was");
    served.wait_for("there is no file or folder `mortise.yaml`");
    assert_eq!(served.run(LIST), before);

    world.write("mortise.yaml", &format!("servers:\n{}{}", server("one", "ok"), server("two", "ok")));
    served.wait_for("everything stays as it was");
    served.wait_for("has changed since it was trusted");
    assert_eq!(served.run(LIST), before);

    world.run(&["trust"]).expect_exit(0);
    served.wait_for("the configuration was read again: started `two`");
    served.stop();
}

#[test]
fn a_new_lock_file_lets_a_held_tool_through_without_a_restart() {
    let world = World::new();
    let configure = |scenario: &str| {
        world.write("locked.yaml", &format!("lock: enforce\nservers:\n{}", server("m", scenario)));
    };
    configure("ok");
    world.run(&["lock", "--config", "locked.yaml"]).expect_exit(0);
    configure("poison");
    let mut served = Listening::start(&world, &["serve", "--config", "locked.yaml"]);
    let echo = "print(await mcp__m__echo(text='x'))";
    let ran = served.run(echo);
    assert!(ran.contains("'mcp__m__echo' is held back"), "{ran}");
    served.wait_for("a tool is held back until `mortise lock` records it");
    world.run(&["lock", "--config", "locked.yaml"]).expect_exit(0);
    served.wait_for("the configuration was read again: no server changed");
    let ran = served.run(echo);
    assert!(ran.starts_with("[Script executed successfully]"), "{ran}");
    served.stop();
}
