//! Rules as canonical JSON: defaults are left out.

use serde_json::{Map, Value, json};

use super::{DEFAULT_PRIORITY, DefaultValue, ExtractionRule, FieldType, RuleField, TagCondition};

pub(super) fn document(rules: &[ExtractionRule]) -> Value {
    json!({"version": 1, "rules": rules.iter().map(rule).collect::<Vec<_>>()})
}

pub(super) fn rule(rule: &ExtractionRule) -> Value {
    let mut members = PresentMembers::default();
    members.put("name", Some(json!(rule.name)));
    members.put("glob", rule.glob.as_ref().map(|glob| json!(glob)));
    members.put("semantic", rule.semantic.as_ref().map(|semantic| json!(semantic)));
    let fields: Map<String, Value> =
        rule.fields.iter().map(|(name, field)| (name.clone(), self::field(field))).collect();
    members.put("extract", (!fields.is_empty()).then_some(Value::Object(fields)));
    members.put("tag", Some(json!(rule.tag)));
    let conditions: Vec<Value> = rule.tag_conditions.iter().map(condition).collect();
    members.put("tag_conditions", (!conditions.is_empty()).then_some(Value::Array(conditions)));
    members.put("priority", (rule.priority != DEFAULT_PRIORITY).then(|| json!(rule.priority)));
    members.put("enabled", (!rule.enabled).then_some(json!(false)));
    members.put("source", rule.source.map(|source| json!(source.as_str())));
    Value::Object(members.0)
}

fn condition(condition: &TagCondition) -> Value {
    json!({"if": condition.condition.to_string(), "tag": condition.tag})
}

pub(super) fn field(field: &RuleField) -> Value {
    let mut members = PresentMembers::default();
    members.put("from", Some(json!(field.from.to_string())));
    if let Some(pattern) = &field.pattern {
        members.put("pattern", Some(json!(pattern.regex)));
        members.put("capture", (pattern.capture != 1).then(|| json!(pattern.capture)));
    }
    members.put("normalize", field.normalize.map(|normalize| json!(normalize.as_str())));
    let named = field.field_type != FieldType::String;
    members.put("type", named.then(|| json!(field.field_type.as_str())));
    match &field.field_type {
        FieldType::Date { format } => members.put("format", Some(json!(format))),
        FieldType::Integer { range } => {
            members.put("validate", range.map(|range| json!(range.to_string())));
        }
        FieldType::String | FieldType::Uuid => {}
    }
    members.put("default", field.default.as_ref().map(default));
    Value::Object(members.0)
}

fn default(default: &DefaultValue) -> Value {
    match default {
        DefaultValue::Text(text) => json!(text),
        DefaultValue::Integer(number) => json!(number),
        DefaultValue::Boolean(truth) => json!(truth),
    }
}

#[derive(Default)]
struct PresentMembers(Map<String, Value>);

impl PresentMembers {
    fn put(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value);
        }
    }
}
