//! Which servers are used, and what is said when a configuration is wrong.

use crate::program::{World, binary};

fn with_mock(world: &World, name: &str) {
    let text = format!(
        "servers:\n  - name: mocked\n    command: {}\n    args: [mock, ok]\n",
        binary().with_file_name("mortise-under-another-name").display()
    );
    world.write(name, &text);
}

#[test]
fn a_configured_server_is_used() {
    let world = World::new();
    world.write("mine.yaml", "servers:\n  gone:\n    command: /nowhere/at-all\n");
    let ran = world.run(&["tools", "--config", "mine.yaml"]).expect_exit(4);
    assert!(ran.stderr.contains("there is no program `/nowhere/at-all`"), "{}", ran.stderr);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let world = World::new();
    world.write("wrong.yaml", "servers:\n  - name: a\n    comand: x\n");
    insta::assert_snapshot!(world.run(&["tools", "--config", "wrong.yaml"]).text());
}

#[test]
fn a_configuration_that_names_mortise_itself_ends_cleanly() {
    let world = World::new();
    let own = binary().display();
    world.write("self.yaml", &format!("servers:\n  - name: again\n    command: {own}\n    args: [tools]\n"));
    insta::assert_snapshot!(world.run(&["tools", "--config", "self.yaml"]).text());
}

#[test]
fn a_loop_through_a_wrapper_ends_too() {
    let world = World::new();
    let own = binary().display();
    let script =
        format!("#!/bin/sh\nexec {own} tools --config {}\n", world.project().join("loop.yaml").display());
    let wrapper = world.write("wrapper.sh", &script);
    world.write(
        "loop.yaml",
        &format!("servers:\n  - name: again\n    command: sh\n    args: [{}]\n", wrapper.display()),
    );
    let ran = world.run(&["tools", "--config", "loop.yaml"]);
    assert_eq!(ran.exit, Some(4), "{}", ran.text());
}

#[test]
fn a_server_on_the_command_line_replaces_the_configuration() {
    let world = World::new();
    world.write("mortise.yaml", "this is: [not, a configuration\n");
    let server = format!("good={} mock ok", binary().display());
    world.run(&["tools", "--server", &server]).expect_exit(0);
}

#[test]
fn the_same_name_twice_is_refused() {
    let world = World::new();
    with_mock(&world, "one.yaml");
    let server = format!("mocked={} mock ok", binary().display());
    let ran = world.run(&["tools", "--config", "one.yaml", "--server", &server]).expect_exit(1);
    assert!(
        ran.stderr.contains("`mocked` is on the command line and in the configuration"),
        "{}",
        ran.stderr
    );
}
