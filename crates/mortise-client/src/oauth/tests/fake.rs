//! An authorization server and the MCP server it protects, on one port.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use data_encoding::BASE64URL_NOPAD;
use reqwest::Url;
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::guard::AddressGuard;

/// What is out of the ordinary.
#[derive(Clone, Default)]
pub(super) struct Behaviour {
    /// Members of the metadata to replace; `BASE` stands for our own address.
    pub(super) metadata: Vec<(&'static str, Value)>,
    /// Authorization servers to name instead of ourselves.
    pub(super) authorization_servers: Option<Value>,
    /// Nothing is said about logging in.
    pub(super) is_silent: bool,
    /// Only the answer to a POST says where the metadata lies, and that is nowhere usual.
    pub(super) is_hidden: bool,
    /// Where the metadata sends its readers.
    pub(super) metadata_redirect: Option<&'static str>,
    /// Parameters of the redirect to replace or add.
    pub(super) redirect: Vec<(&'static str, &'static str)>,
    /// Parameters of the redirect to leave out.
    pub(super) redirect_without: Vec<&'static str>,
    /// Seconds that tokens live.
    pub(super) expires_in: Option<u64>,
    /// What the token endpoint answers to a refresh instead.
    pub(super) refresh_error: Option<(u16, &'static str)>,
    /// What the registration endpoint adds to its answer.
    pub(super) registration: Option<Value>,
    /// A directory that is moved to `NAME.away` while a token is renewed, with a file left in its place.
    pub(super) moved_directory: Arc<OnceLock<PathBuf>>,
}

#[derive(Clone)]
pub(super) struct Fake {
    base: String,
    behaviour: Behaviour,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    /// Every request, as `METHOD path`.
    requests: Vec<String>,
    /// What the authorization request carried.
    authorization: BTreeMap<String, String>,
    /// The bodies of token requests.
    tokens: Vec<BTreeMap<String, String>>,
    basic: Option<String>,
    issued: u32,
}

type Parameters = BTreeMap<String, String>;

impl Fake {
    pub(super) async fn start(behaviour: Behaviour) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let fake = Self { base, behaviour, seen: Arc::default() };
        let router = Router::new()
            .route("/mcp", get(resource).post(refuse))
            .route("/.well-known/oauth-protected-resource/mcp", get(protected_resource))
            .route("/hidden.json", get(hidden_resource))
            .route("/.well-known/oauth-authorization-server", get(metadata))
            .route("/authorize", get(authorize))
            .route("/register", post(register))
            .route("/token", post(token))
            .layer(axum::middleware::from_fn_with_state(fake.clone(), record))
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    /// The address of the protected server.
    pub(super) fn server(&self) -> String {
        format!("{}/mcp", self.base)
    }

    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// Opens an address as a browser would, redirects and all; the status of the last answer.
    pub(super) async fn browse(self, address: Url) -> u16 {
        let guard = AddressGuard::new(&[Url::parse(&self.base).unwrap()], &Environment::default());
        let policy = reqwest::redirect::Policy::limited(5);
        let client = guard.client().redirect(policy).build().unwrap();
        client.get(address).send().await.unwrap().status().as_u16()
    }

    /// How many requests there were to a path.
    pub(super) fn count(&self, request: &str) -> usize {
        self.seen.lock().unwrap().requests.iter().filter(|seen| *seen == request).count()
    }

    pub(super) fn authorization(&self) -> Parameters {
        self.seen.lock().unwrap().authorization.clone()
    }

    pub(super) fn token_requests(&self) -> Vec<Parameters> {
        self.seen.lock().unwrap().tokens.clone()
    }

    fn with_base(&self, value: &Value) -> Value {
        serde_json::from_str(&value.to_string().replace("BASE", &self.base)).unwrap()
    }
}

async fn record(
    State(fake): State<Fake>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    let line = format!("{} {}", request.method(), request.uri().path());
    fake.seen.lock().unwrap().requests.push(line);
    next.run(request).await
}

async fn refuse(State(fake): State<Fake>) -> Response {
    if !fake.behaviour.is_hidden {
        return resource(State(fake)).await;
    }
    let pointer = format!("Bearer resource_metadata=\"{}/hidden.json\", scope=\"hidden\"", fake.base);
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, pointer)]).into_response()
}

async fn resource(State(fake): State<Fake>) -> Response {
    if fake.behaviour.is_hidden {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    if fake.behaviour.is_silent {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let pointer =
        format!("Bearer resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\"", fake.base);
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, pointer)]).into_response()
}

async fn protected_resource(State(fake): State<Fake>) -> Response {
    if fake.behaviour.is_silent || fake.behaviour.is_hidden {
        return StatusCode::NOT_FOUND.into_response();
    }
    hidden_resource(State(fake)).await
}

