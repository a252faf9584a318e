use std::sync::Arc;

use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind};
use mortise_server::{CallContext, Client};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Wizard, WizardBuilder};
use crate::answer::{Common, WizardResult};
use crate::store::{DraftStore, IssuedDraft, KnownSource, NewDraft};
use crate::{RandomIds, SystemClock, WizardOptions, Wizards};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Which file
    file_path: String,
    #[schemars(range(min = 1, max = 1000))]
    rows: Option<u32>,
    #[serde(default)]
    order: Order,
    #[expect(dead_code, reason = "only its schema matters")]
    part: Option<Part>,
}

#[derive(Deserialize, JsonSchema, Default, Serialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// As they come
    #[default]
    Given,
    /// By name
    Sorted,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Part {
    #[expect(dead_code, reason = "only its schema matters")]
    column: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Output {
    rows: u32,
    order: Order,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

struct NoDrafts;

impl DraftStore for NoDrafts {
    fn put(&self, _draft: NewDraft) -> Result<IssuedDraft, ErrorBody> {
        Ok(IssuedDraft { id: "00000000".to_owned(), warnings: Vec::new() })
    }

    fn commit(&self, _id: &str) -> Result<(), ErrorBody> {
        Ok(())
    }

    fn sources(&self) -> Result<Vec<KnownSource>, ErrorBody> {
        Ok(Vec::new())
    }
}

fn wizards() -> Arc<Wizards> {
    let options = WizardOptions::below("/nowhere");
    Arc::new(Wizards::new(options, Arc::new(SystemClock), Arc::new(RandomIds), Arc::new(NoDrafts)))
}

fn builder() -> WizardBuilder {
    Wizard::new("count_rows", FormatKind::Metadata).description("Counts rows.")
}

fn wizard() -> Wizard {
    builder().handler(|_, input: Input, _| async move {
        let mut common = Common::default();
        if input.file_path == "odd.csv" {
            common.warn("WARN_ODD", "an odd file");
        }
        let output = Output { rows: input.rows.unwrap_or(10), order: input.order, note: None };
        Ok(WizardResult::new(output).common(common).feedback("counted"))
    })
}

async fn call(wizard: &Wizard, arguments: Value) -> Result<(Value, String), ErrorBody> {
    let client = Client::new("2025-11-25", serde_json::Map::new());
    let context = CallContext::detached(client, serde_json::Map::new());
    wizard.call(&wizards(), arguments, context).await
}

#[track_caller]
fn check_refused(
    outcome: Result<(Value, String), ErrorBody>,
    code: ErrorCode,
    field: &str,
    suggestion: &str,
) {
    let body = outcome.expect_err("refused");
    assert_eq!(
        (body.error_code, body.field.as_deref(), body.suggestion.as_str()),
        (code, Some(field), suggestion),
        "{body:?}"
    );
}

#[tokio::test]
async fn a_result_is_flat_with_its_format_first_and_nothing_that_is_absent() {
    let (result, feedback) = call(&wizard(), json!({"file_path": "a.csv", "rows": null})).await.unwrap();
    assert_eq!(
        result.to_string(),
        r#"{"format":"metadata","format_version":"count_rows.v1","rows":10,"order":"given"}"#
    );
    assert_eq!(feedback, "counted");
}

#[tokio::test]
async fn warnings_lie_beside_the_fields() {
    let (result, _) = call(&wizard(), json!({"file_path": "odd.csv"})).await.unwrap();
    assert_eq!(result["warnings"], json!([{"code": "WARN_ODD", "message": "an odd file"}]));
}

#[tokio::test]
async fn every_wrong_argument_is_named_with_its_code() {
    let wizard = wizard();
    check_refused(
        call(&wizard, json!({"file_path": "a", "rowz": 1})).await,
        ErrorCode::ParamUnknown,
        "rowz",
        "did you mean `rows`?",
    );
    check_refused(
        call(&wizard, json!({"file_path": null})).await,
        ErrorCode::ParamMissing,
        "file_path",
        "add `file_path`: Which file",
    );
    check_refused(
        call(&wizard, json!({"file_path": 12345})).await,
        ErrorCode::ParamType,
        "file_path",
        "give `file_path` in the declared type",
    );
    check_refused(
        call(&wizard, json!({"file_path": "a", "rows": 1001})).await,
        ErrorCode::ParamRange,
        "rows",
        "give `rows` a value within the declared bounds",
    );
    check_refused(
        call(&wizard, json!({"file_path": "a", "order": "random"})).await,
        ErrorCode::ParamRange,
        "order",
        "use one of `given`, `sorted`",
    );
    check_refused(
        call(&wizard, json!({"file_path": "a", "part": {"colum": "x", "column": "y"}})).await,
        ErrorCode::ParamUnknown,
        "part.colum",
        "did you mean `column`?",
    );
}

#[tokio::test]
async fn all_wrong_arguments_are_told_at_once() {
    let body = call(&wizard(), json!({"rows": "x", "nonsense_argument": 1})).await.unwrap_err();
    let mut codes: Vec<ErrorCode> = body.details.iter().map(|detail| detail.error_code).collect();
    codes.push(body.error_code);
    codes.sort();
    assert_eq!(codes, [ErrorCode::ParamMissing, ErrorCode::ParamType, ErrorCode::ParamUnknown]);
}

#[test]
fn schemas_are_closed_objects_without_null() {
    let wizard = wizard();
    for schema in [wizard.input_schema(), wizard.output_schema()] {
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
        assert!(!schema.to_string().contains("null"), "{schema}");
    }
    assert_eq!(
        wizard.input_schema()["$defs"]["Order"],
        json!({"type": "string", "enum": ["given", "sorted"]})
    );
    assert_eq!(wizard.output_schema()["properties"]["format"]["const"], "metadata");
    assert_eq!(wizard.output_schema()["required"], json!(["format", "format_version", "rows", "order"]));
}

#[tokio::test]
async fn a_result_that_breaks_its_own_schema_is_never_sent() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Claimed {
        rows: u32,
    }
    impl Serialize for Claimed {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            json!({"rows": "many"}).serialize(serializer)
        }
    }
    let wizard =
        builder().handler(|_, _: Input, _| async move { Ok(WizardResult::new(Claimed { rows: 1 })) });
    let body = call(&wizard, json!({"file_path": "a"})).await.unwrap_err();
    assert_eq!(body.error_code, ErrorCode::InternalContract);
}

