//! Tools that ask the client before they answer.

use mortise_server::{Answer, CallContext, Elicited, InputKind, InputRequest, InputRequired, Reply, Tool};
use serde_json::{Value, json};

use crate::tools::sampling;

pub(crate) fn tools() -> Vec<Tool> {
    vec![
        asking("test_input_required_result_elicitation", |context| match name(context, "user_name") {
            Some(name) => Answer::text(format!("Hello, {name}!")).into(),
            None => InputRequired::new().ask("user_name", ask_name("What is your name?")).into(),
        }),
        asking("test_streaming_elicitation", |context| match name(context, "user_name") {
            Some(name) => Answer::text(format!("Hello, {name}!")).into(),
            None => InputRequired::new().ask("user_name", ask_name("What is your name?")).into(),
        }),
        asking("test_input_required_result_sampling", |context| match context.answer("capital_question") {
            Some(answer) => Answer::text(text_of(answer)).into(),
            None => {
                let question = InputRequest::sample(sampling(&json!("What is the capital of France?"), 100));
                InputRequired::new().ask("capital_question", question).into()
            }
        }),
        asking("test_input_required_result_list_roots", |context| match context.answer("client_roots") {
            Some(answer) => Answer::text(format!("Roots: {}", answer["roots"])).into(),
            None => InputRequired::new().ask("client_roots", InputRequest::list_roots()).into(),
        }),
        asking("test_input_required_result_request_state", confirm),
        asking("test_input_required_result_tampered_state", confirm),
        asking("test_input_required_result_multiple_inputs", |context| {
            let complete =
                ["user_name", "greeting", "client_roots"].iter().all(|key| context.answer(key).is_some());
            if complete && context.state().is_some() {
                return Answer::text("all three answers came").into();
            }
            InputRequired::new()
                .ask("user_name", ask_name("What is your name?"))
                .ask("greeting", InputRequest::sample(sampling(&json!("Generate a greeting"), 50)))
                .ask("client_roots", InputRequest::list_roots())
                .state(json!("three questions"))
                .into()
        }),
        asking("test_input_required_result_multi_round", |context| {
            let round = context.state().and_then(Value::as_u64);
            match (round, context.answer("step1"), context.answer("step2")) {
                (Some(2), _, Some(_)) => Answer::text("both steps are done").into(),
                (Some(1), Some(_), _) => {
                    let schema = json!({
                        "type": "object", "properties": { "color": { "type": "string" } }, "required": ["color"],
                    });
                    let question = InputRequest::form("Step 2: What is your favorite color?", schema);
                    InputRequired::new().ask("step2", question).state(json!(2)).into()
                }
                _ => InputRequired::new()
                    .ask("step1", ask_name("Step 1: What is your name?"))
                    .state(json!(1))
                    .into(),
            }
        }),
        asking("test_input_required_result_capabilities", |context| {
            let questions = [
                ("user_name", ask_name("What is your name?")),
                ("greeting", InputRequest::sample(sampling(&json!("Generate a greeting"), 50))),
                ("client_roots", InputRequest::list_roots()),
            ];
            let can = |kind: InputKind| context.client().supports(kind);
            let able = questions.into_iter().filter(|(_, question)| can(question.kind()));
            let input = able.fold(InputRequired::new(), |input, (key, question)| input.ask(key, question));
            if input == InputRequired::new() || context.answer("greeting").is_some() {
                return Answer::text("nothing to ask").into();
            }
            input.into()
        }),
    ]
}

fn asking(name: &str, step: fn(&CallContext) -> Reply) -> Tool {
    Tool::raw(name)
        .description("Asks the client first")
        .handler(move |_, context| async move { Ok(step(&context)) })
}

fn confirm(context: &CallContext) -> Reply {
    if context.answer("confirm").is_some() && context.state() == Some(&json!("unchanged")) {
        return Answer::text("state-ok").into();
    }
    let schema =
        json!({ "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"] });
    InputRequired::new()
        .ask("confirm", InputRequest::form("Please confirm", schema))
        .state(json!("unchanged"))
        .into()
}

pub(crate) fn ask_name(message: &str) -> InputRequest {
    let schema =
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    InputRequest::form(message, schema)
}

pub(crate) fn name(context: &CallContext, key: &str) -> Option<String> {
    match context.elicited(key)? {
        Elicited::Accepted(content) => content.get("name")?.as_str().map(str::to_owned),
        Elicited::Declined | Elicited::Cancelled => None,
    }
}

/// The text of a sampling answer.
pub(crate) fn text_of(answer: &Value) -> String {
    answer["content"]["text"].as_str().unwrap_or_default().to_owned()
}
