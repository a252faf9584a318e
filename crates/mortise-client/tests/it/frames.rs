//! Frames that are not as they should be, and what becomes of those who wait.

use mortise_client::secret::Secret;
use mortise_client::{CallError, CallOptions, FaultKind, LogMessage, PoolOptions, ServerEvent};
use mortise_testkit::{ScriptedReply, answer};
use serde_json::{Value, json};

use crate::support::{PATIENCE, call, options, pool_of, pool_with, raw_result, tool, with_tools};

fn ok(request: &Value) -> ScriptedReply {
    answer(request, json!({"content": [{"type": "text", "text": "ok"}]}))
}

/// Calls a tool on a server that writes this before its proper answer; gives the faults.
async fn faults_before_answer(
    noise: impl Fn(&Value) -> Vec<ScriptedReply> + Send + Sync + 'static,
) -> Vec<(&'static str, String)> {
    let (config, _) = with_tools(json!([tool("t")]), move |request| {
        let mut replies = noise(request);
        replies.push(ok(request));
        replies
    });
    let (pool, upstream) = pool_of(config);
    let outcome = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert_eq!(outcome.result.texts().collect::<Vec<_>>(), ["ok"]);
    let faults = upstream.faults();
    pool.shutdown().await;
    faults.into_iter().map(|fault| (fault.kind.label(), fault.excerpt)).collect()
}

#[tokio::test]
async fn lines_that_are_no_messages_are_skipped_and_kept() {
    let faults = faults_before_answer(|_| {
        vec![
            ScriptedReply::line("Starting server…"),
            ScriptedReply::line("\u{1b}[32mready\u{1b}[0m"),
            ScriptedReply::Raw(b"\r\n\r\n".to_vec()),
            ScriptedReply::Raw(b"\xff\xfe\n".to_vec()),
            ScriptedReply::line("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":NaN}"),
            ScriptedReply::line("[1,2]"),
            ScriptedReply::line("{\"hello\":1}"),
            ScriptedReply::line("\"\\ud800\""),
        ]
    })
    .await;
    let kinds: Vec<&str> = faults.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        kinds,
        ["not_json", "not_json", "not_utf8", "not_json", "batch", "not_a_message", "not_json"],
        "{faults:?}"
    );
    assert_eq!(faults[1].1, r"\u{1b}[32mready\u{1b}[0m");
}

#[tokio::test]
async fn line_ends_and_split_characters_do_not_matter() {
    let faults = faults_before_answer(|_| {
        let text = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"zürich\"}}\r\n";
        text.bytes().map(|byte| ScriptedReply::Raw(vec![byte])).collect()
    })
    .await;
    assert_eq!(faults, []);
}

