//! Servers that run as child processes.

use mortise_upstream::{CallError, CallOptions, CloseReason};

use crate::support::{PATIENCE, call, pool_of, raw_server};

#[tokio::test]
async fn a_call_keeps_every_digit_of_its_arguments() {
    let (pool, upstream) = pool_of(raw_server("plain"));
    upstream.ready(PATIENCE).await.unwrap();
    let arguments = r#"{"n":123456789012345678901234567890, "price": 1.10}"#;
    let report = upstream.call_reported(call("echo", arguments), CallOptions::default()).await;
    let sent = report.exchanges[0].request.clone().unwrap();
    assert_eq!(
        sent,
        format!(
            r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        )
    );
    assert_eq!(report.outcome.unwrap().verdict.status.as_str(), "valid");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_crash_fails_the_call_with_the_exit_code_at_once() {
    let (pool, upstream) = pool_of(raw_server("exit"));
    upstream.ready(PATIENCE).await.unwrap();
    let error = upstream.call(call("echo", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Closed { reason: CloseReason::Exited { code: 7 }, .. }), "{error:?}");
    pool.shutdown().await;
}
