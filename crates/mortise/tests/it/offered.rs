//! Resources and prompts from the shell, and what a result holds beside text.

use crate::program::{World, binary, mock};

#[test]
fn resources_are_listed_and_read() {
    let world = World::new();
    let listed = world.run(&[&["tools", "--resources"][..], &mock("ok")].concat()).expect_exit(0);
    insta::assert_snapshot!(listed.stdout);
    let json = world.run(&[&["tools", "--resources", "--json"][..], &mock("ok")].concat()).json();
    let uri = json["resources"][0]["uri"].as_str().unwrap().to_owned();
    assert_eq!(json["resources"][0]["server"], "mortise");
    let read = world.run(&[&["read", &uri][..], &mock("ok")].concat()).expect_exit(0);
    let whole = world.run(&[&["read", &uri, "--json"][..], &mock("ok")].concat()).expect_exit(0).json();
    assert_eq!(read.stdout, whole["contents"][0]["text"].as_str().unwrap());
    world.run(&[&["read", &uri, "--save", "saved.txt"][..], &mock("ok")].concat()).expect_exit(0);
    assert_eq!(std::fs::read_to_string(world.project().join("saved.txt")).unwrap(), read.stdout);
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let world = World::new();
    let listed = world.run(&[&["tools", "--prompts"][..], &mock("ok")].concat()).expect_exit(0);
    insta::assert_snapshot!(listed.stdout);
    let filled = world.run(&[&["prompt", "greeting", "who=Ada"][..], &mock("ok")].concat()).expect_exit(0);
    assert!(filled.stdout.contains("Ada"), "{}", filled.stdout);
    let json = world.run(&[&["prompt", "mortise/greeting", "who=Ada", "--json"][..], &mock("ok")].concat());
    assert!(json.expect_exit(0).json()["messages"].is_array());
}

#[test]
fn images_are_saved() {
    let world = World::new();
    world.write(
        "draw.yaml",
        "version: 1\ntools:\n  - declaration: {name: draw, inputSchema: {type: object}}\n    \
         result: {content: [{type: image, data: aGVsbG8=, mimeType: image/png}, \
         {type: resource, resource: {uri: 'x://y', mimeType: text/plain, blob: aG8=}}]}\n",
    );
    let server = ["--", binary().to_str().unwrap(), "mock", "ok", "--script", "draw.yaml"];
    let draw = |to: &str| world.run(&[&["call", "draw", "--save", to][..], &server].concat()).expect_exit(0);
    let read = |name: &str| std::fs::read_to_string(world.project().join(name)).unwrap();
    assert!(draw("one.png").stderr.contains("saved `one.png`: image/png, 5 B"));
    assert_eq!((read("one.png"), read("one-2.png")), ("hello".to_owned(), "ho".to_owned()));
    draw("out/");
    draw("out/");
    assert_eq!((read("out/draw.png"), read("out/draw-2.png")), ("hello".to_owned(), "hello".to_owned()));
    assert_eq!(read("out/draw.txt"), "ho");
}

#[test]
fn a_search_lists_what_has_to_do_with_the_words() {
    let world = World::new();
    let found = world.run(&["tools", "--samples", "--search", "bmi"]).expect_exit(0).stdout;
    assert!(found.contains("calculate_bmi") && !found.contains("list_tickers"), "{found}");
    let json = world.run(&["tools", "--samples", "--search", "ticket", "--json"]).expect_exit(0).json();
    assert!(json["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "create_ticket"), "{json}");
    let none = world.run(&["tools", "--samples", "--search", "zzzzqqq"]).expect_exit(0);
    assert_eq!(
        (none.stdout.as_str(), none.stderr.as_str()),
        ("", "note: no tool has to do with `zzzzqqq`\n")
    );
}
