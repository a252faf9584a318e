//! Pages of hostile, parallel and many calls.

use std::time::Duration;

use mortise_executor::ledger::{CallEffect, CallRecord};

use super::{TimeAxis, TimelineFacts, packed, render, round_step, tick_label};

fn call(tool: &str, started_ms: u64, elapsed_ms: u64) -> CallRecord {
    CallRecord {
        tool: tool.to_owned(),
        arguments: r#"{"city":"Oslo"}"#.to_owned(),
        started_ms,
        elapsed_ms,
        waited_ms: 0,
        bytes: 1_200,
        verdict: Some("valid".to_owned()),
        result: "{}".to_owned(),
        notes: Vec::new(),
        left: Vec::new(),
        error: None,
        is_refused: false,
        effect: CallEffect::Taken,
    }
}

fn facts(error: Option<&'static str>) -> TimelineFacts<'static> {
    TimelineFacts { program: "report.py", wall: Duration::from_millis(100), error, unrecorded: 0 }
}

#[test]
fn calls_at_the_same_time_get_rows_of_their_own() {
    let calls = [call("mcp__a__x", 0, 50), call("mcp__a__y", 10, 10), call("mcp__a__z", 20, 10)];
    let calls: Vec<&CallRecord> = calls.iter().collect();
    let (bars, rows) = packed(&calls, &[0, 1, 2]);
    assert_eq!((bars.iter().map(|bar| bar.row).collect::<Vec<_>>(), rows), (vec![0, 1, 1], 2));
}

#[test]
fn a_page_has_a_lane_for_every_server_and_says_what_failed() {
    let mut failed = call("mcp__shop__pay", 60, 40);
    failed.error = Some("no <money>".to_owned());
    let page = render(&facts(Some("ToolError: no money")), &[failed, call("mcp__weather__get", 0, 50)]);
    assert!(page.contains("<h2>shop</h2>") && page.contains("<h2>weather</h2>"), "{page}");
    // By the time they started, whatever the order in which they ended.
    assert!(
        page.contains("bar good\" data-call=\"0\"") && page.contains("bar error\" data-call=\"1\""),
        "{page}"
    );
    assert!(page.contains("left:min(60%, 100% - .6rem);width:40%"), "{page}");
    assert!(page.contains("1 failed") && page.contains("ToolError: no money"), "{page}");
}

#[test]
fn nothing_that_a_server_says_becomes_part_of_the_page() {
    let mut hostile = call("mcp__a__</script><b>", 0, 1);
    hostile.result = "</script><script>alert(1)</script>\u{202e}".to_owned();
    hostile.error = Some("<img src=x>".to_owned());
    let page = render(&facts(Some("<i>")), &[hostile]);
    for part in ["<b>", "<img", "<i>", "alert(1)</script>", "\u{202e}"] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("http://") && !page.contains("https://"));
}

#[test]
fn ten_thousand_calls_make_a_page_of_a_few_megabytes() {
    let calls: Vec<CallRecord> = (0..10_000).map(|at| call("mcp__weather__get_weather", at, 2)).collect();
    let page = render(&facts(None), &calls);
    assert_eq!(page.matches("class=\"bar ").count(), 10_000);
    assert!(page.len() < 6_000_000, "{}", page.len());
}

#[test]
fn a_program_without_calls_has_a_page_too() {
    assert!(render(&facts(None), &[]).contains("The program called no tool."));
}

#[test]
fn the_axis_begins_near_the_first_call_and_has_round_marks() {
    let late = [call("mcp__a__x", 2_600, 50), call("mcp__a__y", 2_660, 10)];
    let late: Vec<&CallRecord> = late.iter().collect();
    let axis = TimeAxis::of(&late, Duration::from_millis(2_700));
    assert_eq!(axis, TimeAxis { start: 2_590, end: 2_700 });
    assert_eq!(axis.ticks().collect::<Vec<_>>(), [2_600, 2_650, 2_700]);
    assert_eq!(
        axis.ticks().map(|at| tick_label(at, axis.step())).collect::<Vec<_>>(),
        ["2.60 s", "2.65 s", "2.70 s"]
    );
    let early = [call("mcp__a__x", 10, 50)];
    let axis = TimeAxis::of(&early.iter().collect::<Vec<_>>(), Duration::from_millis(100));
    assert_eq!((axis.start, axis.ticks().collect::<Vec<_>>()), (0, vec![0, 20, 40, 60, 80, 100]));
    assert_eq!([0, 3, 7, 547, u64::MAX].map(round_step), [1, 5, 10, 1_000, u64::MAX]);
}
