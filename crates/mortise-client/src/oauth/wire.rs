//! rmcp's authorization, with its types kept in here.
//!
//! rmcp does discovery, registration, PKCE and the token requests. We give it
//! an HTTP client that keeps to the [`AddressGuard`], check what it discovered,
//! and take its tokens out as our own. Its log lines are switched off: at debug
//! level they hold the authorization code.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use reqwest::{Client, StatusCode, Url};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, ClientCredentialsConfig, CredentialStore,
    InMemoryCredentialStore, OAuthClientConfig, OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture,
    OAuthHttpRequest, StoredCredentials, WWWAuthenticateParams,
};
use serde_json::{Value, json};
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

use super::OAuthError;
use super::listener::{Callback, short};
use super::store::LoginToken;
use crate::address::is_loopback_host;
use crate::guard::AddressGuard;
use crate::secret::Secret;
use crate::server_config::OAuthConfig;
use crate::wall_clock::seconds_since_1970;

/// Bytes of one answer of an authorization server.
const MAX_BODY: usize = 1024 * 1024;
/// How long one request to an authorization server may take.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);

/// How long a server may take to refuse us.
const CHALLENGE_LIMIT: Duration = Duration::from_secs(10);

/// The name we register under.
const CLIENT_NAME: &str = "mortise";

/// An authorization server that was found for a server of ours.
pub(super) struct AuthorizationServer {
    manager: AuthorizationManager,
    server: Url,
    issuer: Option<String>,
    /// Whether the server says where to log in, or we guess as of 2025-03-26.
    is_published: bool,
}

/// A login that waits for the browser.
pub(super) struct PendingLogin {
    server: AuthorizationServer,
    client: OAuthClientConfig,
    /// Where to send the browser.
    pub(super) address: Url,
    /// What the redirect must carry.
    pub(super) state: String,
}

impl AuthorizationServer {
    /// Finds the authorization server of `server` and checks that it can be trusted with a login.
    pub(super) async fn discover(
        server: &Url,
        config: &OAuthConfig,
        guard: &AddressGuard,
        challenge: Option<&str>,
    ) -> Result<Self, OAuthError> {
        let discovery = |reason: String| OAuthError::Discovery {
            origin: origin(server),
            reason: short(&without_address(&reason, server)),
        };
        let client = guard.client().timeout(REQUEST_LIMIT).build();
        let client = client.map_err(|error| discovery(error.to_string()))?;
        let http = Arc::new(GuardedClient { client, guard: guard.clone() });
        let challenge = match challenge {
            Some(challenge) => Some(challenge.to_owned()),
            None => http.challenge(server).await,
        };
        let failed = |error| explain(error, &discovery);
        let mut manager =
            AuthorizationManager::new_with_oauth_http_client(server.clone(), http).await.map_err(failed)?;
        let resolved = manager.resolve_metadata_from_challenge(challenge.as_deref());
        let found = silent(resolved).await.map_err(failed)?;
        check_endpoint("authorization", &found.metadata.authorization_endpoint, server, guard)?;
        check_endpoint("token", &found.metadata.token_endpoint, server, guard)?;
        let issuer = check_issuer(&found.metadata, config)?;
        manager.set_metadata(found.metadata);
        Ok(Self { manager, server: server.clone(), issuer, is_published: found.source.is_discovered() })
    }

