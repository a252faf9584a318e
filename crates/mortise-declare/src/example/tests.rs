//! Which tools have an example.

use serde_json::{Value, json};

use super::super::typescript::tests::catalogue;
use super::*;

fn example(output: Value, form: ResultForm) -> Option<Value> {
    let (mut tools, _) = catalogue();
    tools[0].output_schema = Some(output);
    tools[0].example(form, 100)
}

#[test]
fn a_wrapped_value_is_shown_as_programs_see_it() {
    let output = json!({"type": "object", "properties": {"result": {"type": "integer"}}, "required": ["result"], "x-fastmcp-wrap-result": true});
    assert_eq!(example(output.clone(), ResultForm::Unwrapped), Some(json!(0)));
    assert_eq!(example(output, ResultForm::AsSent), Some(json!({"result": 0})));
}

#[test]
fn what_does_not_keep_the_contract_or_is_too_long_is_not_shown() {
    assert_eq!(example(json!({"not": {}}), ResultForm::AsSent), None);
    assert_eq!(example(json!({"type": "string", "minLength": 200}), ResultForm::AsSent), None);
    assert_eq!(example(json!({"type": 5}), ResultForm::AsSent), None);
}
