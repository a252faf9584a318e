use std::time::Duration;

use super::*;
use crate::capacity::{Capacity, RunPlaces};

/// Answers every call with its arguments, questions with `1`.
struct Echo;

impl ToolHost for Echo {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        Ok(request.arguments.into())
    }
    async fn inspect_tool(&self, _tool_name: String) -> Result<RawJson, HostError> {
        Ok(json("1"))
    }
    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Ok(json(&format!("{}{}", "[".repeat(200), "]".repeat(200))))
    }
    async fn server_status(&self) -> Result<RawJson, HostError> {
        Err(HostError::new(HostErrorKind::Internal, "down"))
    }
}

/// Never answers a call.
struct Silent;

impl ToolHost for Silent {
    async fn call(&self, _request: CallRequest) -> Result<CallValue, HostError> {
        std::future::pending().await
    }
    async fn inspect_tool(&self, _tool_name: String) -> Result<RawJson, HostError> {
        std::future::pending().await
    }
    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        std::future::pending().await
    }
    async fn server_status(&self) -> Result<RawJson, HostError> {
        std::future::pending().await
    }
}

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn ends<H: ToolHost>(host: H, limits: &Limits) -> (Desk, CallDispatcher<H>) {
    ends_within(host, limits, &RunPlaces::new(Capacity::default()))
}

fn ends_within<H: ToolHost>(host: H, limits: &Limits, places: &RunPlaces) -> (Desk, CallDispatcher<H>) {
    let account = places.account(Some("a".into()), limits.memory);
    connect(Arc::new(host), limits, Instant::now() + Duration::from_secs(60), account, CallHistory::default())
}

/// Runs `body` while the dispatcher serves.
async fn serving<H: ToolHost, T>(dispatcher: &mut CallDispatcher<H>, body: impl Future<Output = T>) -> T {
    tokio::select! {
        result = body => result,
        never = dispatcher.serve() => match never {},
    }
}

#[tokio::test]
async fn a_call_is_answered_under_its_number() {
    let (mut desk, mut dispatcher) = ends(Echo, &Limits::default());
    let id = desk.call("t".to_owned(), json("{\"a\":1}"), Wanted::Value).unwrap();
    assert!(desk.expects_answers());
    let completion = serving(&mut dispatcher, desk.next()).await.unwrap();
    assert_eq!((completion.id, completion.result.unwrap().json.text()), (id, "{\"a\":1}"));
    assert!(!desk.expects_answers());
}

#[tokio::test]
async fn a_forgotten_call_brings_no_answer_and_ends_the_waiting() {
    let (mut desk, dispatcher) = ends(Silent, &Limits::default());
    let id = desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap();
    desk.forget([id, 7, 0].into_iter());
    assert!(!desk.expects_answers());
    assert!(desk.next_ready().is_none());
    drop(dispatcher);
    assert!(desk.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_call_past_its_time_fails_and_is_recorded() {
    let limits = Limits { call: Duration::from_secs(60), ..Limits::default() };
    let (mut desk, mut dispatcher) = ends(Silent, &limits);
    desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap();
    let completion = serving(&mut dispatcher, desk.next()).await.unwrap();
    let error = completion.result.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (HostErrorKind::Timeout, "'t' timed out after 60s"));
    tokio::task::yield_now().await;
    let records = dispatcher.finish();
    assert_eq!(records[0].outcome, CallOutcome::Failed { kind: error.kind, message: error.message });
}

#[tokio::test]
async fn the_budget_counts_calls_and_not_questions() {
    let (mut desk, mut dispatcher) = ends(Echo, &Limits { calls: 1, ..Limits::default() });
    for _ in 0..3 {
        serving(&mut dispatcher, desk.ask(ToolQuestion::Inspect("t".to_owned()))).await.unwrap();
    }
    desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap();
    assert_eq!(desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap_err().kind, HostErrorKind::Budget);
}

#[test]
fn refused_calls_are_counted_and_the_first_kept() {
    let mut refused = Refused::default();
    let error = HostError::new(HostErrorKind::Budget, "no more");
    for _ in 0..REFUSED_KEPT + 50 {
        refused.note("t", 2, &error);
    }
    assert_eq!((refused.count, refused.first.len()), (REFUSED_KEPT as u64 + 50, REFUSED_KEPT));
    let first = &refused.first[0];
    assert_eq!((first.name.as_str(), first.id, first.sent), ("t", 0, 2));
    assert_eq!(
        first.outcome,
        CallOutcome::Failed { kind: HostErrorKind::Budget, message: "no more".to_owned() }
    );
}

/// Takes its time, by the clock that is measured with.
struct Busy;

impl ToolHost for Busy {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(20) {
            tokio::task::yield_now().await;
        }
        Ok(request.arguments.into())
    }

    async fn inspect_tool(&self, _: String) -> Result<RawJson, HostError> {
        Ok(json("{}"))
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Ok(json("[]"))
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        Ok(json("{}"))
    }
}

#[tokio::test]
async fn waiting_for_a_place_is_no_part_of_a_calls_time() {
    let (mut desk, mut dispatcher) = ends(Busy, &Limits { calls_in_flight: 1, ..Limits::default() });
    for _ in 0..3 {
        desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap();
    }
    for _ in 0..2 {
        serving(&mut dispatcher, desk.next()).await.unwrap();
    }
    let records = dispatcher.finish();
    let [first, second, third] = &records[..] else { panic!("{records:?}") };
    assert!(first.elapsed >= Duration::from_millis(20), "{first:?}");
    assert!(second.waited >= first.elapsed, "{second:?} waited for {first:?}");
    assert!(second.elapsed < first.waited + second.waited + second.elapsed);
    assert!(third.waited > second.waited, "{third:?}");
}