#[tokio::test]
async fn a_result_over_the_limit_is_refused_and_one_at_it_is_not() {
    let sized = |bytes: usize| {
        builder().handler(move |_, _: Input, _| async move {
            let note = Some("x".repeat(bytes));
            Ok(WizardResult::new(Output { rows: 1, order: Order::Given, note }))
        })
    };
    let frame = call(&sized(1), json!({"file_path": "a"})).await.unwrap().0.to_string().len() - 1;
    assert!(call(&sized(super::RESULT_LIMIT - frame), json!({"file_path": "a"})).await.is_ok());
    let body = call(&sized(super::RESULT_LIMIT - frame + 1), json!({"file_path": "a"})).await.unwrap_err();
    assert_eq!(body.error_code, ErrorCode::OutputTooLarge);
}

#[tokio::test(start_paused = true)]
async fn a_wizard_that_takes_too_long_is_stopped() {
    let wizard = builder().handler(|_, _: Input, _| async move {
        std::future::pending::<()>().await;
        Ok(WizardResult::new(Output { rows: 1, order: Order::Given, note: None }))
    });
    let body = call(&wizard, json!({"file_path": "a"})).await.unwrap_err();
    assert_eq!((body.error_code, body.retryable), (ErrorCode::Timeout, Some(true)));
}

#[tokio::test(start_paused = true)]
async fn long_work_has_a_limit_too_and_its_threads_end_with_it() {
    let wizard = builder().long().handler(|_, _: Input, _| async move {
        std::future::pending::<()>().await;
        Ok(WizardResult::new(Output { rows: 1, order: Order::Given, note: None }))
    });
    let context =
        CallContext::detached(Client::new("2025-11-25", serde_json::Map::new()), serde_json::Map::new());
    let token = context.cancellation().clone();
    let started = tokio::time::Instant::now();
    let body = wizard.call(&wizards(), json!({"file_path": "a"}), context).await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 900);
    assert_eq!(
        (body.error_code, body.reason.as_str()),
        (ErrorCode::Timeout, "`count_rows` took longer than 900 s")
    );
    assert!(body.suggestion.contains("wizards.timeout_seconds"), "{}", body.suggestion);
    assert!(token.is_cancelled(), "what looks at the token stops");
}

#[tokio::test]
async fn a_canceled_call_says_so() {
    let wizard = builder().handler(|_, _: Input, context| async move {
        context.cancellation().cancel();
        std::future::pending::<()>().await;
        Ok(WizardResult::new(Output { rows: 1, order: Order::Given, note: None }))
    });
    let body = call(&wizard, json!({"file_path": "a"})).await.unwrap_err();
    assert_eq!(body.error_code, ErrorCode::Canceled);
}
