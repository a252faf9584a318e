//! What the HTTP edge lets pass and what not.

use std::time::Duration;

use mortise_server::{HttpError, HttpOptions, HttpServer, TlsFiles, Token};
use mortise_testkit::PeerError;
use mortise_testkit::http::{post, send};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::http::Running;
use crate::sample::{server, tools};

fn ping() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": mortise_testkit::with_meta(json!({})) })
}

const MODERN: [(&str, &str); 2] = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];

async fn status(running: &Running, headers: &[(&str, &str)]) -> Result<u16, PeerError> {
    let headers = [&MODERN[..], headers].concat();
    Ok(post(running.address, "/mcp", &headers, &ping()).await?.status())
}

#[tokio::test]
async fn only_requests_meant_for_us_are_served() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    assert_eq!(status(&running, &[]).await?, 200);
    for headers in [
        [("host", "evil.example")],
        [("host", "localhost.")],
        [("host", "0.0.0.0")],
        [("origin", "http://evil.example")],
        [("origin", "null")],
        [("origin", "http://localhost:6274")],
    ] {
        assert_eq!(status(&running, &headers).await?, 403, "{headers:?}");
    }
    assert_eq!(status(&running, &[("host", "localhost:1")]).await?, 200);
    let own = format!("http://localhost:{}", running.address.port());
    assert_eq!(status(&running, &[("origin", &own)]).await?, 200);
    let elsewhere = send(running.address, "POST http://evil.example/mcp", &[], b"garbage").await?;
    assert_eq!(elsewhere.status(), 403);
    let page = send(running.address, "POST /mcp", &[("origin", "http://localhost:6274")], b"garbage").await?;
    assert!(page.text().contains("`--allow-origin ORIGIN`"), "{}", page.text());
    // Before anything else: not even the body is read.
    let refused = send(running.address, "POST /mcp", &[("host", "evil.example")], b"garbage").await?;
    assert_eq!(refused.status(), 403);
    Ok(())
}

#[tokio::test]
async fn with_a_token_only_who_has_it_is_served() -> Result<(), PeerError> {
    let token = Token::parse("correct-horse-battery").unwrap();
    let running = Running::start(&server(tools()), |options| options.token(token)).await;
    let refused = post(running.address, "/mcp", &MODERN, &ping()).await?;
    assert_eq!((refused.status(), refused.header("www-authenticate")), (401, Some("Bearer")));
    assert_eq!(status(&running, &[("authorization", "Bearer correct-horse-batterY")]).await?, 401);
    assert_eq!(status(&running, &[("authorization", "Bearer correct-horse-battery")]).await?, 200);
    for (path, expected) in
        [("GET /livez", 200), ("GET /readyz", 200), ("GET /mcp", 401), ("DELETE /mcp", 401)]
    {
        assert_eq!(send(running.address, path, &[], b"").await?.status(), expected, "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn beyond_loopback_a_token_and_tls_are_required() {
    let server = server(tools());
    let open = || HttpOptions::new("0.0.0.0:0".parse().unwrap());
    let token = || Token::parse("correct-horse-battery").unwrap();
    let error = HttpServer::bind(&server, open()).await.unwrap_err();
    assert!(matches!(error, HttpError::TokenRequired { .. }), "{error}");
    let error = HttpServer::bind(&server, open().behind_proxy()).await.unwrap_err();
    assert!(matches!(error, HttpError::TokenRequired { .. }), "{error}");
    let error = HttpServer::bind(&server, open().token(token())).await.unwrap_err();
    assert!(matches!(error, HttpError::TlsRequired { .. }), "{error}");
    HttpServer::bind(&server, open().token(token()).behind_proxy()).await.unwrap();
}

#[tokio::test]
async fn what_can_not_be_bound_is_told() {
    let server = server(tools());
    let taken = HttpServer::bind(&server, HttpOptions::new("127.0.0.1:0".parse().unwrap())).await.unwrap();
    assert_eq!(taken.url(), format!("http://{}/mcp", taken.address()));
    let error = HttpServer::bind(&server, HttpOptions::new(taken.address())).await.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on `{}`", taken.address()));
    let files = TlsFiles { certificate: "/nowhere/cert.pem".into(), key: "/nowhere/key.pem".into() };
    let options = HttpOptions::new("127.0.0.1:0".parse().unwrap()).tls(files);
    let error = HttpServer::bind(&server, options).await.unwrap_err();
    assert!(matches!(error, HttpError::Tls { part: "certificate", .. }), "{error}");
}

#[tokio::test]
async fn bodies_are_bounded() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options.body_bytes(1_000)).await;
    let body = |bytes: usize| {
        let text = ping().to_string();
        format!("{text}{}", " ".repeat(bytes - text.len())).into_bytes()
    };
    let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let headers = [&usual[..], &MODERN].concat();
    assert_eq!(send(running.address, "POST /mcp", &headers, &body(1_000)).await?.status(), 200);
    let refused = send(running.address, "POST /mcp", &headers, &body(1_001)).await?;
    assert_eq!((refused.status(), refused.text().as_str()), (413, "the body is larger than 1000 bytes\n"));
    assert_eq!(status(&running, &[]).await?, 200);
    Ok(())
}