#[tokio::test]
async fn answers_nobody_waits_for_are_counted() {
    let faults = faults_before_answer(|request| {
        vec![
            ScriptedReply::line(r#"{"jsonrpc":"2.0","id":999999,"result":{}}"#),
            ScriptedReply::line(r#"{"jsonrpc":"2.0","id":"theirs","result":{}}"#),
            ScriptedReply::line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}"#),
            ScriptedReply::line(r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#),
            ScriptedReply::line(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            ScriptedReply::line(&format!(
                r#"{{"jsonrpc":"2.0","id":{0},"id":{0},"result":{{}}}}"#,
                request["id"]
            )),
        ]
    })
    .await;
    let kinds: Vec<&str> = faults.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        kinds,
        [
            "unknown_response",
            "unknown_response",
            "unknown_response",
            "bad_id",
            "repeated_response",
            "not_a_message"
        ]
    );
}

#[tokio::test]
async fn a_second_answer_is_dropped() {
    let (config, _) = with_tools(json!([tool("t")]), |request| vec![ok(request), ok(request)]);
    let (pool, upstream) = pool_of(config);
    for _ in 0..10 {
        upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    }
    // The last second answer may still be on its way.
    assert!(upstream.fault_counts()[&FaultKind::RepeatedResponse] >= 9);
    pool.shutdown().await;
}

#[tokio::test]
async fn an_answer_that_is_both_or_neither_fails_its_call() {
    for (members, detail) in [
        (r#""result":{},"error":{"code":1,"message":"x"}"#, "both `result` and `error`"),
        (r#""extra":1"#, "neither `result` nor `error`"),
        (r#""result":[1]"#, "expected an object, found an array"),
        (r#""result":"text""#, "expected an object, found a string"),
    ] {
        let (config, _) = with_tools(json!([tool("t")]), move |request| {
            vec![ScriptedReply::line(&format!(r#"{{"jsonrpc":"2.0","id":{},{members}}}"#, request["id"]))]
        });
        let (pool, upstream) = pool_of(config);
        let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
        let CallError::Protocol { detail: found, .. } = &error else { panic!("{error:?}") };
        assert_eq!(found, detail);
        assert_eq!(upstream.state().label(), "ready");
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn an_answer_under_its_id_as_a_string_fails_its_call_at_once() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        vec![ScriptedReply::line(&format!(
            r#"{{"jsonrpc":"2.0","id":"{}","result":{{"content":[]}}}}"#,
            request["id"]
        ))]
    });
    let (pool, upstream) = pool_of(config);
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    let CallError::Protocol { detail, .. } = &error else { panic!("{error:?}") };
    assert!(detail.starts_with("it has an id that can't be used"), "{detail}");
    assert_eq!(upstream.fault_counts()[&FaultKind::BadId], 1);
    assert_eq!(upstream.state().label(), "ready");
    pool.shutdown().await;
}

/// A server whose answers are this large, in frames of at most 1 KiB.
async fn sized(bytes: usize, id_last: bool) -> Result<usize, CallError> {
    let (config, _) = with_tools(json!([tool("t")]), move |request| {
        let id = &request["id"];
        let fixed = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"x":""}}}}"#).len();
        let filler = "x".repeat(bytes - fixed);
        let result = format!(r#""result":{{"content":[],"x":"{filler}"}}"#);
        vec![ScriptedReply::line(&match id_last {
            false => format!(r#"{{"jsonrpc":"2.0","id":{id},{result}}}"#),
            true => format!(r#"{{{result},"jsonrpc":"2.0","id":{id}}}"#),
        })]
    });
    let (pool, upstream) = pool_with(config, PoolOptions { frame_limit: 1024, ..options() });
    let called = upstream.call(call("t", "{}"), CallOptions::default()).await;
    assert_eq!(upstream.state().label(), "ready");
    pool.shutdown().await;
    called.map(|outcome| outcome.result.raw.text().len())
}

#[tokio::test]
async fn a_frame_at_the_limit_passes_and_one_past_it_fails_its_call_at_once() {
    for id_last in [false, true] {
        sized(1024, id_last).await.unwrap();
        let error = sized(1025, id_last).await.unwrap_err();
        assert!(matches!(error, CallError::TooLarge { limit: 1024, .. }), "{error:?}");
        let error = sized(5_000_000, id_last).await.unwrap_err();
        assert!(matches!(error, CallError::TooLarge { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn an_endless_frame_fails_its_call_before_it_ends() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        vec![ScriptedReply::Raw(
            format!(r#"{{"jsonrpc":"2.0","id":{},"result":"{}"#, request["id"], "x".repeat(4096))
                .into_bytes(),
        )]
    });
    let (pool, upstream) = pool_with(config, PoolOptions { frame_limit: 1024, ..options() });
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::TooLarge { .. }), "{error:?}");
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn half_a_frame_and_then_silence_times_out() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        vec![ScriptedReply::Raw(format!(r#"{{"jsonrpc":"2.0","id":{},"resul"#, request["id"]).into_bytes())]
    });
    let (pool, upstream) = pool_of(config);
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "`t` on server `scripted` timed out after 60 s");
    pool.shutdown().await;
}

#[tokio::test]
async fn deep_and_strange_json_harms_nobody() {
    for (result, expected) in [
        (
            format!(r#"{{"content":[],"structuredContent":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000)),
            true,
        ),
        (r#"{"content":[],"structuredContent":{"a":1,"a":2}}"#.to_owned(), true),
        (format!(r#"{{"content":[],"structuredContent":{}}}"#, "9".repeat(200_000)), true),
        (r#"{"content":[{"type":"text","text":"\u0000"}]}"#.to_owned(), true),
    ] {
        let (config, _) = with_tools(json!([tool("t")]), move |request| raw_result(request, &result));
        let (pool, upstream) = pool_of(config);
        let outcome = upstream.call(call("t", "{}"), CallOptions::default()).await;
        assert_eq!(outcome.is_ok(), expected, "{outcome:?}");
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn a_message_without_its_version_is_taken_and_noted() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        vec![ScriptedReply::line(&format!(r#"{{"id":{},"result":{{"content":[]}}}}"#, request["id"]))]
    });
    let (pool, upstream) = pool_of(config);
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert_eq!(upstream.faults()[0].kind, FaultKind::NoVersion);
    pool.shutdown().await;
}

#[tokio::test]
async fn noise_is_kept_up_to_a_hundred_and_endless_noise_ends_the_connection() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        let noise = "noise\n".repeat(9_999);
        vec![ScriptedReply::Raw(noise.into_bytes()), ok(request)]
    });
    let (pool, upstream) = pool_of(config);
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert_eq!(upstream.faults().len(), 100);
    assert_eq!(upstream.fault_counts()[&FaultKind::NotJson], 9_999);
    pool.shutdown().await;

    let (config, _) =
        with_tools(json!([tool("t")]), |_| vec![ScriptedReply::Raw("noise\n".repeat(10_000).into_bytes())]);
    let (pool, upstream) = pool_of(config);
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "connection to `scripted` closed: 10000 lines on standard output were not JSON-RPC messages"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn a_flood_of_notifications_is_cut_and_counted() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
        vec![ScriptedReply::Raw(format!("{log}\n").repeat(5_000).into_bytes()), ok(request)]
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    let dropped = upstream.fault_counts()[&FaultKind::NotificationFlood];
    assert!((1..5_000).contains(&dropped), "{dropped}");
    pool.shutdown().await;
}

#[tokio::test]
async fn log_messages_are_handed_on_word_for_word() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"db","data":{"b":1.10,"a":1}}}"#;
        vec![
            ScriptedReply::line(log),
            ScriptedReply::line(r#"{"jsonrpc":"2.0","method":"notifications/odd","params":[1.0]}"#),
            ok(request),
        ]
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let mut events = upstream.events();
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    let ServerEvent::Log(LogMessage { level, logger, data }) = events.recv().await.unwrap() else { panic!() };
    assert_eq!(
        (level.as_str(), logger.as_deref(), data.text()),
        ("warning", Some("db"), r#"{"b":1.10,"a":1}"#)
    );
    let ServerEvent::Other { method, params } = events.recv().await.unwrap() else { panic!() };
    assert_eq!((method.as_str(), params.unwrap().text()), ("notifications/odd", "[1.0]"));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_timeout_names_what_was_skipped_meanwhile_and_why() {
    type Script = fn(&Value) -> Vec<u8>;
    let cases: [(Script, &str); 7] = [
        (|_| b"\xff\xfe{}\n".to_vec(), "1 line was skipped, it is not UTF-8: `\u{fffd}\u{fffd}{}`"),
        (|_| "\u{feff}{}\n".into(), "1 line was skipped, it is not JSON: `\\u{feff}{}`"),
        (|_| b"{} and more\n".to_vec(), "1 line was skipped, it is not JSON: `{} and more`"),
        (|_| b"{\n  \"id\": 1\n}\n".to_vec(), "3 lines were skipped, the first is not JSON: `{`"),
        (|_| b"[{}]\n".to_vec(), "1 line was skipped, it is a batch: `[{}]`"),
        (
            |_| b"{\"id\":99,\"result\":1}\n".to_vec(),
            "1 line was skipped, it answers no request of ours: `{\"id\":99,\"result\":1}`",
        ),
        (
            |_| b"{\"id\":null,\"result\":1}\n".to_vec(),
            "1 line was skipped, it answers no request of ours: `{\"id\":null,\"result\":1}`",
        ),
    ];
    for (reply, expected) in cases {
        let (config, _) =
            with_tools(json!([tool("t")]), move |request| vec![ScriptedReply::Raw(reply(request))]);
        let (pool, upstream) = pool_of(config);
        // What was skipped before is not this call's.
        for _ in 0..2 {
            let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("`t` on server `scripted` timed out after 60 s; {expected}")
            );
        }
        pool.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_can_not_be_read_fails_its_call_at_once() {
    type Ending = fn(u64) -> Vec<u8>;
    let cases: [(Ending, &str); 3] = [
        (
            |id| {
                [
                    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"").into_bytes(),
                    b"\xff\"}\n".to_vec(),
                ]
                .concat()
            },
            "it is not UTF-8: `{",
        ),
        (|id| format!("{{\"id\":{id},\"result\":{{}}}} and more\n").into_bytes(), "it is not JSON: `{"),
        (
            |id| format!("\u{feff}{{\"id\":{id},\"error\":{{}}}}\n").into_bytes(),
            "it is not JSON: `\\u{feff}{",
        ),
    ];
    for (ending, expected) in cases {
        let (config, _) = with_tools(json!([tool("t")]), move |request| {
            vec![ScriptedReply::Raw(ending(request["id"].as_u64().unwrap()))]
        });
        let (pool, upstream) = pool_of(config);
        let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
        let start = "the answer to `t` on server `scripted` breaks the protocol: ";
        assert!(error.to_string().starts_with(&format!("{start}{expected}")), "{error}");
        pool.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_of_the_server_that_can_not_be_read_fails_no_call() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        let id = &request["id"];
        let noise = format!("{{\"id\":{id},\"method\":\"ping\"}} and more");
        vec![ScriptedReply::line(&noise), ok(request)]
    });
    let (pool, upstream) = pool_of(config);
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    pool.shutdown().await;
}

#[tokio::test]
async fn a_secret_that_the_server_repeats_is_in_no_error_and_no_fault() {
    const SECRET: &str = "s3cr3t-value";
    let (mut config, _) = with_tools(json!([tool("t")]), |request| {
        let error = json!({"code": 7, "message": format!("bad key {SECRET}"), "data": {"key": SECRET}});
        vec![
            // The excerpt ends in the middle of it.
            ScriptedReply::line(&format!("{}{SECRET}", "x".repeat(192))),
            ScriptedReply::Frame(json!({"jsonrpc": "2.0", "id": request["id"], "error": error})),
        ]
    });
    config.secrets = vec![Secret::new(SECRET)];
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    let CallError::Rpc { error, .. } = &error else { panic!("{error:?}") };
    assert_eq!(error.message, "bad key [redacted]");
    assert_eq!(error.data.as_ref().unwrap().text(), r#"{"key":"[redacted]"}"#);
    let faults = format!("{:?}", upstream.faults());
    assert!(faults.contains("x[r") && !faults.contains("s3cr3"), "{faults}");
    pool.shutdown().await;
}
