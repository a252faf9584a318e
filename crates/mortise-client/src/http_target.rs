//! One HTTP endpoint: how it is reached, with which headers, and how far an answer is read.

mod client;
mod reply;

use std::fmt;
use std::sync::Arc;

use http::header::{AUTHORIZATION, HeaderMap};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use reqwest::{RequestBuilder, Url};

pub(crate) use reply::{Failure, TargetReply};

use crate::environment::Environment;
use crate::error::ConnectError;
use crate::pool::Reach;
use crate::secret::{Secret, Secrets};
use crate::server_config::{HttpConfig, ServerConfig};
use crate::token::TokenSource;

/// Headers that belong to the protocol.
const OURS: &[&str] = &[
    "accept",
    "content-type",
    "content-length",
    "transfer-encoding",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "last-event-id",
];

/// An endpoint, ready to be talked to.
pub(crate) struct HttpTarget {
    client: reqwest::Client,
    url: Url,
    origin: String,
    headers: HeaderMap,
    tokens: Option<Arc<dyn TokenSource>>,
    server: ServerConfig,
    secrets: Secrets,
}

impl HttpTarget {
    /// Checks the configuration and builds a client for it.
    pub(crate) fn new(
        server: &ServerConfig,
        config: &HttpConfig,
        environment: &Environment,
        tokens: Option<Arc<dyn TokenSource>>,
        reach: Reach,
        secrets: Secrets,
    ) -> Result<Self, ConnectError> {
        let origin = config.origin();
        let bad = |detail: &str| ConnectError::Address { origin: origin.clone(), detail: detail.to_owned() };
        let mut url = Url::parse(&config.url).map_err(|error| bad(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("only http and https are spoken"));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(bad("there is no host in it"));
        }
        url.set_fragment(None);
        let mut headers = headers(config)?;
        let own = headers.contains_key(AUTHORIZATION);
        if let Some(token) = &config.bearer {
            if own {
                let detail = "a bearer token is configured as well";
                return Err(ConnectError::Header { name: "authorization".to_owned(), detail });
            }
            headers.insert(AUTHORIZATION, bearer(token)?);
        }
        let client = client::build(&url, environment, reach).map_err(|error| bad(&error.to_string()))?;
        let tokens = tokens.filter(|_| !headers.contains_key(AUTHORIZATION));
        Ok(Self { client, url, origin, headers, tokens, server: server.clone(), secrets })
    }

    pub(crate) fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Scheme, host and port: what can be shown.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.server.in_flight
    }

    /// What must not be shown of an answer.
    pub(crate) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// A request with the configured headers.
    pub(crate) fn request(&self, method: Method) -> RequestBuilder {
        self.client.request(method, self.url.clone()).headers(self.headers.clone())
    }

    /// Sends a request, with a token if there is one, and once more with a new token if that is
    /// refused.
    pub(crate) async fn send(&self, request: impl Fn() -> RequestBuilder) -> Result<TargetReply, Failure> {
        let token = match &self.tokens {
            Some(tokens) => tokens.token(&self.server).await.map_err(Failure::token)?,
            None => None,
        };
        let reply = self.send_once(&request, token.as_ref()).await?;
        let Some(challenge) = refusal(&reply) else { return Ok(reply) };
        let Some(tokens) = &self.tokens else { return Err(Failure::Auth { challenge, detail: None }) };
        let renewed = tokens.renew(&self.server, token.as_ref(), challenge.as_deref()).await;
        let renewed = match renewed {
            Ok(Some(renewed)) => renewed,
            Ok(None) => return Err(Failure::Auth { challenge, detail: None }),
            Err(error) => return Err(Failure::Auth { challenge, detail: Some(error.message) }),
        };
        let reply = self.send_once(&request, Some(&renewed)).await?;
        match refusal(&reply) {
            Some(challenge) => Err(Failure::Auth { challenge, detail: None }),
            None => Ok(reply),
        }
    }

    async fn send_once(
        &self,
        request: &impl Fn() -> RequestBuilder,
        token: Option<&Secret>,
    ) -> Result<TargetReply, Failure> {
        let mut request = request();
        if let Some(token) = token {
            self.secrets.add_token(token);
            let value = bearer(token)
                .map_err(|error| Failure::Auth { challenge: None, detail: Some(error.to_string()) })?;
            request = request.header(AUTHORIZATION, value);
        }
        let response = request.send().await.map_err(Failure::network)?;
        if response.status().is_redirection() {
            return Err(Failure::redirect(&response));
        }
        Ok(TargetReply::new(response))
    }
}

/// The challenge, when the server wants (another) token.
fn refusal(reply: &TargetReply) -> Option<Option<String>> {
    let challenge = reply.header("www-authenticate");
    match reply.status() {
        StatusCode::UNAUTHORIZED => Some(challenge),
        StatusCode::FORBIDDEN if challenge.is_some() => Some(challenge),
        _ => None,
    }
}

fn bearer(token: &Secret) -> Result<HeaderValue, ConnectError> {
    let mut value =
        HeaderValue::from_str(&format!("Bearer {}", token.expose())).map_err(|_| ConnectError::Header {
            name: "authorization".to_owned(),
            detail: "the token has characters no header can have",
        })?;
    value.set_sensitive(true);
    Ok(value)
}

fn headers(config: &HttpConfig) -> Result<HeaderMap, ConnectError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &config.headers {
        let bad = |detail| ConnectError::Header { name: name.clone(), detail };
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("it is not a header name"))?;
        if OURS.contains(&parsed.as_str()) {
            return Err(bad("the protocol sets it"));
        }
        let mut value = HeaderValue::from_str(value.expose())
            .map_err(|_| bad("its value has characters no header can have"))?;
        value.set_sensitive(true);
        headers.insert(parsed, value);
    }
    Ok(headers)
}

impl fmt::Debug for HttpTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpTarget").field("origin", &self.origin).finish_non_exhaustive()
    }
}
