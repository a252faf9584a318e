//! One connection: requests in, responses out, sessions kept.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::broadcast::error::RecvError;

use super::sink::ResponseSink;
use super::{HttpFault, HttpRequest, Style};
use crate::mock::action::{MockAction, MockEnd, Piece};
use crate::mock::frame;
use crate::mock::perform::{LONGEST, Sink, Stderr, perform, write_pieces};
use crate::mock::plan::MockEras;
use crate::mock::server::Mock;

const SESSION: &str = "mcp-session-id";
const UNAUTHORIZED: &[u8] = b"HTTP/1.1 401 Mock\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\n\r\n";
/// How long a connection may be without a request.
const IDLE: Duration = Duration::from_secs(300);

/// Serves one connection until it closes or the mock ends.
pub(crate) async fn serve(
    mock: &Mock,
    mut reader: impl AsyncBufRead + Send + Unpin,
    mut writer: impl AsyncWrite + Send + Unpin,
    stderr: &Stderr,
) -> io::Result<MockEnd> {
    while let Ok(request) = tokio::time::timeout(IDLE, HttpRequest::read(&mut reader)).await {
        let Some(request) = request? else { break };
        if !is_admitted(mock, &request) {
            writer.write_all(UNAUTHORIZED).await?;
            continue;
        }
        let fault = fault_for(mock, &request);
        let answered = async {
            match fault {
                Some(fault) => write_fault(&mut writer, &fault).await,
                None => respond(mock, &request, &mut writer, stderr).await,
            }
        };
        if let Some(end) = unless_gone(&mut reader, answered).await? {
            return Ok(end);
        }
        if request.header("connection").is_some_and(|wish| wish.eq_ignore_ascii_case("close")) {
            writer.shutdown().await?;
            break;
        }
    }
    Ok(MockEnd::Closed)
}

/// Runs `work`, but not longer than the client stays.
async fn unless_gone(
    reader: &mut (impl AsyncBufRead + Unpin),
    work: impl Future<Output = io::Result<Option<MockEnd>>>,
) -> io::Result<Option<MockEnd>> {
    tokio::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return done,
        more = reader.fill_buf() => {
            if more?.is_empty() {
                return Ok(Some(MockEnd::Closed));
            }
        }
    }
    // The next request is here already: it waits for its turn.
    work.await
}

fn is_admitted(mock: &Mock, request: &HttpRequest) -> bool {
    let token = mock.shared.plan.http.token.as_ref();
    token.is_none_or(|token| token.admits(request.header("authorization")))
}

fn fault_for(mock: &Mock, request: &HttpRequest) -> Option<HttpFault> {
    let mut state = mock.shared.state.lock();
    let earlier = state.http_requests;
    state.http_requests += 1;
    mock.shared.plan.http.intercept.as_ref().and_then(|intercept| intercept(request, earlier))
}

async fn write_fault(
    writer: &mut (impl AsyncWrite + Unpin),
    fault: &HttpFault,
) -> io::Result<Option<MockEnd>> {
    write_pieces(writer, &fault.pieces).await?;
    if let Some((piece, times)) = &fault.repeated {
        for _ in 0..*times {
            write_pieces(writer, std::slice::from_ref(piece)).await?;
        }
    }
    writer.shutdown().await?;
    Ok(Some(MockEnd::Closed))
}

async fn respond(
    mock: &Mock,
    request: &HttpRequest,
    writer: &mut (impl AsyncWrite + Send + Unpin),
    stderr: &Stderr,
) -> io::Result<Option<MockEnd>> {
    match request.method.as_str() {
        "POST" => post(mock, request, writer, stderr).await,
        "GET" if request.header(SESSION).is_some() => match session_fault(mock, request, &Value::Null) {
            None => notifications(mock, writer, None).await,
            Some(status) => plain(writer, status, "the session is not open").await,
        },
        "DELETE" => {
            let session = request.header(SESSION).unwrap_or_default();
            let known = mock.shared.state.lock().sessions.remove(session).is_some();
            plain(writer, if known { 200 } else { 404 }, "the session is not open").await
        }
        _ => plain(writer, 405, "only POST is served here").await,
    }
}

async fn post(
    mock: &Mock,
    request: &HttpRequest,
    writer: &mut (impl AsyncWrite + Send + Unpin),
    stderr: &Stderr,
) -> io::Result<Option<MockEnd>> {
    let Ok(message) = serde_json::from_slice::<Value>(&request.body) else {
        return plain(writer, 400, "the body is not JSON").await;
    };
    match session_fault(mock, request, &message) {
        Some(404) => return plain(writer, 404, "the session is not open").await,
        Some(status) => return plain(writer, status, "this needs a session").await,
        None => {}
    }
    if mock.shared.plan.http.strict_headers
        && frame::is_modern(&message)
        && let Some(reason) = header_fault(request, &message)
    {
        let error = frame::error(&message, -32020, &reason, None);
        return answer(writer, 400, &error).await;
    }
    let actions = mock.respond(&message);
    if message["method"] == "subscriptions/listen" {
        return notifications(mock, writer, Some((message["id"].clone(), actions))).await;
    }
    let mut sink = ResponseSink {
        writer,
        style: style_for(mock.shared.plan.http.style, &actions),
        status_of_errors: if frame::is_modern(&message) { modern_status } else { |_| 200 },
        headers: Vec::new(),
        begun: false,
        events: 0,
    };
    if message["method"] == "initialize" && !mock.shared.plan.http.sessionless {
        sink.headers.push((SESSION, mock.shared.state.lock().open_session()));
    }
    if let Some(end) = perform(mock, actions, &mut sink, stderr).await? {
        return Ok(Some(end));
    }
    sink.finish().await?;
    Ok(None)
}

