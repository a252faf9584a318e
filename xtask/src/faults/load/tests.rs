use anyhow::bail;

use super::*;

struct Played(Vec<Result<Value>>);

impl Session for Played {
    fn request(&mut self, _: &str, _: &Value) -> Result<Value> {
        match self.0.pop() {
            Some(answer) => answer,
            None => bail!("silence"),
        }
    }
}

#[track_caller]
fn check(answer: Value, expected: &str) {
    let outcome = Played(vec![Ok(answer)]).echo("echo", "t-1-end");
    assert!(format!("{outcome:?}").starts_with(expected), "{outcome:?}");
}

#[test]
fn an_answer_is_right_typed_or_misrouted() {
    check(json!({ "result": { "structuredContent": { "text": "t-1-end" } } }), "Right");
    check(json!({ "result": { "structuredContent": { "text": "t-11-end" } } }), "Misrouted");
    check(json!({ "result": { "isError": true, "content": [] } }), "Typed");
    check(json!({ "error": { "code": -32603 } }), "Typed");
    assert!(matches!(Played(Vec::new()).echo("echo", "x"), Outcome::Lost(why) if why == "silence"));
}

#[test]
fn every_call_is_counted_once() {
    let mut sessions: Vec<Played> = (0..3).map(|_| Played(Vec::new())).collect();
    let tally = at_a_rate(&mut sessions, 100, 1e9, |session, _| session.echo("echo", "x"));
    assert_eq!((tally.calls(), tally.lost, tally.examples.len()), (100, 100, 3));
    let tally = for_a_time(&mut sessions, Duration::ZERO, |_, _, _| Outcome::Right);
    assert_eq!(tally.calls(), 0);
}
