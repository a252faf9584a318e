//! Frames that are not what a frame should be.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Scenario, ScenarioTransport};
use crate::mock::action::{MockAction, Piece};
use crate::mock::frame;
use crate::mock::plan::MockPlan;
use crate::mock::tool;

const GIB: u64 = 1024 * 1024 * 1024;

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario::new("half-frame", "`echo` gets half an answer, then silence", |plan, _| {
        plan.on_echo(|exchange| vec![exchange.half(), MockAction::Hang]);
    }),
    Scenario::new("split-frame", "the answer to `echo` comes in two writes, cut inside a character", split),
    Scenario::new("big", "the answer to `echo` is BYTES bytes long", |plan, bytes| {
        plan.echo_raw_result(move || {
            let text = "x".repeat(usize::try_from(bytes).unwrap_or(0));
            format!(r#"{{"content":[],"structuredContent":{{"text":"{text}"}},"resultType":"complete"}}"#)
        });
    })
    .number("BYTES", 1024 * 1024, GIB),
    Scenario::new("deep", "the answer to `echo` is an array nested so deep", |plan, levels| {
        plan.echo_raw_result(move || {
            let levels = usize::try_from(levels).unwrap_or(0);
            let (open, close) = ("[".repeat(levels), "]".repeat(levels));
            format!(r#"{{"content":[],"structuredContent":{{"text":"deep","nested":{open}{close}}}}}"#)
        });
    })
    .number("LEVELS", 100_000, 10_000_000),
    Scenario::new("bad-utf8", "the answer to `echo` holds a byte that is not UTF-8", |plan, _| {
        plan.on_echo(|exchange| {
            let result = tool::structured(&json!({"text": "caf?"}));
            let mut bytes = frame::result(exchange.request, result).into_bytes();
            bytes.iter_mut().filter(|byte| **byte == b'?').for_each(|byte| *byte = 0xe9);
            vec![MockAction::frame(bytes)]
        });
    }),
    Scenario::new("lone-surrogate", "the answer to `echo` holds half of an escaped pair", |plan, _| {
        plan.echo_raw_result(|| text_result(r"\ud83d"));
    }),
    Scenario::new("big-numbers", "`echo` answers with 1e400, thirty digits and 1.10", |plan, _| {
        plan.change_echo(|echo| echo.with(&json!({"outputSchema": {"type": "object"}})));
        plan.echo_raw_result(|| {
            let value = r#"{"huge":1e400,"long":123456789012345678901234567890,"price":1.10}"#;
            format!(r#"{{"content":[],"structuredContent":{value}}}"#)
        });
    }),
    Scenario::new("duplicate-keys", "the answer to `echo` has a key twice", |plan, _| {
        plan.echo_raw_result(|| {
            r#"{"content":[],"structuredContent":{"text":"first","text":"second"}}"#.to_owned()
        });
    }),
    Scenario::new("bom", "the answer to `echo` begins with a byte order mark", |plan, _| {
        plan.on_echo(|exchange| vec![MockAction::frame(format!("\u{feff}{}", exchange.usual))]);
    }),
    Scenario::new("trailing-garbage", "the answer to `echo` is followed by more on its line", |plan, _| {
        plan.on_echo(|exchange| vec![MockAction::frame(format!("{} // ok", exchange.usual))]);
    }),
    Scenario::new("pretty", "the answer to `echo` is spread over several lines", |plan, _| {
        plan.on_echo(|exchange| {
            let frame: Value = serde_json::from_str(&exchange.usual).unwrap_or_default();
            vec![MockAction::frame(format!("{frame:#}"))]
        });
    }),
    Scenario::new("crlf", "every line ends in a carriage return and a newline", |plan, _| {
        plan.line_end = "\r\n";
    })
    .over(ScenarioTransport::Stdio),
    Scenario::new("banner", "greets on stdout before it speaks the protocol", |plan, _| {
        plan.on_start.push(MockAction::raw("Mock server v1 starting...\nListening on stdio\n\n"));
    })
    .over(ScenarioTransport::Stdio),
    Scenario::new("ansi-stdout", "a coloured progress bar runs on stdout", |plan, _| {
        plan.on_start.push(MockAction::raw("\x1b[32m[==>   ]\x1b[0m\r\x1b[2K\x1b[32m[=====>]\x1b[0m\n"));
        plan.on_echo(|exchange| vec![MockAction::raw("\x1b[1mcalling echo\x1b[0m\n"), exchange.usual()]);
    })
    .over(ScenarioTransport::Stdio),
    Scenario::new(
        "stdout-flood",
        "LINES lines that are not JSON come before the first answer",
        |plan, lines| {
            let lines = usize::try_from(lines).unwrap_or(0);
            plan.on_start.push(MockAction::raw("DEBUG something happened\n".repeat(lines)));
        },
    )
    .number("LINES", 1000, 1_000_000)
    .over(ScenarioTransport::Stdio),
    Scenario::new("duplicate-response", "`echo` is answered twice", |plan, _| {
        plan.on_echo(|exchange| vec![exchange.usual(), exchange.usual()]);
    }),
    Scenario::new("wrong-id", "`echo` is answered under the id of another request", |plan, _| {
        with_id(plan, |_| json!(987_654_321));
    }),
    Scenario::new("string-id", "`echo` is answered with its id as a string", |plan, _| {
        with_id(plan, |id| json!(id.to_string()));
    }),
    Scenario::new("null-id", "`echo` is answered with a null id", |plan, _| with_id(plan, |_| Value::Null)),
    Scenario::new("both", "the answer to `echo` has a result and an error", |plan, _| {
        change_frame(plan, |frame| frame["error"] = json!({"code": -32603, "message": "and an error"}));
    }),
    Scenario::new("neither", "the answer to `echo` has neither a result nor an error", |plan, _| {
        change_frame(plan, |frame| {
            frame.as_object_mut().map(|members| members.shift_remove("result"));
        });
    }),
    Scenario::new("no-version", "the answer to `echo` lacks `jsonrpc`", |plan, _| {
        change_frame(plan, |frame| {
            frame.as_object_mut().map(|members| members.shift_remove("jsonrpc"));
        });
    }),
    Scenario::new("batch", "`echo` is answered by an array of one response", |plan, _| {
        plan.on_echo(|exchange| vec![MockAction::frame(format!("[{}]", exchange.usual))]);
    }),
];

fn text_result(escaped: &str) -> String {
    format!(r#"{{"content":[],"structuredContent":{{"text":"{escaped}"}},"resultType":"complete"}}"#)
}

fn split(plan: &mut MockPlan, _: u64) {
    plan.on_echo(|exchange| {
        let text = frame::result(exchange.request, tool::structured(&json!({"text": "naïve"})));
        // One byte into the two of `ï`.
        let cut = text.find('ï').unwrap_or(0) + 1;
        let (first, second) = text.as_bytes().split_at(cut.min(text.len()));
        let piece =
            |pause, bytes: &[u8]| Piece { pause: Duration::from_millis(pause), bytes: bytes.to_vec() };
        vec![MockAction::Frame(vec![piece(0, first), piece(20, second)])]
    });
}

fn with_id(plan: &mut MockPlan, id: fn(&Value) -> Value) {
    change_frame(plan, move |frame| frame["id"] = id(&frame["id"]));
}

fn change_frame(plan: &mut MockPlan, change: impl Fn(&mut Value) + Send + Sync + 'static) {
    plan.on_echo(move |exchange| {
        let mut frame: Value = serde_json::from_str(&exchange.usual).unwrap_or_default();
        change(&mut frame);
        vec![MockAction::frame(frame.to_string())]
    });
}