#[tokio::test]
async fn bodies_that_are_no_messages_are_answered() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    for (body, code) in [
        (&b"garbage"[..], -32700),
        (b"\xff\xfe", -32700),
        (b"", -32700),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
    ] {
        let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let refused = send(running.address, "POST /mcp", &usual, body).await?;
        assert_eq!(refused.status(), 400);
        assert_eq!(refused.frames()[0]["error"]["code"], code, "{}", refused.text());
    }
    let body = ping().to_string();
    let text = send(running.address, "POST /mcp", &[("content-type", "text/plain")], body.as_bytes()).await?;
    assert_eq!(text.status(), 415);
    assert_eq!(status(&running, &[]).await?, 200);
    Ok(())
}

#[tokio::test]
async fn media_types_are_compared_as_a_whole() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    assert_eq!(status(&running, &[("content-type", "application/jsonx")]).await?, 415);
    assert_eq!(status(&running, &[("content-type", "Application/JSON; charset=utf-8")]).await?, 200);
    assert_eq!(status(&running, &[("accept", "*/*")]).await?, 200);
    assert_eq!(status(&running, &[("accept", "text/event-stream, application/*")]).await?, 200);
    assert_eq!(status(&running, &[("accept", "application/jsonx, text/event-streams")]).await?, 406);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_body_that_announces_too_much_is_not_waited_for() {
    let running = Running::start(&server(tools()), |options| options).await;
    let begun = tokio::time::Instant::now();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\naccept: */*\r\n\
                content-type: application/json\r\ncontent-length: 4000000000\r\n\r\n{";
    let answer = raw(&running, head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(begun.elapsed() < mortise_server::limits::HTTP_BODY_TIME, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn an_answer_under_a_string_is_no_answer() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    let session = running.initialize(json!({})).await?;
    let answer = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "result": {} });
    assert_eq!(running.legacy(&session, &answer(json!(5))).await?.status(), 202);
    assert_eq!(running.legacy(&session, &answer(json!("5"))).await?.status(), 400);
    Ok(())
}

/// Sends bytes and reads until the server closes.
async fn raw(running: &Running, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(running.address).await.expect("a connection");
    stream.write_all(bytes).await.expect("room to write");
    let mut answer = Vec::new();
    // A reset after the answer is as good as an end.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn headers_are_bounded() {
    let running = Running::start(&server(tools()), |options| options).await;
    let request = |headers: usize, size: usize| {
        let extra: String =
            (0..headers).map(|number| format!("x-{number}: {}\r\n", "y".repeat(size))).collect();
        format!("GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{extra}\r\n")
    };
    assert!(raw(&running, request(98, 1).as_bytes()).await.starts_with("HTTP/1.1 200"));
    assert!(raw(&running, request(99, 1).as_bytes()).await.starts_with("HTTP/1.1 431"));
    assert!(raw(&running, request(1, 65_000).as_bytes()).await.starts_with("HTTP/1.1 200"));
    assert!(raw(&running, request(1, 65_537).as_bytes()).await.starts_with("HTTP/1.1 431"));
}

#[tokio::test]
async fn a_length_that_contradicts_itself_smuggles_nothing() {
    let running = Running::start(&server(tools()), |options| options).await;
    let smuggled = "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let body = format!("0\r\n\r\n{smuggled}");
    let both = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\
         transfer-encoding: chunked\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(&running, both.as_bytes()).await;
    assert!(!answer.contains("alive"), "{answer}");
    let twice = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{body}"
    );
    let answer = raw(&running, twice.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_dawdles_is_dropped() {
    let running = Running::start(&server(tools()), |options| options).await;
    let begun = tokio::time::Instant::now();
    let answer = raw(&running, b"GET /livez HTTP/1.1\r\nhost: loc").await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(begun.elapsed() >= mortise_server::limits::HTTP_HEADER_TIME);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());

    let begun = tokio::time::Instant::now();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\naccept: */*\r\n\
                content-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    let answer = raw(&running, head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(begun.elapsed() >= mortise_server::limits::HTTP_BODY_TIME);
}