#[tokio::test]
async fn a_call_that_never_got_a_place_was_not_made() {
    let (mut desk, mut dispatcher) = ends(Silent, &Limits { calls_in_flight: 1, ..Limits::default() });
    desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap();
    desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap();
    serving(&mut dispatcher, async {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let outcomes: Vec<_> = dispatcher.finish().into_iter().map(|record| record.outcome).collect();
    assert_eq!(outcomes, [CallOutcome::Abandoned, CallOutcome::NotMade]);
}

#[tokio::test]
async fn answers_to_questions_have_their_limits_too() {
    let (mut desk, mut dispatcher) = ends(Echo, &Limits::default());
    let error = serving(&mut dispatcher, desk.ask(ToolQuestion::List)).await.unwrap_err();
    assert_eq!(error.message, "the answer returned JSON that nests 201 levels deep; the limit is 128");
    let error = serving(&mut dispatcher, desk.ask(ToolQuestion::Status)).await.unwrap_err();
    assert_eq!(error.message, "down");
}

#[test]
fn a_failure_loses_what_is_too_much_of_it() {
    let limits = Limits { result: 10, ..Limits::default() };
    let failure = |payload: &str| HostError {
        structured: Some(json(payload)),
        said: Some("é".repeat(LONGEST_MESSAGE)),
        ..HostError::new(HostErrorKind::Tool, "é".repeat(LONGEST_MESSAGE))
    };
    let error = within("'t'", Err(failure("[1,2,3]")), &limits).unwrap_err();
    assert_eq!(error.structured.map(|payload| payload.text().to_owned()).as_deref(), Some("[1,2,3]"));
    assert!(
        error.message.ends_with('…') && error.message.len() <= LONGEST_MESSAGE,
        "{}",
        error.message.len()
    );
    assert_eq!(error.said.as_ref(), Some(&error.message));
    assert!(within("'t'", Err(failure("[1,2,3,4,5]")), &limits).unwrap_err().structured.is_none());
}

#[tokio::test]
async fn nothing_is_answered_once_the_run_is_over() {
    let (mut desk, dispatcher) = ends(Echo, &Limits::default());
    drop(dispatcher);
    assert_eq!(desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap_err().message, "the run is over");
    assert_eq!(desk.ask(ToolQuestion::List).await.unwrap_err().message, "the run is over");
}

#[tokio::test]
async fn results_that_wait_count_as_memory_and_one_past_it_is_lost() {
    let arguments = json(&format!("{{\"a\":\"{}\"}}", "x".repeat(992)));
    let (weight, result) = (weight(&arguments), arguments.text().len() as u64);
    let places = RunPlaces::new(Capacity::default());
    let limits = Limits { memory: 3 * weight + 2 * result, ..Limits::default() };
    let (mut desk, mut dispatcher) = ends_within(Echo, &limits, &places);
    for _ in 0..3 {
        desk.call("t".to_owned(), arguments.clone(), Wanted::Value).unwrap();
    }
    serving(&mut dispatcher, async {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(places.memory(), 3 * weight + 2 * result);
    let mut answers = Vec::new();
    answers.extend(std::iter::from_fn(|| desk.next_ready()));
    assert_eq!(places.memory(), 2 * result, "arguments that were answered are given back");
    let lost: Vec<_> = answers.iter().filter_map(|answer| answer.result.as_ref().err()).collect();
    assert_eq!((answers.len(), lost.len()), (3, 1));
    assert_eq!(lost[0].kind, HostErrorKind::Size);
    assert!(
        lost[0].message.starts_with("'t' returned 1000 bytes, and there is no memory for it: "),
        "{lost:?}"
    );
    drop(answers);
    assert_eq!(places.memory(), 0);
}

#[tokio::test]
async fn arguments_count_twice_since_the_frame_of_the_call_repeats_them() {
    let arguments = json(&format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20)));
    let places = RunPlaces::new(Capacity::default());
    let (mut desk, _dispatcher) = ends_within(Silent, &Limits::default(), &places);
    desk.call("t".to_owned(), arguments.clone(), Wanted::Value).unwrap();
    assert_eq!(places.memory(), (CALL_MEMORY + 2 * arguments.text().len()) as u64);
}

#[tokio::test]
async fn small_arguments_count_too_and_are_given_back_when_their_calls_are_forgotten() {
    let places = RunPlaces::new(Capacity::default());
    let limits = Limits { memory: 10 * weight(&json("{}")), ..Limits::default() };
    let (mut desk, _dispatcher) = ends_within(Silent, &limits, &places);
    let ids: Vec<u64> =
        std::iter::from_fn(|| desk.call("t".to_owned(), json("{}"), Wanted::Value).ok()).collect();
    assert_eq!(ids.len(), 10);
    let refused = desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap_err();
    assert_eq!(refused.kind, HostErrorKind::Size);
    assert_eq!(places.memory(), limits.memory);
    desk.forget(ids.into_iter());
    assert_eq!(places.memory(), 0);
    desk.call("t".to_owned(), json("{}"), Wanted::Value).unwrap();
}
