//! Rows and laws of the diff.

use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::schema::{CompiledSchema, SchemaOptions, Validation};

#[derive(Deserialize)]
struct Row {
    name: String,
    old: Value,
    new: Value,
    rule: Option<String>,
    input: String,
    output: String,
}

fn rows() -> Vec<Row> {
    serde_json::from_str(include_str!("../../tests/cases/diff.json")).unwrap()
}

/// `B`, `W`, `S`, `I` or `-` for what the row's rule says; every break must be shown by a real value.
fn outcome(row: &Row, role: Role) -> String {
    let changes = diff_schemas(&row.old, &row.new, role);
    assert_witnesses(&row.old, &row.new, role, &changes, &row.name);
    let Some(rule) = &row.rule else {
        return if changes.is_empty() { "-".to_owned() } else { format!("{changes:?}") };
    };
    match changes.iter().find(|change| change.rule.id() == rule) {
        Some(change) => change.level.to_string()[..1].to_uppercase(),
        None => format!("no `{rule}` in {changes:?}"),
    }
}

#[track_caller]
fn assert_witnesses(old: &Value, new: &Value, role: Role, changes: &[Change], name: &str) {
    let (from, into) = match role {
        Role::Input => (old, new),
        Role::Output => (new, old),
    };
    let compile = |schema| CompiledSchema::compile(schema, &SchemaOptions::default()).unwrap();
    for change in changes.iter().filter(|change| change.level == Level::Breaking) {
        let witness = change.witness.as_ref().unwrap_or_else(|| panic!("{name}: no witness for {change:?}"));
        assert_eq!(compile(from).validate(witness), Validation::Valid, "{name}: {change:?}");
        assert!(matches!(compile(into).validate(witness), Validation::Invalid { .. }), "{name}: {change:?}");
    }
}