    /// Begins the authorization-code flow with PKCE.
    pub(super) async fn begin(
        mut self,
        config: &OAuthConfig,
        scopes: &[String],
        redirect: &str,
    ) -> Result<PendingLogin, OAuthError> {
        let registration = |reason: String| OAuthError::Registration { reason: short(&reason) };
        let scopes = match scopes {
            [] => silent(self.manager.select_initial_scopes(&[])).await,
            given => given.to_vec(),
        };
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let client = match &config.client_id {
            Some(id) => {
                let client = OAuthClientConfig::new(id, redirect);
                with_secret(client, config.client_secret.as_ref())
            }
            None => silent(self.manager.register_client(CLIENT_NAME, redirect, &scopes)).await.map_err(
                |error| match self.is_published {
                    true => explain(error, &registration),
                    false => self.unpublished(),
                },
            )?,
        };
        self.manager.configure_client(client.clone()).map_err(|error| explain(error, &registration))?;
        let address = silent(self.manager.get_authorization_url(&scopes)).await;
        let address = address.map_err(|error| explain(error, &exchange))?;
        let address = Url::parse(&address).map_err(|error| exchange(error.to_string()))?;
        let state =
            address.query_pairs().find(|(key, _)| key == "state").map(|(_, value)| value.into_owned());
        let state = state.ok_or_else(|| exchange("there is no state in the address".to_owned()))?;
        Ok(PendingLogin { server: self, client, address, state })
    }

    /// Gets a token without a user, by the client-credentials grant.
    pub(super) async fn client_credentials(mut self, config: &OAuthConfig) -> Result<LoginToken, OAuthError> {
        let (Some(client_id), Some(secret)) = (&config.client_id, &config.client_secret) else {
            return Err(exchange("a client id and a secret are needed".to_owned()));
        };
        let credentials = ClientCredentialsConfig::ClientSecret {
            client_id: client_id.clone(),
            client_secret: secret.expose().to_owned(),
            scopes: config.scopes.clone(),
            resource: Some(resource(&self.server)),
        };
        let failed = |error| explain(error, &exchange);
        self.manager
            .validate_client_credentials_metadata(&credentials)
            .map_err(|_| exchange("the authorization server takes no client secret".to_owned()))?;
        self.manager.configure_client_credentials(&credentials).map_err(failed)?;
        let answer = silent(self.manager.exchange_client_credentials(&credentials)).await.map_err(failed)?;
        let scopes = self.manager.get_current_scopes().await;
        token_from(serde_json::to_value(answer), scopes, client_id.clone(), None, self.issuer)
    }

    /// Renews a token by its refresh token.
    pub(super) async fn refresh(
        mut self,
        old: &LoginToken,
        config: &OAuthConfig,
    ) -> Result<LoginToken, OAuthError> {
        if let (Some(expected), Some(found)) = (&old.issuer, &self.issuer)
            && expected != found
        {
            return Err(OAuthError::IssuerMismatch { expected: expected.clone(), found: found.clone() });
        }
        let refresh = old.refresh.as_ref().ok_or_else(|| self.login_required())?;
        let failed = |error| explain(error, &exchange);
        let answer = json!({
            "access_token": old.access.expose(),
            "token_type": "bearer",
            "refresh_token": refresh.expose(),
        });
        let answer =
            serde_json::from_value(answer).map_err(|_| exchange("the token is damaged".to_owned()))?;
        let stored = StoredCredentials::new(old.client_id.clone(), Some(answer), old.scopes.clone(), None);
        let memory = InMemoryCredentialStore::new();
        memory.save(stored.with_issuer(old.issuer.clone())).await.map_err(failed)?;
        self.manager.set_credential_store(memory);
        let secret = old.client_secret.as_ref().or(config.client_secret.as_ref());
        let client = with_secret(OAuthClientConfig::new(&old.client_id, self.server.as_str()), secret);
        self.manager.configure_client(client).map_err(failed)?;
        let answer = match silent(self.manager.refresh_token()).await {
            Err(AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired) => {
                return Err(self.login_required());
            }
            other => other.map_err(failed)?,
        };
        let scopes = self.manager.get_current_scopes().await;
        let scopes = if scopes.is_empty() { old.scopes.clone() } else { scopes };
        let secret = old.client_secret.clone();
        token_from(serde_json::to_value(answer), scopes, old.client_id.clone(), secret, self.issuer)
    }

    fn unpublished(&self) -> OAuthError {
        let reason = "it publishes no authorization metadata".to_owned();
        OAuthError::Discovery { origin: origin(&self.server), reason }
    }

    fn login_required(&self) -> OAuthError {
        OAuthError::LoginRequired { origin: origin(&self.server) }
    }
}