/// What is wrong with the headers of a modern request.
fn header_fault(request: &HttpRequest, message: &Value) -> Option<String> {
    let params = &message["params"];
    let named = match message["method"].as_str()? {
        "tools/call" | "prompts/get" => params["name"].as_str(),
        "resources/read" => params["uri"].as_str(),
        "tasks/get" | "tasks/update" | "tasks/cancel" => params["taskId"].as_str(),
        _ => None,
    };
    let wanted = [
        ("mcp-protocol-version", frame::version(message)),
        ("mcp-method", message["method"].as_str()),
        // A name with other characters is sent encoded, and the mock has none but in `odd-names`.
        ("mcp-name", named.filter(|name| name.is_ascii())),
    ];
    let wrong = wanted.iter().find(|(header, value)| value.is_some() && request.header(header) != *value);
    wrong.map(|(header, _)| format!("the header `{header}` is not what the body says"))
}

/// The status with which a message is refused for want of a session.
fn session_fault(mock: &Mock, request: &HttpRequest, message: &Value) -> Option<u16> {
    let plan = &mock.shared.plan;
    let modern = frame::is_modern(message) && plan.era != MockEras::Legacy;
    if plan.http.sessionless || modern || message["method"] == "initialize" {
        return None;
    }
    let Some(session) = request.header(SESSION) else { return Some(400) };
    let mut state = mock.shared.state.lock();
    let Some(calls) = state.sessions.get_mut(session) else { return Some(404) };
    *calls += u64::from(message["method"] == "tools/call");
    if plan.http.session_calls.is_some_and(|limit| *calls > limit) {
        state.sessions.remove(session);
        return Some(404);
    }
    None
}

/// A stream of announcements: for a subscription with its acknowledgement, or for a legacy session.
async fn notifications(
    mock: &Mock,
    writer: &mut (impl AsyncWrite + Send + Unpin),
    subscription: Option<(Value, Vec<MockAction>)>,
) -> io::Result<Option<MockEnd>> {
    let mut announcements = mock.shared.announcements.subscribe();
    let mut sink = ResponseSink {
        writer,
        style: Style::Events,
        status_of_errors: |_| 200,
        headers: Vec::new(),
        begun: false,
        events: 0,
    };
    sink.begin(200).await?;
    let id = match subscription {
        None => None,
        Some((id, actions)) => {
            for action in actions {
                if let MockAction::Frame(pieces) = action {
                    sink.frame(&pieces).await?;
                }
            }
            Some(id)
        }
    };
    loop {
        let announcement = match tokio::time::timeout(LONGEST, announcements.recv()).await {
            Ok(Ok(announcement)) => announcement,
            Ok(Err(RecvError::Lagged(_))) => continue,
            Ok(Err(RecvError::Closed)) | Err(_) => return Ok(Some(MockEnd::Closed)),
        };
        let frame = id.as_ref().map_or_else(|| announcement.plain(), |id| announcement.tagged(id));
        sink.frame(&[Piece { pause: Duration::ZERO, bytes: frame.into_bytes() }]).await?;
    }
}

fn style_for(wanted: Style, actions: &[MockAction]) -> Style {
    let frames = actions.iter().filter(|action| matches!(action, MockAction::Frame(_))).count();
    let asks = actions.iter().any(|action| matches!(action, MockAction::Ask(_)));
    if wanted == Style::Json && (frames > 1 || asks) { Style::Events } else { wanted }
}

fn modern_status(code: i64) -> u16 {
    match code {
        -32601 => 404,
        -32603 => 500,
        _ => 400,
    }
}

async fn plain(
    writer: &mut (impl AsyncWrite + Unpin),
    status: u16,
    reason: &str,
) -> io::Result<Option<MockEnd>> {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": reason}});
    let body = if status < 400 { String::new() } else { error.to_string() };
    answer(writer, status, &body).await
}

async fn answer(
    writer: &mut (impl AsyncWrite + Unpin),
    status: u16,
    body: &str,
) -> io::Result<Option<MockEnd>> {
    let head = format!(
        "HTTP/1.1 {status} Mock\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    writer.write_all(head.as_bytes()).await?;
    writer.write_all(body.as_bytes()).await?;
    writer.flush().await?;
    Ok(None)
}
