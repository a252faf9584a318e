//! What every HTTP request passes before the protocol sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde_json::json;

use super::HttpOptions;
use super::accept::HttpPeer;
use super::media::{self, Unreadable};
use super::options::PATH;
use super::origin::{self, Foreign};
use super::overload::{self, RETRY_SECONDS};
use crate::ProtocolError;
use crate::client::PROTOCOL_VERSIONS;
use crate::frame::{self, CheckedFrame, Kind, Refusal};
use crate::limits;
use crate::wire::http::Endpoint;

/// The error code for a protocol version that is not served.
const UNSUPPORTED_VERSION: i32 = -32022;

/// Shared by all requests.
pub(crate) struct Edge {
    options: HttpOptions,
    endpoint: Arc<Endpoint>,
    ready: Arc<AtomicBool>,
}

impl Edge {
    pub(crate) fn new(options: HttpOptions, endpoint: Arc<Endpoint>, ready: Arc<AtomicBool>) -> Self {
        Self { options, endpoint, ready }
    }

    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/livez", get(|| async { "alive\n" }))
            .route("/readyz", get(ready))
            .route(PATH, any(serve))
            .with_state(Arc::new(self))
            .layer(axum::middleware::from_fn(bound_headers))
    }
}

/// hyper's own bound lets what it happens to read at once pass.
async fn bound_headers(request: Request, next: Next) -> Response {
    let bytes = |(name, value): (&http::HeaderName, &HeaderValue)| name.as_str().len() + value.len();
    if request.headers().iter().map(bytes).sum::<usize>() > limits::HTTP_HEADER_BYTES {
        let text = format!("the headers are larger than {} bytes\n", limits::HTTP_HEADER_BYTES);
        return *refuse(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, text);
    }
    next.run(request).await
}

async fn ready(State(edge): State<Arc<Edge>>) -> Response {
    if edge.ready.load(Ordering::Acquire) {
        "ready\n".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response()
    }
}

async fn serve(State(edge): State<Arc<Edge>>, request: Request) -> Response {
    edge.serve(request).await.unwrap_or_else(|refused| *refused)
}

type Passed<T> = Result<T, Box<Response>>;

impl Edge {
    async fn serve(&self, mut request: Request) -> Passed<Response> {
        self.admit(&request)?;
        media::check_media(&request.method().clone(), request.headers_mut()).map_err(unreadable)?;
        if request.method() != Method::POST {
            return Ok(self.endpoint.handle(request.map(|_| Bytes::new())).await);
        }
        let (mut parts, body) = request.into_parts();
        let body = self.read(body).await?;
        let frame = frame::check_message(&body).map_err(|refusal| bad_request(&refusal))?;
        if frame.is_foreign_response() {
            let refusal =
                Refusal::new(None, ProtocolError::INVALID_REQUEST, "no request of ours has a string as `id`");
            return Err(bad_request(&refusal));
        }
        check_version(&parts.headers, &frame, &body)?;
        let is_request = frame.kind == Kind::Request;
        let begins = is_request && frame.method.as_deref() == Some("initialize");
        let body = frame.clamped.map_or(body, Bytes::from);
        if let Some(arguments) = frame.arguments {
            parts.extensions.insert(crate::wire::VerbatimArguments(arguments));
        }
        let mut request = http::Request::from_parts(parts, body);
        // A client that begins a session has no answers there yet.
        if let Err(error) = self.endpoint.admit(&mut request)
            && is_request
            && !begins
        {
            return Err(Box::new(overload::refuse(&Refusal::of(frame.id.as_ref(), error))));
        }
        let response = match begins {
            true => self.endpoint.begin(request).await.ok_or_else(|| {
                let reason = format!("all {} sessions are in use", self.options.sessions);
                Box::new(overload::refuse(&Refusal::of(
                    frame.id.as_ref(),
                    ProtocolError::overloaded(&reason),
                )))
            })?,
            false => self.endpoint.handle(request).await,
        };
        Ok(if is_request { overload::tell(response).await } else { response })
    }

    fn admit(&self, request: &Request) -> Passed<()> {
        match origin::check_origin(&self.options, request.uri(), request.headers()) {
            Ok(()) => {}
            Err(Foreign::Host) => {
                return Err(refuse(StatusCode::FORBIDDEN, "this host is not served here\n"));
            }
            Err(Foreign::Origin) => {
                return Err(refuse(
                    StatusCode::FORBIDDEN,
                    "web pages of this origin may not call here; `--allow-origin ORIGIN` lets them\n",
                ));
            }
        }
        if let Some(token) = &self.options.token
            && !token.admits(request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()))
        {
            let challenge = (WWW_AUTHENTICATE, "Bearer");
            return Err(refuse_with(
                StatusCode::UNAUTHORIZED,
                challenge,
                "a bearer token is needed\n".to_owned(),
            ));
        }
        if let Some(peer) = request.extensions().get::<HttpPeer>() {
            peer.admit();
        }
        if !self.ready.load(Ordering::Acquire) {
            let later = (RETRY_AFTER, RETRY_SECONDS);
            return Err(refuse_with(
                StatusCode::SERVICE_UNAVAILABLE,
                later,
                "the server is stopping\n".to_owned(),
            ));
        }
        Ok(())
    }

    async fn read(&self, body: Body) -> Passed<Bytes> {
        let limit = self.options.body_bytes;
        // One that announces itself as too large is not waited for.
        if body.size_hint().lower() > limit as u64 {
            return Err(too_large(limit));
        }
        let read = tokio::time::timeout(limits::HTTP_BODY_TIME, Limited::new(body, limit).collect()).await;
        match read {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large(limit)),
            Ok(Err(_)) => Err(refuse(StatusCode::BAD_REQUEST, "the body can't be read\n")),
            Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "the body did not come in time\n")),
        }
    }
}

fn too_large(limit: usize) -> Box<Response> {
    refuse(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {limit} bytes\n"))
}

fn unreadable(part: Unreadable) -> Box<Response> {
    match part {
        Unreadable::Body => {
            refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "`Content-Type` must be application/json\n")
        }
        Unreadable::Answer => {
            refuse(StatusCode::NOT_ACCEPTABLE, "`Accept` must allow application/json and text/event-stream\n")
        }
    }
}

/// A version in the header alone; one in the body is compared by rmcp.
fn check_version(headers: &HeaderMap, frame: &CheckedFrame, body: &[u8]) -> Passed<()> {
    let Some(version) = headers.get("mcp-protocol-version") else { return Ok(()) };
    let version = version.to_str().unwrap_or_default();
    let in_body = || {
        let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
        body.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_some()
    };
    if PROTOCOL_VERSIONS.contains(&version) || in_body() {
        return Ok(());
    }
    let mut refusal = Refusal::new(frame.id.as_ref(), UNSUPPORTED_VERSION, "unsupported protocol version");
    refusal.error.data = Some(json!({ "supported": PROTOCOL_VERSIONS, "requested": version }));
    Err(bad_request(&refusal))
}

fn bad_request(refusal: &Refusal) -> Box<Response> {
    refuse_with(StatusCode::BAD_REQUEST, (CONTENT_TYPE, "application/json"), refusal.to_text())
}

fn refuse(status: StatusCode, text: impl Into<String>) -> Box<Response> {
    Box::new((status, text.into()).into_response())
}

fn refuse_with(status: StatusCode, header: (http::HeaderName, &'static str), text: String) -> Box<Response> {
    let mut response = (status, text).into_response();
    response.headers_mut().insert(header.0, HeaderValue::from_static(header.1));
    Box::new(response)
}