impl PendingLogin {
    /// Turns the answer of the browser into a token.
    pub(super) async fn finish(
        self,
        callback: &Callback,
        config: &OAuthConfig,
    ) -> Result<LoginToken, OAuthError> {
        let manager = &self.server.manager;
        let exchanged = manager.exchange_code_for_token_with_issuer(
            &callback.code,
            &self.state,
            callback.issuer.as_deref(),
        );
        let answer = silent(exchanged).await.map_err(|error| explain(error, &exchange))?;
        let scopes = manager.get_current_scopes().await;
        // The secret of a configured client stays where it is configured.
        let registered = self.client.client_secret.filter(|_| config.client_id.is_none()).map(Secret::new);
        let id = self.client.client_id;
        token_from(serde_json::to_value(answer), scopes, id, registered, self.server.issuer)
    }
}

/// The scope that a 403 asks for, from its `WWW-Authenticate` header.
pub(super) fn wanted_scope(challenge: &str) -> Option<String> {
    // The base is for a relative address of the metadata, which is not looked at here.
    let parameters = WWWAuthenticateParams::parse(challenge, &Url::parse("http://localhost/").ok()?);
    if !parameters.is_insufficient_scope() {
        return None;
    }
    Some(short(&parameters.scope.unwrap_or_default()))
}

/// `https://host:port`, which can be shown.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The resource indicator: the server's address without what is not its identity.
fn resource(server: &Url) -> String {
    let mut resource = server.clone();
    resource.set_query(None);
    resource.set_fragment(None);
    resource.into()
}

fn with_secret(client: OAuthClientConfig, secret: Option<&Secret>) -> OAuthClientConfig {
    match secret {
        Some(secret) => client.with_client_secret(secret.expose()),
        None => client,
    }
}

fn check_endpoint(
    endpoint: &'static str,
    address: &str,
    server: &Url,
    guard: &AddressGuard,
) -> Result<(), OAuthError> {
    let discovery = |reason: String| OAuthError::Discovery { origin: origin(server), reason };
    let url = Url::parse(address).map_err(|_| discovery(format!("its {endpoint} endpoint is not a URL")))?;
    // A server that its operator reaches over plain http may log in there too.
    let is_same_host = url.scheme() == "http" && server.scheme() == "http" && url.host() == server.host();
    let is_secure =
        url.scheme() == "https" || is_same_host || (url.scheme() == "http" && is_loopback_host(&url));
    if !is_secure {
        return Err(OAuthError::Insecure { endpoint, origin: short(&origin(&url)) });
    }
    guard.check(&url).map_err(|error| OAuthError::PrivateAddress { endpoint, host: error.host })
}

/// The issuer, compared with the one that the operator wants.
fn check_issuer(
    metadata: &AuthorizationMetadata,
    config: &OAuthConfig,
) -> Result<Option<String>, OAuthError> {
    let issuer = metadata.issuer.as_deref().map(short);
    let plain = |text: &str| text.strip_suffix('/').unwrap_or(text).to_owned();
    match &config.issuer {
        Some(wanted) if issuer.as_deref().map(plain) != Some(plain(wanted)) => {
            let found = issuer.unwrap_or_else(|| "none".to_owned());
            Err(OAuthError::IssuerMismatch { expected: wanted.clone(), found })
        }
        _ => Ok(issuer),
    }
}

