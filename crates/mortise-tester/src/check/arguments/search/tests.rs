use mortise_contract::schema::{CompiledSchema, SchemaOptions};
use mortise_contract::{Contract, RawJson, ToolResult};
use serde_json::{Value, json};

use super::ArgumentSearch;
use crate::check::arguments::candidates::Sources;
use crate::check::knowledge::Knowledge;

/// A search for arguments of one tool.
struct Tried {
    contract: Contract,
    knowledge: Knowledge,
    search: ArgumentSearch,
}

impl Tried {
    fn new(name: &str, description: &str, schema: &Value) -> Self {
        let raw = json!({"name": name, "description": description, "inputSchema": schema});
        let contract = Contract::parse(RawJson::from_value(&raw).unwrap()).unwrap();
        Self { contract, knowledge: Knowledge::default(), search: ArgumentSearch::default() }
    }

    fn of(properties: &Value) -> Self {
        let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
        Self::new(
            "get_ticket",
            "",
            &json!({"type": "object", "properties": properties, "required": required}),
        )
    }

    fn next(&mut self) -> Option<Value> {
        let schema = self.contract.input_schema().unwrap();
        let compiled = CompiledSchema::compile(schema, &SchemaOptions::default()).unwrap();
        let sources = Sources {
            contract: &self.contract,
            schema,
            knowledge: Some(&self.knowledge),
            paths: &["/srv/repo".to_owned()],
            learned: self.search.learned(),
        };
        let next = self.search.next(&sources, &compiled)?;
        self.search.sent(&next);
        Some(next)
    }

    fn refused(&mut self, arguments: &Value, refusal: &str) {
        self.search.refused(self.contract.input_schema().unwrap(), arguments, refusal);
    }
}

/// The first value tried for a property `p` of this schema.
#[track_caller]
fn check(schema: &Value, expected: &Value) {
    assert_eq!(Tried::of(&json!({"p": schema})).next(), Some(json!({"p": expected})), "{schema}");
}

#[test]
fn what_a_declaration_names_is_tried_first() {
    check(&json!({"type": "string", "examples": ["Oslo"]}), &json!("Oslo"));
    check(&json!({"type": "integer", "default": 7}), &json!(7));
    check(&json!({"const": "x"}), &json!("x"));
    check(&json!({"enum": ["metric", "imperial"]}), &json!("metric"));
    check(&json!({"type": "string", "description": "The city, e.g. Oslo"}), &json!("Oslo"));
    check(&json!({"type": "integer", "description": "A year such as 2024"}), &json!(2024));
    check(&json!({"type": "string", "description": "Time of day (HH:MM)"}), &json!("12:00"));
    check(&json!({"type": "string", "format": "date"}), &json!("2024-01-31"));
    check(&json!({"type": "array", "items": {"type": "string", "examples": ["a1"]}}), &json!(["a1"]));
    check(&json!({"anyOf": [{"type": "null"}, {"type": "string", "default": "b"}]}), &json!("b"));
    check(
        &json!({"type": "object", "properties": {"id": {"type": "string", "examples": ["T"]}}, "required": ["id"]}),
        &json!({"id": "T"}),
    );
    // An example that breaks the schema is passed over.
    check(&json!({"type": "string", "examples": [7], "pattern": "^b+$"}), &json!("b"));
}

#[test]
fn whole_examples_and_recorded_calls_come_before_all_else() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "default": "d"}}, "required": ["a"], "examples": [{"a": "e"}]});
    let mut tried = Tried::new("t", "", &schema);
    tried.search = ArgumentSearch::new(vec![json!({"a": "recorded"})]);
    let mut all = || tried.next();
    assert_eq!(
        [all(), all(), all()],
        [Some(json!({"a": "recorded"})), Some(json!({"a": "e"})), Some(json!({"a": "d"}))]
    );
}

#[test]
fn ids_of_another_tools_result_are_tried() {
    let mut tried = Tried::of(&json!({"ticket_id": {"type": "string"}}));
    let raw = json!({"content": [], "structuredContent": {"tickets": [{"id": "T-1"}]}});
    let result = ToolResult::parse(RawJson::from_value(&raw).unwrap()).unwrap();
    tried.knowledge.learn("list_tickets", &json!({}), &result);
    assert_eq!(tried.next(), Some(json!({"ticket_id": "T-1"})));
}

#[test]
fn a_refusal_leads_to_the_next_attempt() {
    let mut tried = Tried::of(&json!({"city": {"type": "string"}, "units": {"type": "string"}}));
    let first = tried.next().unwrap();
    tried.refused(&first, "unknown city; known: Berlin, Oslo");
    assert_eq!(tried.next().unwrap()["city"], "Berlin");
    let second = json!({"city": "Berlin", "units": "a"});
    tried.refused(&second, "units must be one of: 'metric', 'imperial'");
    assert_eq!(tried.next(), Some(json!({"city": "Berlin", "units": "metric"})));
}

#[test]
fn a_property_that_a_refusal_asks_for_is_set() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "default": 5}}});
    let mut tried = Tried::new("t", "", &schema);
    assert_eq!(tried.next(), Some(json!({})));
    tried.refused(&json!({}), "`path` is needed");
    assert_eq!(tried.next(), Some(json!({"path": "/srv/repo"})));
}

#[test]
fn nothing_is_sent_twice_and_the_search_ends() {
    let mut tried = Tried::of(&json!({"a": {"enum": ["x", "y"]}, "b": {"enum": [1, 2]}}));
    let mut all = Vec::new();
    while let Some(next) = tried.next() {
        all.push(next.to_string());
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!((all.len(), count), (4, 4));
    // Twenty properties with twelve values each are not gone through.
    let many: serde_json::Map<String, Value> = (0..20)
        .map(|number| (format!("p{number}"), json!({"enum": (0..12).collect::<Vec<i32>>()})))
        .collect();
    assert!(Tried::of(&Value::Object(many)).next().is_some());
}
