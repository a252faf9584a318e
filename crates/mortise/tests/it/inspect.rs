//! `mortise inspect`: one contract.

use crate::program::{World, mock};

#[track_caller]
fn text(arguments: &[&str], scenario: &str) -> String {
    World::new().with("COLUMNS", "90").run(&[arguments, &mock(scenario)].concat()).text()
}

#[test]
fn a_tool_with_an_output_schema() {
    insta::assert_snapshot!(text(&["inspect", "add"], "ok"));
}

#[test]
fn a_tool_without_one() {
    insta::assert_snapshot!(text(&["inspect", "echo"], "text-json"));
}

#[test]
fn a_schema_that_can_not_be_used() {
    insta::assert_snapshot!(text(&["inspect", "bad"], "schema-external"));
}

#[test]
fn an_array_root() {
    insta::assert_snapshot!(text(&["inspect", "bad"], "schema-array-root"));
}

#[test]
fn json_is_the_wire_object_with_what_we_know() {
    insta::assert_snapshot!(text(&["inspect", "bad", "--json"], "output-schema-true"));
}

#[test]
fn a_schema_bomb_is_shown_in_no_time() {
    for scenario in ["bomb-exponential", "bomb-deep", "bomb-wide", "bomb-enum"] {
        let ran = World::new().run(&[&["inspect", "bad"][..], &mock(scenario)].concat()).expect_exit(0);
        assert!(ran.stdout.contains("Checked  no: "), "{scenario}: {}", ran.stdout);
    }
}
