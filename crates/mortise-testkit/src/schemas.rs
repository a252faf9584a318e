//! Schemas and values of a small world, so that they meet often.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// The dialects that schemas are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FuzzDialect {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl FuzzDialect {
    const ALL: [Self; 5] = [Self::Draft4, Self::Draft6, Self::Draft7, Self::Draft201909, Self::Draft202012];

    fn uri(self) -> &'static str {
        match self {
            Self::Draft4 => "http://json-schema.org/draft-04/schema#",
            Self::Draft6 => "http://json-schema.org/draft-06/schema#",
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }
}

/// Names that properties and definitions have.
fn name() -> impl Strategy<Value = String> + Clone {
    prop::sample::select(vec!["a", "b", "c", "result", "$ref", "const", "x/y~z"]).prop_map(str::to_owned)
}

/// A value to be validated, and to stand in `const` and `enum`.
pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..6).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.0, 1e300, -0.0]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "ab", "xyz", "2020-01-01"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The text of a value, in which keys may come twice.
pub fn value_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => value().prop_filter("a scalar", |value| !value.is_array() && !value.is_object()).prop_map(|it| it.to_string()),
        1 => prop::sample::select(vec!["1.0", "-0", "12345678901234567", "1e2", "\"\\u0061\"", "\"\\n\""]).prop_map(str::to_owned),
    ];
    let space = prop::sample::select(vec!["", " ", "\n\t"]);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let key = prop_oneof![8 => name().prop_map(|name| json!(name).to_string()), 1 => Just("\"\\u0061\"".to_owned())];
        let member = (key, space.clone(), inner.clone()).prop_map(|(key, space, value)| format!("{key}{space}:{space}{value}"));
        prop_oneof![
            (prop::collection::vec(inner, 0..4), space.clone()).prop_map(|(items, space)| format!("[{space}{}]", items.join(&format!("{space},")))),
            (prop::collection::vec(member, 0..5), space.clone()).prop_map(|(members, space)| format!("{{{}{space}}}", members.join(&format!(",{space}")))),
        ]
    })
}

/// References; those that count from the root most often, those that lead nowhere seldom.
fn reference(dialect: FuzzDialect) -> impl Strategy<Value = Value> {
    let definitions = format!("#/{}/", container(dialect));
    prop_oneof![
        8 => prop::sample::select(vec!["#", "#/$defs/a", "#/$defs/b", "#/$defs/c", "#here", "#there", "item.json"]),
        1 => prop::sample::select(vec![
            "", "#/properties/a", "#/x-parts/0", "item.json#/$defs/a", "http://x.example/item#here", "#/$defs/none",
        ]),
    ]
    .prop_map(move |reference| reference.replace("#/$defs/", &definitions).into())
}

/// Where the dialect keeps definitions.
fn container(dialect: FuzzDialect) -> &'static str {
    if dialect.uri().starts_with("https") { "$defs" } else { "definitions" }
}

type Keywords = Vec<&'static str>;

/// A keyword from a list, with its content.
fn with(
    keywords: Keywords,
    content: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<(String, Value)> {
    (prop::sample::select(keywords), content).prop_map(|(key, content)| (key.to_owned(), content)).boxed()
}

fn one_of(values: Vec<Value>) -> impl Strategy<Value = Value> {
    prop::sample::select(values)
}

fn keyword(dialect: FuzzDialect, inner: BoxedStrategy<Value>) -> BoxedStrategy<(String, Value)> {
    let is_2020 = dialect == FuzzDialect::Draft202012;
    let is_legacy = container(dialect) == "definitions";
    let list = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from);
    let map = prop::collection::vec((name(), inner.clone()), 0..3)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
        .boxed();
    let mut single = vec!["items", "items", "additionalProperties", "not"];
    let mut lists = vec!["anyOf", "oneOf", "allOf", "x-parts"];
    let mut references = vec!["$ref", "$ref"];
    if dialect != FuzzDialect::Draft4 {
        single.extend(["contains", "propertyNames", "if", "then", "else"]);
    }
    if !is_legacy {
        single.extend(["unevaluatedProperties", "unevaluatedItems"]);
    }
    match is_2020 {
        true => {
            lists.push("prefixItems");
            references.push("$dynamicRef");
        }
        false => {
            lists.push("items");
            single.push("additionalItems");
        }
    }
    let types = ["object", "array", "string", "integer", "boolean"].map(Value::from).to_vec();
    let patterns = ["^a", "b$", "^(?!a)", "(x)\\1", "^\\d+$"].map(Value::from).to_vec();
    let mut choices = vec![
        (3, with(vec!["type"], one_of(types))),
        (1, with(vec!["type"], Just(json!(["number", "null"])))),
        (4, with(vec!["properties"], map.clone())),
        (1, with(vec!["patternProperties", "dependentSchemas", "$defs", "definitions"], map)),
        (4, with(single, inner)),
        (3, with(lists, list)),
        (3, with(references, reference(dialect))),
        (1, with(vec!["const", "default"], value())),
        (1, with(vec!["enum", "examples"], prop::collection::vec(value(), 1..2).prop_map(Value::from))),
        (1, with(vec!["minimum", "minLength", "maxItems", "multipleOf"], (1u64..3).prop_map(Value::from))),
        (1, with(vec!["pattern"], one_of(patterns))),
        (1, with(vec!["required"], prop::collection::btree_set(name(), 1..3).prop_map(|names| json!(names)))),
        (1, with(vec!["uniqueItems"], any::<bool>().prop_map(Value::from))),
    ];
    if dialect == FuzzDialect::Draft201909 {
        choices.push((2, with(vec!["$recursiveRef"], Just(json!("#")))));
        choices.push((1, with(vec!["$recursiveAnchor"], any::<bool>().prop_map(Value::from))));
    }
    prop::strategy::Union::new_weighted(choices).boxed()
}