/// rmcp's answer as our token. The detour over JSON spares us the types of another crate.
fn token_from(
    answer: Result<Value, serde_json::Error>,
    scopes: Vec<String>,
    client_id: String,
    client_secret: Option<Secret>,
    issuer: Option<String>,
) -> Result<LoginToken, OAuthError> {
    let answer = answer.map_err(|_| exchange("the answer can't be read".to_owned()))?;
    let text = |key: &str| answer[key].as_str().map(Secret::new);
    let access =
        text("access_token").ok_or_else(|| exchange("there is no token in the answer".to_owned()))?;
    let expires_at =
        answer["expires_in"].as_u64().map(|seconds| seconds_since_1970().saturating_add(seconds));
    let refresh = text("refresh_token");
    Ok(LoginToken { access, refresh, expires_at, scopes, client_id, client_secret, issuer })
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed on as a function")]
fn exchange(reason: String) -> OAuthError {
    OAuthError::Exchange { reason: short(&reason) }
}

/// A text without the path and the query of an address: keys are found there.
fn without_address(text: &str, server: &Url) -> String {
    let path = server.path().trim_matches('/');
    let parts = [server.as_str(), path, server.query().unwrap_or_default()];
    parts
        .into_iter()
        .filter(|part| part.len() > 3)
        .fold(text.to_owned(), |text, part| text.replace(part, "…"))
}

/// rmcp's error in our words; `other` says what was being tried.
fn explain(error: AuthError, other: &dyn Fn(String) -> OAuthError) -> OAuthError {
    match error {
        AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer } => {
            OAuthError::IssuerMismatch { expected: short(&expected_issuer), found: short(&received_issuer) }
        }
        AuthError::AuthorizationServerMissingIssuer { expected_issuer } => {
            OAuthError::IssuerMismatch { expected: short(&expected_issuer), found: "none".to_owned() }
        }
        AuthError::TokenExchangeFailed(text)
        | AuthError::TokenRefreshFailed(text)
        | AuthError::ClientCredentialsError(text) => other(without_values(&text)),
        // A failed registration quotes the whole answer, whatever is in it.
        AuthError::RegistrationFailed(text) => other(registration_reason(&text)),
        error => other(error.to_string()),
    }
}

/// What an authorization server said in the form of OAuth may be shown; what a parser quotes may not.
fn without_values(text: &str) -> String {
    const ANSWER: &str = "Server returned error response";
    match text.find(ANSWER) {
        Some(start) => text[start..].to_owned(),
        None if text.contains("Request failed") => "the request failed".to_owned(),
        None => "the answer is not a token".to_owned(),
    }
}

fn registration_reason(text: &str) -> String {
    match text.find("HTTP ") {
        Some(start) => {
            let status: String = text[start..].chars().take_while(|c| *c != ':').take(40).collect();
            format!("the registration endpoint answered {status}")
        }
        None => "the authorization server offers no registration".to_owned(),
    }
}

async fn silent<T>(future: impl Future<Output = T>) -> T {
    future.with_subscriber(NoSubscriber::new()).await
}

/// Carries out rmcp's requests under our limits. Redirects are never followed here:
/// rmcp follows those of discovery itself and only within one origin.
struct GuardedClient {
    client: Client,
    guard: AddressGuard,
}

impl GuardedClient {
    /// How a server refuses a client without a login. Many answer POST only, and say there alone
    /// where they describe their logins; so the question is the one that a client begins with.
    async fn challenge(&self, server: &Url) -> Option<String> {
        self.guard.check(server).ok()?;
        let question = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
        let request = self
            .client
            .post(server.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "server/discover")
            .timeout(CHALLENGE_LIMIT)
            .body(question);
        let answer = request.send().await.ok()?;
        let challenge = answer.headers().get(WWW_AUTHENTICATE)?;
        challenge.to_str().ok().map(str::to_owned).filter(|_| answer.status() == StatusCode::UNAUTHORIZED)
    }
}

impl OAuthHttpClient for GuardedClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = reqwest::Request::try_from(request.request)?;
            self.guard.check(request.url())?;
            let response = self.client.execute(request).await?;
            let mut builder = http::Response::builder().status(response.status());
            for (name, value) in response.headers() {
                builder = builder.header(name, value);
            }
            let mut body = Vec::new();
            let mut chunks = response.bytes_stream();
            while let Some(chunk) = chunks.next().await {
                let chunk = chunk?;
                if body.len() + chunk.len() > MAX_BODY {
                    return Err(OAuthHttpClientError::from(format!(
                        "the answer is larger than {MAX_BODY} bytes"
                    )));
                }
                body.extend_from_slice(&chunk);
            }
            Ok(builder.body(body)?)
        })
    }
}
