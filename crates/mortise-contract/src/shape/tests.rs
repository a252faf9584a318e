//! Shapes by row: schema in, line or tree out.

use serde_json::{Value, json};

use super::Shape;

#[track_caller]
fn check_line(schema: &Value, expected: &str) {
    assert_eq!(Shape::of(schema).one_line(200), expected);
}

#[track_caller]
fn check_rows(schema: &Value, expected: &str) {
    let mut tree = String::new();
    for row in Shape::of(schema).rows() {
        let mark = match row.required {
            Some(false) => "?",
            _ => "",
        };
        tree.push_str(&format!("{}{}{mark}: {}", "  ".repeat(row.depth), row.name, row.kind));
        if let Some(notes) = row.notes {
            tree.push_str(&format!(" ({notes})"));
        }
        if let Some(description) = row.description {
            tree.push_str(&format!(" -- {description}"));
        }
        tree.push('\n');
    }
    assert_eq!(tree.trim_end(), expected);
}

#[test]
fn scalars_and_bare_schemas() {
    check_line(&json!({"type": "integer"}), "integer");
    check_line(&json!({}), "any");
    check_line(&json!(true), "any");
    check_line(&json!(false), "never");
    check_line(&json!(null), "any");
    check_line(&json!({"enum": []}), "never");
    check_line(&json!({"type": "object"}), "object");
    check_line(&json!({"type": "array"}), "any[]");
}

#[test]
fn an_array_of_objects_marks_optional_fields() {
    check_line(
        &json!({"type": "array", "items": {"type": "object", "properties": {
            "revenue": {"type": "number"}, "date": {"type": "string", "format": "date"}}, "required": ["revenue"]}}),
        "{ revenue: number, date?: string }[]",
    );
}

#[test]
fn the_three_ways_of_saying_nullable_look_alike() {
    check_line(&json!({"type": ["string", "null"]}), "string | null");
    check_line(&json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), "string | null");
    check_line(&json!({"type": "string", "nullable": true}), "string | null");
}

#[test]
fn unions_inside_arrays_have_parentheses() {
    check_line(&json!({"type": "array", "items": {"type": ["string", "integer"]}}), "(string | integer)[]");
    check_line(&json!({"type": "array", "items": {"enum": ["a", "b"]}}), r#"("a" | "b")[]"#);
}

#[test]
fn literals_join_and_long_enums_are_cut() {
    check_line(&json!({"oneOf": [{"const": "a"}, {"const": "b"}, {"const": 3}]}), r#""a" | "b" | 3"#);
    let many: Vec<u32> = (0..20).collect();
    check_line(&json!({ "enum": many }), "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …");
}

#[test]
fn maps_and_tuples() {
    check_line(&json!({"type": "object", "additionalProperties": {"type": "number"}}), "{ [key]: number }");
    check_line(
        &json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}], "items": false}),
        "[number, string]",
    );
    check_line(&json!({"items": [{"type": "number"}]}), "[number, ...any[]]");
}

#[test]
fn all_of_objects_are_merged() {
    check_line(
        &json!({"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}, "required": ["b"]}]}),
        "{ a?: string, b: integer }",
    );
    check_line(
        &json!({"type": "object", "oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}}]}),
        "{ a?: string } | { b?: any }",
    );
    check_line(
        &json!({"properties": {"x": {"type": "integer"}}, "anyOf": [{"required": ["y"]}, {"type": "null"}]}),
        "{ x?: integer } & ({ y: any } | null)",
    );
}

#[test]
fn references_are_followed_and_recursion_is_named() {
    check_line(
        &json!({"$defs": {"Node": {"type": "object", "properties": {
            "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}},
            "$ref": "#/$defs/Node"}),
        "{ name?: string, children?: Node[] }",
    );
    check_line(&json!({"properties": {"next": {"$ref": "#"}}}), "{ next?: itself }");
    check_line(&json!({"$ref": "https://example.com/a.json"}), "…");
    check_line(&json!({"$ref": "#/$defs/Gone"}), "…");
}

#[test]
fn a_line_never_passes_its_width() {
    let schema = json!({"properties": {
        "first": {"properties": {"second": {"properties": {"third": {"type": "string"}}}}},
        "other": {"type": "array", "items": {"type": "string"}}}});
    let shape = Shape::of(&schema);
    let lines: Vec<String> = [80, 50, 45, 30, 14, 3].iter().map(|width| shape.one_line(*width)).collect();
    assert_eq!(
        lines,
        [
            "{ first?: { second?: { third?: string } }, other?: string[] }",
            "{ first?: { second?: { … } }, other?: string[] }",
            "{ first?: { … }, other?: string[] }",
            "{ first, other }",
            "{ first, … }",
            "{ … }",
        ]
    );
}

#[test]
fn fixed_values_give_way_to_their_types() {
    let shape = Shape::of(&json!({"properties": {
        "category": {"enum": ["underweight", "normal", "overweight", "obese"]},
        "marks": {"type": "array", "items": {"enum": [1, "one", null]}}}}));
    assert_eq!(shape.one_line(60), "{ category?: string, marks?: (number | string | null)[] }");
    assert_eq!(
        shape.one_line(100),
        r#"{ category?: "underweight" | "normal" | "overweight" | "obese", marks?: (1 | "one" | null)[] }"#
    );
}

#[test]
fn a_schema_that_doubles_at_every_level_stays_small() {
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        definitions.insert(format!("L{level}"), json!({"properties": {"a": next, "b": next}}));
    }
    definitions.insert("L40".to_owned(), json!({"type": "string"}));
    let shape = Shape::of(&json!({"$defs": definitions, "$ref": "#/$defs/L0"}));
    assert!(shape.one_line(100).chars().count() <= 100);
    assert!(shape.rows().len() <= 401);
}

#[test]
fn a_tree_shows_fields_notes_and_descriptions() {
    check_rows(
        &json!({"type": "object", "required": ["ticker"], "properties": {
            "ticker": {"type": "string", "description": "Symbol"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 4},
            "since": {"type": "string", "format": "date"},
            "filters": {"type": "array", "items": {"type": "object", "properties": {"field": {"type": "string"}}}}}}),
        "ticker: string -- Symbol\n\
         limit?: integer (1 to 100, default 4)\n\
         since?: string (date)\n\
         filters?: object[]\n\
         \u{20} field?: string",
    );
}

#[test]
fn a_tree_names_the_branches_of_a_union() {
    check_rows(
        &json!({"properties": {"shape": {"oneOf": [
            {"type": "object", "properties": {"radius": {"type": "number"}}},
            {"type": "object", "properties": {"side": {"type": "number"}}}]},
            "maybe": {"anyOf": [{"type": "object", "properties": {"x": {"type": "null"}}}, {"type": "null"}]}}}),
        "shape?: object\n\
         \u{20} either: object\n\
         \u{20}   radius?: number\n\
         \u{20} or: object\n\
         \u{20}   side?: number\n\
         maybe?: object | null\n\
         \u{20} x?: null",
    );
}
