//! Without any configuration the samples are there.

use crate::program::World;

const NOTE: &str = "note: nothing is configured, so the built-in sample servers are used\n";

#[test]
fn every_sample_is_listed() {
    let world = World::new();
    let ran = world.run(&["tools", "--json"]).expect_exit(0);
    assert_eq!(ran.stderr, NOTE);
    let json = ran.json();
    let servers: Vec<&str> =
        json["servers"].as_array().unwrap().iter().map(|server| server["name"].as_str().unwrap()).collect();
    let listed = world.run(&["sample", "--list", "--json"]).expect_exit(0).json();
    let samples: Vec<&str> =
        listed["samples"].as_array().unwrap().iter().map(|sample| sample["name"].as_str().unwrap()).collect();
    assert_eq!(servers, samples);
    assert!(samples.contains(&"financial-data") && samples.contains(&"doc-retrieval"));
}

#[test]
fn a_sample_is_called_by_its_bare_name() {
    let ran = World::new().run(&["call", "query_financials", "ticker=AMZN", "statement=income", "limit=2"]);
    insta::assert_snapshot!(ran.text());
}

#[test]
fn a_sample_is_inspected() {
    let ran = World::new().with("COLUMNS", "100").run(&["inspect", "query_financials"]);
    insta::assert_snapshot!(ran.text());
}

#[test]
fn an_unknown_sample_gets_the_nearest_name() {
    let ran = World::new().run(&["sample", "financal-data"]).expect_exit(1);
    assert_eq!(
        ran.stderr,
        "error: there is no sample `financal-data`\nhint: did you mean `financial-data`?\n"
    );
}

#[test]
fn a_sample_started_as_a_process_is_the_same_server() {
    let world = World::new();
    let binary = crate::program::binary().to_str().unwrap();
    let arguments = ["tools", "--json", "financial-data"];
    let inside = world.run(&arguments).expect_exit(0).json();
    let server = format!("financial-data={binary} sample financial-data");
    let outside = world.run(&[&arguments[..], &["--server", &server]].concat()).expect_exit(0).json();
    assert_eq!(inside["tools"], outside["tools"]);
}