#[test]
fn every_rule_of_the_table_holds_in_both_directions() {
    let mut wrong = Vec::new();
    for row in rows() {
        for (role, wanted) in [(Role::Input, &row.input), (Role::Output, &row.output)] {
            let found = outcome(&row, role);
            if !wanted.split('|').any(|wanted| wanted == found) {
                wrong.push(format!("{} ({role}): wanted {wanted}, found {found}", row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_and_rows_are_enough_and_named_apart() {
    let rows = rows();
    let names: std::collections::HashSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows.len());
    let ids: std::collections::HashSet<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    assert_eq!(ids.len(), Rule::ALL.len());
    assert!(rows.iter().all(|row| row.rule.as_deref().is_none_or(|rule| ids.contains(rule))));
    // What is said of whole tools, servers, resources and prompts has tests of its own, and so has what can't be said.
    let of_schemas = Rule::ALL.iter().map(|rule| rule.id()).filter(|id| {
        let others = ["tool-", "output-schema-", "server-", "resource-", "prompt-", "capability-", "hint-"];
        let single = [
            "schema-unusable",
            "unexplained",
            "not-compared",
            "description-changed",
            "title-changed",
            "field-changed",
            "rewritten",
            "instructions-changed",
            "mime-type-changed",
        ];
        !others.iter().any(|start| id.starts_with(start)) && !single.contains(id)
    });
    for id in of_schemas {
        assert!(rows.iter().any(|row| row.rule.as_deref() == Some(id)), "no row for {id}");
    }
    assert!(rows.len() >= 150, "{}", rows.len());
}

#[test]
fn nothing_differs_from_itself() {
    for row in rows() {
        for schema in [&row.old, &row.new] {
            for role in [Role::Input, Role::Output] {
                assert_eq!(diff_schemas(schema, schema, role), [], "{}", row.name);
            }
        }
    }
}

#[test]
fn input_and_output_are_mirror_images() {
    // The table is no mirror for undeclared properties: an output that opens is only a warning.
    let lenient = [Rule::Opened, Rule::OptionalPropertyAdded, Rule::OptionalPropertyRemoved];
    for row in rows() {
        if diff_schemas(&row.old, &row.new, Role::Input)
            .iter()
            .any(|change| lenient.contains(&change.rule) || change.rule == Rule::Closed)
        {
            continue;
        }
        let broken = |old, new, role| {
            diff_schemas(old, new, role).iter().any(|change| change.proof == Proof::Witnessed)
        };
        assert_eq!(
            broken(&row.old, &row.new, Role::Input),
            broken(&row.new, &row.old, Role::Output),
            "{}: what narrows forwards widens backwards",
            row.name
        );
    }
}

fn tool(raw: Value) -> crate::Contract {
    crate::Contract::parse(crate::RawJson::parse(&raw.to_string()).unwrap()).unwrap()
}

#[track_caller]
fn check_tools(old: Value, new: Value, expected: &[&str]) {
    let list = |tools: Value| -> Vec<crate::Contract> {
        tools.as_array().unwrap().iter().cloned().map(tool).collect()
    };
    let shown: Vec<String> = diff_tools(&list(old), &list(new))
        .into_iter()
        .map(|(name, change)| format!("{name} {} {} {}", change.rule, change.level, change.pointer))
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn tools_come_and_go() {
    check_tools(
        json!([{"name": "a"}, {"name": "b"}]),
        json!([{"name": "b"}, {"name": "c"}]),
        &["a tool-removed breaking ", "c tool-added safe "],
    );
}

#[test]
fn declarations_change() {
    check_tools(
        json!([{"name": "a", "description": "x", "annotations": {"readOnlyHint": true, "vendor": 1}, "outputSchema": {"type": "object"}}]),
        json!([{"name": "a", "description": "y", "annotations": {"readOnlyHint": false, "vendor": 2}, "x-more": 1, "title": "T"}]),
        &[
            "a description-changed warning /description",
            "a title-changed info /title",
            "a output-schema-removed breaking /outputSchema",
            "a hint-worsened warning /annotations/readOnlyHint",
            "a field-changed info /x-more",
            "a field-changed info /annotations/vendor",
        ],
    );
}

#[test]
fn an_output_schema_that_can_not_be_read_is_not_called_absent() {
    let readable = json!([{"name": "a", "outputSchema": {"type": "object"}}]);
    let unreadable =
        json!([{"name": "a", "outputSchema": {"type": "object", "description": "x".repeat(512 * 1024)}}]);
    let unusable = ["a schema-unusable breaking /outputSchema"];
    check_tools(readable.clone(), unreadable.clone(), &unusable);
    check_tools(unreadable, readable, &["a schema-unusable warning /outputSchema"]);
}

#[test]
fn resources_and_prompts_change() {
    let items = |items: Value| -> Vec<serde_json::Map<String, Value>> {
        items.as_array().unwrap().iter().map(|item| item.as_object().unwrap().clone()).collect()
    };
    let shown = |changes: Vec<(String, Change)>| -> Vec<String> {
        changes.into_iter().map(|(name, change)| format!("{name} {} {}", change.rule, change.level)).collect()
    };
    let old = items(json!([{"uri": "a:1", "mimeType": "text/plain"}, {"uri": "a:2"}]));
    let new = items(json!([{"uri": "a:1", "mimeType": "text/html"}, {"uri": "a:3"}]));
    assert_eq!(
        shown(diff_resources(&old, &new, "uri")),
        ["a:1 mime-type-changed warning", "a:2 resource-removed breaking", "a:3 resource-added safe",]
    );
    let old = items(
        json!([{"name": "p", "arguments": [{"name": "a"}, {"name": "b", "required": true}, {"name": "c"}]}]),
    );
    let new = items(
        json!([{"name": "p", "arguments": [{"name": "a", "required": true}, {"name": "b"}, {"name": "d", "required": true}, {"name": "e"}]}]),
    );
    assert_eq!(
        shown(diff_prompts(&old, &new)),
        [
            "p prompt-argument-required breaking",
            "p prompt-argument-optional safe",
            "p prompt-argument-removed warning",
            "p prompt-argument-added breaking",
            "p prompt-argument-added safe",
        ]
    );
}

#[test]
fn prompts_come_and_go_and_change_their_words() {
    let items = |items: Value| -> Vec<serde_json::Map<String, Value>> {
        items.as_array().unwrap().iter().map(|item| item.as_object().unwrap().clone()).collect()
    };
    let old = items(json!([
        {"name": "a"},
        {"name": "p", "description": "x", "arguments": [{"name": "q", "description": "one"}, {"name": "r", "x": 1}, {"name": "s"}]},
    ]));
    let new = items(json!([
        {"name": "b"},
        {"name": "p", "description": "y", "arguments": [{"name": "q", "description": "two"}, {"name": "r", "x": 2}, {"name": "s", "title": "S", "required": true}]},
    ]));
    let shown: Vec<String> = diff_prompts(&old, &new)
        .into_iter()
        .map(|(name, change)| format!("{name} {} {} {}", change.rule, change.level, change.message))
        .collect();
    assert_eq!(
        shown,
        [
            "a prompt-removed breaking the prompt `a` is gone",
            "b prompt-added safe the prompt `b` is new",
            "p text-changed info the argument `q` changed",
            "p field-changed info the argument `r` changed",
            "p prompt-argument-required breaking `s` is required now",
            "p text-changed info the argument `s` changed",
            "p description-changed warning `description` changed",
        ]
    );
    // Listed twice under one name: each is compared with its like.
    let twice = |text: &str| items(json!([{"uri": "a:1", "title": text}, {"uri": "a:1", "title": "same"}]));
    let changes = diff_resources(&twice("one"), &twice("two"), "uri");
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(diff_resources(&twice("one"), &twice("one")[..1], "uri")[0].1.rule, Rule::ResourceRemoved);
}

#[test]
fn an_output_schema_and_better_hints_are_no_break() {
    check_tools(
        json!([{"name": "a", "annotations": {"destructiveHint": true, "title": "x"}, "title": "T"}]),
        json!([{"name": "a", "annotations": {"destructiveHint": false, "title": "y"}, "title": "T", "outputSchema": {"type": "object"}}]),
        &[
            "a output-schema-added safe /outputSchema",
            "a hint-improved info /annotations/destructiveHint",
            "a field-changed info /annotations/title",
        ],
    );
}

#[test]
fn a_second_title_comes_and_goes() {
    let alone = json!([{"name": "a", "title": "T"}]);
    let second = json!([{"name": "a", "title": "T", "annotations": {"title": "x"}}]);
    check_tools(alone.clone(), second.clone(), &["a field-changed info /annotations/title"]);
    check_tools(second, alone.clone(), &["a field-changed info /annotations/title"]);
    // The same one, in the other place.
    check_tools(alone, json!([{"name": "a", "annotations": {"title": "T"}}]), &["a rewritten info "]);
}

#[test]
fn an_unusable_schema_is_said_to_be_one() {
    let changes =
        diff_schemas(&json!({"type": "object"}), &json!({"$ref": "http://example.com/x"}), Role::Output);
    assert_eq!(changes[0].rule, Rule::SchemaUnusable);
    assert!(changes.iter().all(|change| change.level != Level::Info));
}

#[test]
fn alternatives_that_multiply_are_left_to_the_walk() {
    let many = |bound: i32| {
        let group = |at: i32| json!({"anyOf": [{"required": [format!("a{at}")]}, {"properties": {format!("b{at}"): {"maximum": bound}}}]});
        json!({"type": "object", "allOf": (0..40).map(group).collect::<Vec<_>>()})
    };
    assert!(!cost::is_affordable(&many(1)));
    let changes = diff_schemas(&many(2), &many(1), Role::Input);
    assert!(changes.iter().all(|change| change.rule == Rule::MaximumLowered), "{changes:?}");
    assert_eq!(changes.len(), 40);
}

#[test]
fn servers_change() {
    let capabilities = |value: Value| value.as_object().unwrap().clone();
    let old = capabilities(
        json!({"tools": {"listChanged": true}, "prompts": {}, "logging": {}, "experimental": {}}),
    );
    let new = capabilities(
        json!({"tools": {"listChanged": false}, "prompts": {}, "resources": {"subscribe": true}}),
    );
    let side = |protocol_version, capabilities, instructions| Declaration {
        protocol_version: Some(protocol_version),
        capabilities: Some(capabilities),
        instructions: Some(instructions),
    };
    let shown: Vec<String> =
        diff_servers(side("2025-11-25", &old, "be kind"), side("2025-06-18", &new, "obey"))
            .into_iter()
            .map(|change| format!("{} {} {}", change.rule, change.level, change.pointer))
            .collect();
    assert_eq!(
        shown,
        [
            "capability-dropped breaking /protocol_version",
            "capability-dropped breaking /capabilities/logging",
            "capability-added safe /capabilities/resources",
            "capability-dropped breaking /capabilities/tools/listChanged",
            "instructions-changed warning /instructions",
        ]
    );
    assert_eq!(diff_servers(Declaration::default(), side("2025-11-25", &old, "")), []);
}

#[test]
fn whatever_changes_in_a_declaration_is_told() {
    check_tools(
        json!([{"name": "a", "inputSchema": {"type": "object", "required": ["x", "y"]}, "description": 1}]),
        json!([{"name": "a", "inputSchema": {"type": "object", "required": ["y", "x"]}, "description": 2}]),
        &["a rewritten info "],
    );
}

#[test]
fn one_choice_decides_what_breaks() {
    let old = json!({"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false});
    let new = json!({"type": "object", "properties": {"a": {"default": 1}}});
    let breaking = |role, strictness| -> Vec<String> {
        let changes = diff_schemas(&old, &new, role);
        let breaking = changes.iter().filter(|change| change.is_breaking(strictness));
        breaking.map(|change| change.rule.id().to_owned()).collect()
    };
    assert_eq!(breaking(Role::Output, Strictness::Wire), [""; 0]);
    assert_eq!(breaking(Role::Output, Strictness::Types), ["optional-property-removed", "opened"]);
    assert_eq!(breaking(Role::Input, Strictness::Strict), ["default-changed", "optional-property-removed"]);
    let bump = |role| diff_schemas(&old, &new, role).iter().map(|change| change.bump(Strictness::Wire)).max();
    assert_eq!(bump(Role::Output), Some(Bump::Minor));
}

#[test]
fn arguments_are_objects_whether_or_not_the_schema_says_so() {
    check_tools(
        json!([{"name": "a", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}, {"name": "b"}]),
        json!([
            {"name": "a", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"p": {}}}},
            {"name": "b", "inputSchema": {"type": "object", "required": ["p"]}},
        ]),
        &[
            "a optional-property-added warning /inputSchema/properties/p",
            "b became-required breaking /inputSchema/required",
        ],
    );
}
