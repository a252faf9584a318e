//! Faults of HTTP itself.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::{Scenario, ScenarioTransport};
use crate::mock::action::Piece;
use crate::mock::http::{HttpFault, HttpRequest, Style, gzip_of_spaces};
use crate::mock::plan::MockPlan;

pub(super) const SCENARIOS: &[Scenario] = &[
    http("sse", "answers as server-sent events", |plan, _| plan.http.style = Style::Events),
    http("sse-primed", "events with ids, an empty first one, comments and a retry hint", |plan, _| {
        plan.http.style = Style::Primed;
    }),
    http("sse-many-lines", "each event in many data lines that end in CRLF", |plan, _| {
        plan.http.style = Style::ManyLines;
    }),
    http("sse-comments", "comments without end instead of an answer", |plan, _| plan.http.style = Style::Comments),
    http("sse-no-data", "an event without data instead of an answer", |plan, _| {
        plan.http.style = Style::NoData;
    }),
    http("sse-cut", "the event stream ends before the answer", |plan, _| plan.http.style = Style::CutShort),
    http("html", "the right body under the content type text/html", |plan, _| {
        plan.http.style = Style::WrongType("text/html");
    }),
    http("strict-headers", "refuses modern requests whose headers differ from their body", |plan, _| {
        plan.http.strict_headers = true;
    }),
    http("http-sse", "speaks the transport of 2024-11-05: POST gets 405, GET an `endpoint` event", |plan, _| {
        intercept(plan, |request, _| {
            if request.method != "GET" {
                return Some(whole("405 Method Not Allowed", &["allow: GET"], ""));
            }
            let stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
                          event: endpoint\ndata: /messages?session=1\n\n";
            let comment = Piece { pause: Duration::from_secs(15), bytes: b": ping\n\n".to_vec() };
            Some(HttpFault { pieces: vec![at_once(stream)], repeated: Some((comment, 100)) })
        });
    }),
    http("no-session", "legacy clients get no session", |plan, _| plan.http.sessionless = true),
    http("session-lost", "a session is forgotten after CALLS calls, then gets 404", |plan, calls| {
        plan.http.session_calls = Some(calls);
    })
    .number("CALLS", 1, 1_000_000),
    http("http-401", "401 with a WWW-Authenticate header", |plan, _| {
        always(plan, "401 Unauthorized", &["www-authenticate: Bearer error=\"invalid_token\""], "");
    }),
    http("http-403", "403", |plan, _| always(plan, "403 Forbidden", &[], "")),
    http("http-404", "404 with an HTML page", |plan, _| {
        always(plan, "404 Not Found", &["content-type: text/html"], "<h1>Not Found</h1>");
    }),
    http("http-429", "429 with Retry-After for TIMES requests, then works", |plan, times| {
        first(plan, times, "429 Too Many Requests", "retry-after: 1");
    })
    .number("TIMES", 1, 1_000_000),
    http("http-500", "500 for TIMES requests, then works", |plan, times| {
        first(plan, times, "500 Internal Server Error", "x-mock: 500");
    })
    .number("TIMES", 1, 1_000_000),
    http("http-503", "503 with Retry-After, always", |plan, _| {
        always(plan, "503 Service Unavailable", &["retry-after: 30"], "busy");
    }),
    http("redirect", "307 to another path of the same server, which works", |plan, _| {
        intercept(plan, |request, _| {
            (request.target != "/moved").then(|| whole("307 Temporary Redirect", &["location: /moved"], ""))
        });
    }),
    http("redirect-loop", "307 to itself, always", |plan, _| {
        always(plan, "307 Temporary Redirect", &["location: /mcp"], "");
    }),
    http("redirect-private", "307 to the metadata address of a cloud", |plan, _| {
        always(plan, "307 Temporary Redirect", &["location: http://169.254.169.254/latest/meta-data/"], "");
    }),
    http("redirect-elsewhere", "308 to another origin", |plan, _| {
        always(plan, "308 Permanent Redirect", &["location: http://127.0.0.2:9/mcp"], "");
    }),
    http("gzip-bomb", "a gzip body that unpacks to BYTES bytes, asked for or not", |plan, bytes| {
        // Packed when first asked for: it takes a while.
        let bomb = OnceLock::new();
        intercept(plan, move |_, _| {
            let bomb = bomb.get_or_init(|| gzip_of_spaces(bytes));
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
                bomb.len()
            );
            Some(HttpFault { pieces: vec![at_once(head), at_once(bomb.clone())], repeated: None })
        });
    })
    .number("BYTES", 64 * 1024 * 1024, 1024 * 1024 * 1024),
    http("slow-body", "the body comes one byte at a time, MS milliseconds apart", |plan, ms| {
        let space = Piece { pause: Duration::from_millis(ms), bytes: b" ".to_vec() };
        endless(plan, "content-length: 1000000", space, 1_000_000);
    })
    .number("MS", 100, 3_600_000),
    http("endless-body", "the body never ends", |plan, _| {
        let block = at_once(vec![b' '; 64 * 1024]);
        endless(plan, "x-mock: endless", block, u64::MAX);
    }),
    http("cut-body", "the connection closes in the middle of the body", |plan, _| {
        intercept(plan, |_, _| {
            let bytes = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"jsonrpc\":";
            Some(HttpFault { pieces: vec![at_once(bytes)], repeated: None })
        });
    }),
    http("no-http", "the answer is not HTTP", |plan, _| {
        intercept(plan, |_, _| {
            Some(HttpFault { pieces: vec![at_once("SSH-2.0-OpenSSH_9.6\r\n")], repeated: None })
        });
    }),
    http("huge-headers", "a response with COUNT headers", |plan, count| {
        intercept(plan, move |_, _| {
            let headers: String = (0..count).map(|number| format!("x-mock-{number}: {number}\r\n")).collect();
            let head = format!("HTTP/1.1 200 OK\r\n{headers}content-length: 2\r\n\r\n{{}}");
            Some(HttpFault { pieces: vec![at_once(head)], repeated: None })
        });
    })
    .number("COUNT", 10_000, 1_000_000),
];

const fn http(name: &'static str, about: &'static str, apply: fn(&mut MockPlan, u64)) -> Scenario {
    Scenario::new(name, about, apply).over(ScenarioTransport::Http)
}

fn intercept(
    plan: &mut MockPlan,
    fault: impl Fn(&HttpRequest, u64) -> Option<HttpFault> + Send + Sync + 'static,
) {
    plan.http.intercept = Some(Arc::new(fault));
}

fn always(plan: &mut MockPlan, status: &'static str, headers: &'static [&'static str], body: &'static str) {
    intercept(plan, move |_, _| Some(whole(status, headers, body)));
}

fn first(plan: &mut MockPlan, times: u64, status: &'static str, header: &'static str) {
    intercept(plan, move |_, earlier| (earlier < times).then(|| whole(status, &[header], "try again")));
}

fn endless(plan: &mut MockPlan, header: &'static str, piece: Piece, times: u64) {
    intercept(plan, move |_, _| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{header}\r\n\r\n");
        Some(HttpFault { pieces: vec![at_once(head)], repeated: Some((piece.clone(), times)) })
    });
}

fn whole(status: &str, headers: &[&str], body: &str) -> HttpFault {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    let bytes =
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    HttpFault { pieces: vec![at_once(bytes)], repeated: None }
}

fn at_once(bytes: impl Into<Vec<u8>>) -> Piece {
    Piece { pause: Duration::ZERO, bytes: bytes.into() }
}