async fn hidden_resource(State(fake): State<Fake>) -> Response {
    let servers = fake.behaviour.authorization_servers.clone().unwrap_or(json!(["BASE"]));
    axum::Json(fake.with_base(&json!({
        "resource": "BASE/mcp",
        "authorization_servers": servers,
        "scopes_supported": ["read"],
    })))
    .into_response()
}

async fn metadata(State(fake): State<Fake>) -> Response {
    if fake.behaviour.is_silent {
        return StatusCode::NOT_FOUND.into_response();
    }
    if let Some(target) = fake.behaviour.metadata_redirect {
        return (StatusCode::FOUND, [(header::LOCATION, target)]).into_response();
    }
    let mut metadata = json!({
        "issuer": "BASE",
        "authorization_endpoint": "BASE/authorize",
        "token_endpoint": "BASE/token",
        "registration_endpoint": "BASE/register",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
        "authorization_response_iss_parameter_supported": true,
    });
    for (key, value) in &fake.behaviour.metadata {
        metadata[key] = value.clone();
    }
    axum::Json(fake.with_base(&metadata)).into_response()
}

async fn register(State(fake): State<Fake>, body: Bytes) -> Response {
    let request: Value = serde_json::from_slice(&body).unwrap();
    let mut answer = json!({"client_id": "registered-1", "redirect_uris": request["redirect_uris"]});
    if let Some(more) = &fake.behaviour.registration {
        for (key, value) in more.as_object().unwrap() {
            answer[key] = value.clone();
        }
    }
    let status = answer["status"].as_u64().map_or(201, |status| status as u16);
    (StatusCode::from_u16(status).unwrap(), axum::Json(answer)).into_response()
}

async fn authorize(State(fake): State<Fake>, Query(given): Query<Parameters>) -> Response {
    fake.seen.lock().unwrap().authorization = given.clone();
    let mut parameters = vec![
        ("code".to_owned(), "canary-code".to_owned()),
        ("state".to_owned(), given["state"].clone()),
        ("iss".to_owned(), fake.base.clone()),
    ];
    parameters.retain(|(key, _)| {
        let behaviour = &fake.behaviour;
        !behaviour.redirect_without.contains(&key.as_str())
            && !behaviour.redirect.iter().any(|(name, _)| name == key)
    });
    let changed = fake.behaviour.redirect.iter();
    parameters.extend(changed.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let target = Url::parse_with_params(&given["redirect_uri"], &parameters).unwrap();
    (StatusCode::FOUND, [(header::LOCATION, target.to_string())]).into_response()
}

async fn token(State(fake): State<Fake>, headers: HeaderMap, body: Bytes) -> Response {
    let form = Url::parse("http://x/").unwrap();
    let form = form.join(&format!("?{}", String::from_utf8(body.to_vec()).unwrap())).unwrap();
    let form: Parameters =
        form.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect();
    let mut seen = fake.seen.lock().unwrap();
    seen.tokens.push(form.clone());
    seen.basic = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let refused = |code: u16, error: &str| {
        let answer = json!({"error": error, "error_description": "no such luck"});
        (StatusCode::from_u16(code).unwrap(), axum::Json(answer)).into_response()
    };
    let is_right = match form["grant_type"].as_str() {
        "authorization_code" => {
            let challenge =
                BASE64URL_NOPAD.encode(&hmac_sha256::Hash::hash(form["code_verifier"].as_bytes()));
            form["code"] == "canary-code" && seen.authorization["code_challenge"] == challenge
        }
        "refresh_token" => {
            if let Some((code, error)) = fake.behaviour.refresh_error {
                return refused(code, error);
            }
            if let Some(directory) = fake.behaviour.moved_directory.get() {
                std::fs::rename(directory, directory.with_extension("away")).unwrap();
                std::fs::write(directory, "").unwrap();
            }
            // Each refresh token works once.
            form["refresh_token"] == format!("canary-refresh-{}", seen.issued)
        }
        "client_credentials" => form.get("client_secret").is_some_and(|secret| secret == "canary-secret"),
        _ => false,
    };
    if !is_right {
        return refused(400, "invalid_grant");
    }
    seen.issued += 1;
    let mut answer = json!({
        "access_token": format!("canary-access-{}", seen.issued),
        "token_type": "Bearer",
        "scope": "read",
    });
    if form["grant_type"] != "client_credentials" {
        answer["refresh_token"] = format!("canary-refresh-{}", seen.issued).into();
    }
    if let Some(seconds) = fake.behaviour.expires_in {
        answer["expires_in"] = seconds.into();
    }
    axum::Json(answer).into_response()
}
