//! `mortise doctor`: what there is and what is wrong with it.

use crate::program::{World, binary, mock};

#[test]
fn a_healthy_server() {
    let ran = World::new().with("COLUMNS", "100").run(&[&["doctor"][..], &mock("ok")].concat());
    insta::assert_snapshot!(without_hash(&ran.text()));
}

/// The name of the compiled interpreter without the hash of its content, which differs between builds.
fn without_hash(text: &str) -> String {
    let Some((before, after)) = text.split_once("/python-") else { return text.to_owned() };
    let (_, after) = after.split_once(".cwasm").unwrap();
    format!("{before}/python-[HASH].cwasm{after}")
}

#[test]
fn problems_are_listed_per_server() {
    let server = |name: &str, scenario: &str| format!("{name}={} mock {scenario}", binary().display());
    let (odd, dead) = (server("odd", "schema-external"), server("dead", "die-at-start"));
    let world = World::new().with("COLUMNS", "100");
    let arguments = ["doctor", "--server", &odd, "--server", &dead];
    insta::assert_snapshot!(without_hash(&world.run(&arguments).expect_exit(4).text()));
    let json = world.run(&[&arguments[..], &["--json"]].concat()).expect_exit(4).json();
    assert_eq!(json["servers"][0]["with_output_schema"], 3);
    assert_eq!(json["servers"][1]["state"], "failed");
}
