//! `mortise doctor`: what there is and what is wrong with it.

use crate::program::{World, binary, mock};

#[test]
fn a_healthy_server() {
    let ran = World::new().with("COLUMNS", "100").run(&[&["doctor"][..], &mock("ok")].concat());
    insta::assert_snapshot!(ran.text());
}

#[test]
fn problems_are_listed_per_server() {
    let server = |name: &str, scenario: &str| format!("{name}={} mock {scenario}", binary().display());
    let (odd, dead) = (server("odd", "schema-external"), server("dead", "die-at-start"));
    let world = World::new().with("COLUMNS", "100");
    let arguments = ["doctor", "--server", &odd, "--server", &dead];
    insta::assert_snapshot!(world.run(&arguments).expect_exit(4).text());
    let json = world.run(&[&arguments[..], &["--json"]].concat()).expect_exit(4).json();
    assert_eq!(json["servers"][0]["with_output_schema"], 3);
    assert_eq!(json["servers"][1]["state"], "failed");
}
