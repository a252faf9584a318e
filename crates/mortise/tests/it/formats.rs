//! `mortise formats check` and the schemas of the formats.

use serde_json::{Value, json};

use crate::program::{World, mock};

const PARSER: &str = "TOPIC = 'orders'\nSINK = 'csv'\n\n\ndef parse(file_path: str):\n    return []\n";

fn parser(code: &str) -> String {
    let value = json!({"format": "code", "code": code, "code_language": "python", "code_description": "Reads orders."});
    json!({"content": [{"type": "text", "text": value.to_string()}], "structuredContent": value}).to_string()
}

#[test]
fn a_result_that_keeps_its_format() {
    let world = World::new();
    world.write("result.json", &parser(PARSER));
    let ran = world.run(&["formats", "check", "result.json", "--tool", "generate_parser"]).expect_exit(0);
    insta::assert_snapshot!(ran.stdout, @"
    Format: code
      ✓ rule 1 (code): source text is in `code`, with a language and a description, and parses
      ✓ one_format: a result has the fields of one format
      ✓ presence: what is absent is left out, not null
      ✓ transport: the first text block is the same JSON as the structured value
    ");
}

#[test]
fn a_result_that_does_not_says_what_to_do() {
    let world = World::new();
    world.write("result.json", &parser(&PARSER.replace("SINK = 'csv'", "# SINK = 'csv'")));
    let arguments = ["formats", "check", "result.json", "--tool", "generate_parser"];
    let ran = world.run(&arguments).expect_exit(6);
    insta::assert_snapshot!(ran.stdout, @"
    Format: code
      ✗ rule 1 (code): source text is in `code`, with a language and a description, and parses
        ERR_BRIDGE_PROTOCOL at `SINK` on line 1: `SINK` is not set at the top of the module
        Fix: write `SINK = \"parquet\"` once, at the top of the module
      ✓ one_format: a result has the fields of one format
      ✓ presence: what is absent is left out, not null
      ✓ transport: the first text block is the same JSON as the structured value
    ");
    let ran = world.run(&[&arguments[..], &["--json"]].concat()).expect_exit(6);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&report["ok"], &report["format"]), (&json!(false), &json!("code")));
    assert_eq!(report["rules"][0]["errors"][0]["error_code"], "ERR_BRIDGE_PROTOCOL");
}

#[test]
fn the_output_of_call_can_be_checked_from_stdin() {
    let world = World::new();
    let called = world.run(&[&["call", "add", "a=1", "b=2", "--json"][..], &mock("ok")].concat()).stdout;
    let ran = world.run_with_input(&["formats", "check", "-"], &called).expect_exit(6);
    assert!(ran.stdout.starts_with("Format: none that can be recognised\n"), "{}", ran.stdout);
}

#[test]
fn what_can_not_be_read_is_a_wrong_command_line() {
    let world = World::new();
    world.run(&["formats", "check", "missing.json"]).expect_exit(1);
    world.write("result.json", "not JSON");
    let ran = world.run(&["formats", "check", "result.json"]).expect_exit(1);
    assert!(ran.stderr.contains("`result.json` is not JSON"), "{}", ran.stderr);
}

#[test]
fn schemas_are_printed_and_are_those_of_the_libraries() {
    let world = World::new();
    let print = |name: &str| -> Value {
        serde_json::from_str(&world.run(&["schema", name]).expect_exit(0).stdout).unwrap()
    };
    assert_eq!(print("extraction-rules"), mortise_formats::rules::schema());
    assert_eq!(print("error-body"), mortise_formats::format::error_schema());
    assert_eq!(print("output-formats")["oneOf"].as_array().map(Vec::len), Some(4));
}
