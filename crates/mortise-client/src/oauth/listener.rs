//! Waits on 127.0.0.1 for the browser to bring the answer of the authorization server.

use std::sync::Arc;
use std::time::Duration;

use mortise_contract::text::{cut, one_line};
use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::OAuthError;

/// Bytes of one request's head: the address bar of a browser holds less.
const MAX_HEAD: usize = 16 * 1024;
/// How long one connection may take to say what it wants.
const READ_LIMIT: Duration = Duration::from_secs(10);
/// Connections at once. Browsers open some ahead of need and leave them silent.
const MAX_CONNECTIONS: usize = 16;
/// The path of the redirect.
const PATH: &str = "/callback";

/// A port that waits for one redirect.
pub(super) struct RedirectListener {
    listener: TcpListener,
    redirect: String,
}

/// What the authorization server sent through the browser. Not `Debug`: the code is a secret.
#[derive(PartialEq, Eq)]
pub(super) struct Callback {
    pub(super) code: String,
    pub(super) issuer: Option<String>,
}

impl RedirectListener {
    /// Opens a free port on the loopback interface.
    pub(super) async fn open() -> Result<Self, OAuthError> {
        let failed = |error| OAuthError::Listen(Arc::new(error));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, redirect: format!("http://127.0.0.1:{port}{PATH}") })
    }

    /// The address to send the browser back to.
    pub(super) fn redirect(&self) -> &str {
        &self.redirect
    }

    /// The first redirect that carries `state`. Anything else is answered and passed over,
    /// so that a page that guesses the port can't end a login.
    pub(super) async fn wait(self, state: &str) -> Result<Callback, OAuthError> {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                    let (stream, _) = accepted.map_err(|error| OAuthError::Listen(Arc::new(error)))?;
                    connections.spawn(answer(stream, state.to_owned()));
                }
                Some(answered) = connections.join_next() => {
                    if let Ok(Some(outcome)) = answered {
                        return outcome;
                    }
                }
            }
        }
    }
}

/// Answers one connection; `Some` if it brought the redirect.
async fn answer(mut stream: TcpStream, state: String) -> Option<Result<Callback, OAuthError>> {
    let head = timeout(READ_LIMIT, read_head(&mut stream)).await.ok()??;
    let (status, page, outcome) = match judge(&head, &state) {
        RedirectRequest::Other => ("404 Not Found", "Nothing is here.", None),
        RedirectRequest::WrongState => ("400 Bad Request", "This login was not started here.", None),
        RedirectRequest::Redirect(Ok(callback)) => (
            "200 OK",
            "Received. You can close this window; the terminal says how it went.",
            Some(Ok(callback)),
        ),
        RedirectRequest::Redirect(Err(error)) => {
            ("200 OK", "The login failed. The terminal says why.", Some(Err(error)))
        }
    };
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    // The answer is a courtesy; the outcome counts even if the browser is gone.
    let _ = timeout(READ_LIMIT, async {
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
    outcome
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let count = stream.read(&mut chunk).await.ok()?;
        if count == 0 || head.len() + count > MAX_HEAD {
            return None;
        }
        head.extend_from_slice(&chunk[..count]);
    }
    String::from_utf8(head).ok()
}

enum RedirectRequest {
    Redirect(Result<Callback, OAuthError>),
    WrongState,
    Other,
}

fn judge(head: &str, state: &str) -> RedirectRequest {
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let (method, target) = (words.next(), words.next().unwrap_or_default());
    let Ok(url) = Url::parse("http://127.0.0.1").and_then(|base| base.join(target)) else {
        return RedirectRequest::Other;
    };
    if method != Some("GET") || url.path() != PATH {
        return RedirectRequest::Other;
    }
    let parameter = |name: &str| {
        let mut found = url.query_pairs().filter(|(key, _)| key == name);
        let value = found.next().map(|(_, value)| value.into_owned());
        // A parameter that stands twice means nothing certain.
        value.filter(|_| found.next().is_none())
    };
    if parameter("state").as_deref() != Some(state) {
        return RedirectRequest::WrongState;
    }
    RedirectRequest::Redirect(match (parameter("code"), parameter("error")) {
        (_, Some(code)) => {
            let description = parameter("error_description").map(|text| short(&text));
            Err(OAuthError::Denied { code: short(&code), description })
        }
        (Some(code), None) => Ok(Callback { code, issuer: parameter("iss") }),
        (None, None) => Err(OAuthError::Denied { code: "no code".to_owned(), description: None }),
    })
}

/// Text from outside as one short line.
pub(super) fn short(text: &str) -> String {
    cut(&one_line(text), 200)
}
