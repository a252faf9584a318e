//! An HTTP answer, read as far as the limit and no further.

use std::io;

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use mortise_contract::text::{cut_bytes, error_chain};
use reqwest::{Response, Url};

use crate::secret::Secrets;
use crate::token::TokenSourceError;
use crate::wire::{ExchangeAnswer, excerpt};

/// How much of an unusable body is shown.
const BODY_SHOWN: usize = 1024;

/// An answer whose head is here.
#[derive(Debug)]
pub(crate) struct TargetReply {
    response: Response,
}

/// An answer that is all here.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) is_json: bool,
    pub(crate) text: String,
}

/// Why there is no JSON-RPC message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The connection was refused or timed out.
    #[error("{detail}")]
    Unreachable { detail: String },
    /// The exchange broke off.
    #[error("{detail}")]
    Network { detail: String },
    #[error("authorization required")]
    Auth { challenge: Option<String>, detail: Option<String> },
    #[error("larger than {limit} bytes")]
    TooLarge { limit: usize },
    /// The server answered with something else.
    #[error("HTTP status {}", .0.status)]
    Status(Body),
    /// The server redirects to an address that is not followed.
    #[error("{detail}")]
    Redirect { status: StatusCode, detail: String },
}

impl TargetReply {
    pub(crate) fn new(response: Response) -> Self {
        Self { response }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// A header as text.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.response.headers().get(name)?.to_str().ok().map(str::to_owned)
    }

    pub(crate) fn is_event_stream(&self) -> bool {
        self.media_type().is_some_and(|media| media == "text/event-stream")
    }

    fn media_type(&self) -> Option<String> {
        let value = self.header(CONTENT_TYPE.as_str())?;
        value.split(';').next().map(|media| media.trim().to_ascii_lowercase())
    }

    /// The next piece of the body.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        self.response.chunk().await.map_err(Failure::network)
    }

    /// The whole body, unless it is larger than `limit`.
    pub(crate) async fn body(mut self, limit: usize) -> Result<Body, Failure> {
        let announced = self.response.content_length().unwrap_or(0);
        if usize::try_from(announced).unwrap_or(usize::MAX) > limit {
            return Err(Failure::TooLarge { limit });
        }
        let encoded = self.response.headers().contains_key(CONTENT_ENCODING);
        let media = self.media_type();
        let is_json =
            !encoded && media.is_some_and(|media| media == "application/json" || media.ends_with("+json"));
        let content_type = self.header(CONTENT_TYPE.as_str());
        let retry_after = self.header(RETRY_AFTER.as_str()).filter(|value| value.len() <= 128);
        let status = self.status();
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if bytes.len() + chunk.len() > limit {
                return Err(Failure::TooLarge { limit });
            }
            bytes.extend_from_slice(&chunk);
        }
        let (text, is_json) = match String::from_utf8(bytes) {
            Ok(text) => (text, is_json),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
        };
        Ok(Body { status, retry_after, content_type, is_json, text })
    }
}

/// Why there is no connection, in one plain sentence; `None` for a cause that has none.
fn plain_cause(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // The connector has no public type for it; a test pins its text.
        if error.to_string() == "dns error" {
            return Some("no host has this name, or the network that would know it is down");
        }
        if let Some(io) = error.downcast_ref::<io::Error>() {
            if let Some(sentence) = plain_io(io) {
                return Some(sentence);
            }
            // What TLS found wrong is inside of the error, not among its sources.
            cause = io.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
            continue;
        }
        if matches!(error.downcast_ref(), Some(rustls::Error::InvalidMessage(_))) {
            return Some("it answers, but not with TLS; use http:// in place of https://");
        }
        cause = error.source();
    }
    None
}

fn plain_io(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Some("nothing listens there (connection refused)"),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            Some("the network is unreachable")
        }
        io::ErrorKind::ConnectionReset => Some("the other side closed the connection"),
        io::ErrorKind::TimedOut => Some("the host did not answer in time"),
        _ => None,
    }
}

impl Failure {
    pub(crate) fn network(error: reqwest::Error) -> Self {
        let unreachable = error.is_connect();
        let error = error.without_url();
        let chain = error_chain(&error);
        let detail = match plain_cause(&error) {
            Some(plain) => {
                tracing::info!(cause = %chain, "the connection failed");
                plain.to_owned()
            }
            None => chain,
        };
        if unreachable { Self::Unreachable { detail } } else { Self::Network { detail } }
    }

    pub(crate) fn token(error: TokenSourceError) -> Self {
        Self::Auth { challenge: None, detail: Some(error.message) }
    }

    pub(crate) fn redirect(response: &Response) -> Self {
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let target = location.and_then(|location| response.url().join(location).ok());
        let origin = target.as_ref().map(|target: &Url| target.origin().ascii_serialization());
        let status = response.status();
        let detail = match origin {
            Some(origin) if origin == response.url().origin().ascii_serialization() => {
                format!("a redirect with status {} would lose the message", status.as_u16())
            }
            Some(origin) => {
                format!("it redirects to `{origin}`, another origin; configure that address if you trust it")
            }
            None => "it redirects to nowhere".to_owned(),
        };
        Self::Redirect { status, detail }
    }

    /// The answer that the request gets. Of a body it holds only the start, without secrets.
    pub(crate) fn into_answer(self, secrets: &Secrets) -> ExchangeAnswer {
        match self {
            Self::Unreachable { detail } | Self::Network { detail } => ExchangeAnswer::Network { detail },
            Self::Auth { challenge, detail } => ExchangeAnswer::AuthRequired { challenge, detail },
            Self::TooLarge { limit } => ExchangeAnswer::TooLarge { limit },
            Self::Redirect { status, detail } => {
                ExchangeAnswer::Http { status: status.as_u16(), retry_after: None, body: detail }
            }
            Self::Status(body) if body.status.is_success() => {
                let media = body.content_type.as_deref().unwrap_or("no content type");
                ExchangeAnswer::Malformed {
                    detail: format!(
                        "no JSON-RPC answer but {media}: {}",
                        excerpt(&secrets.hide_start(&body.text, BODY_SHOWN))
                    ),
                }
            }
            Self::Status(body) => {
                let text = secrets.hide_start(&body.text, BODY_SHOWN);
                ExchangeAnswer::Http {
                    status: body.status.as_u16(),
                    retry_after: body.retry_after,
                    body: cut_bytes(&text, BODY_SHOWN),
                }
            }
        }
    }
}