fn object(dialect: FuzzDialect, inner: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec(keyword(dialect, inner), 1..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// Gives a definition the name that references use, as the dialect spells it.
fn named(definition: Value, dialect: FuzzDialect, name: &str) -> Value {
    let Value::Object(mut members) = definition else { return definition };
    let (key, value) = match (dialect, name) {
        (FuzzDialect::Draft4, "item.json") => ("id", name.to_owned()),
        (_, "item.json") => ("$id", name.to_owned()),
        (FuzzDialect::Draft4, _) => ("id", format!("#{name}")),
        (FuzzDialect::Draft6 | FuzzDialect::Draft7, _) => ("$id", format!("#{name}")),
        (FuzzDialect::Draft202012, "there") => ("$dynamicAnchor", name.to_owned()),
        _ => ("$anchor", name.to_owned()),
    };
    members.entry(key).or_insert(value.into());
    Value::Object(members)
}

fn schema_of(dialect: FuzzDialect) -> impl Strategy<Value = Value> {
    let leaf = match dialect {
        FuzzDialect::Draft4 => Just(json!({})).boxed(),
        _ => prop_oneof![any::<bool>().prop_map(Value::from), Just(json!({}))].boxed(),
    };
    let body = leaf.prop_recursive(4, 20, 3, move |inner| object(dialect, inner.boxed()));
    let definitions = prop::collection::vec(body.clone(), 3);
    let address = prop::option::weighted(0.2, Just("http://x.example/root"));
    (body, definitions, address, any::<bool>()).prop_map(move |(body, definitions, address, says_dialect)| {
        let mut root = Map::new();
        if says_dialect || dialect != FuzzDialect::Draft202012 {
            root.insert("$schema".to_owned(), dialect.uri().into());
        }
        if let Value::Object(members) = body {
            root.extend(members);
        }
        if let Some(address) = address {
            root.insert(if dialect == FuzzDialect::Draft4 { "id" } else { "$id" }.to_owned(), address.into());
        }
        let names = ["item.json", "here", "there"];
        let definitions =
            definitions.into_iter().zip(names).map(|(definition, name)| named(definition, dialect, name));
        let definitions: Map<String, Value> =
            ["a", "b", "c"].into_iter().map(str::to_owned).zip(definitions).collect();
        root.insert(container(dialect).to_owned(), Value::Object(definitions));
        Value::Object(root)
    })
}

/// A schema with references, anchors, ids and tuples, in any dialect. Some are wrong in some way.
pub fn schema() -> impl Strategy<Value = Value> {
    prop::sample::select(FuzzDialect::ALL.to_vec()).prop_flat_map(schema_of)
}

/// Any text near JSON.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        value().prop_map(|value| value.to_string()),
        "[\\[\\]{}\",:0-9eE.+\\\\udab -]{0,60}",
        (value(), any::<prop::sample::Index>(), any::<char>()).prop_map(|(value, at, character)| {
            let mut characters: Vec<char> = value.to_string().chars().collect();
            let at = at.index(characters.len());
            characters[at] = character;
            characters.into_iter().collect()
        }),
    ]
}
