//! The server that a caller wants to test: a URL or a command, read from the arguments.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mortise_client::secret::Secret;
use mortise_client::server_config::{HttpConfig, OAuthConfig, StdioConfig, Transport};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::object::Object;

/// A server to connect to, and what may be shown of it.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) transport: Transport,
    /// The URL without a password, or the command line.
    pub(crate) server_url: String,
    pub(crate) kind: TransportKind,
    /// What else is shown of it: the argument vector, or which headers were given.
    pub(crate) shown: Object,
    /// Inputs that mean nothing here.
    pub(crate) warnings: Vec<String>,
    /// Whether the operator's login is asked for.
    pub(crate) wants_login: bool,
    /// What else to try if the server can't be connected to.
    pub(crate) advice: Option<&'static str>,
}

/// How a server under test is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransportKind {
    StreamingHttp,
    Stdio,
}

impl TransportKind {
    /// The word on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::StreamingHttp => "streaming-http",
            Self::Stdio => "stdio",
        }
    }
}

impl Target {
    /// Reads the arguments of `connect_to_server`, whose types are checked already.
    pub(crate) fn read(arguments: &Map<String, Value>) -> Result<Self, Failure> {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        match (text("url"), text("command")) {
            (Some(url), None) if is_http(url) => http(url, arguments),
            (Some(url), None) if url.contains("://") => Err(Failure::invalid(
                format!("`{}` is no http or https address", shown_url(url)),
                "Give an http or https URL, or `command` for a local server.",
            )),
            // As a path, which is what a URL without a scheme can only be.
            (Some(path), None) => {
                let advice = "If an address was meant, write http:// or https:// before it.";
                Ok(Self { advice: Some(advice), ..stdio(path, arguments)? })
            }
            (None, Some(command)) => stdio(command, arguments),
            (Some(_), Some(_)) => Err(Failure::invalid(
                "both `url` and `command` are given",
                "Give `url` for a deployed server or `command` for a local one, not both.",
            )),
            (None, None) => Err(Failure::invalid(
                "neither `url` nor `command` is given",
                "Give `url` for a deployed server or `command` for a local one.",
            )),
        }
    }
}

fn is_http(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

fn http(url: &str, arguments: &Map<String, Value>) -> Result<Target, Failure> {
    let headers = texts(arguments, "headers");
    let auth = Auth::read(arguments.get("auth"))?;
    let mut config = HttpConfig::new(url);
    let mut shown = Object::new();
    if !headers.is_empty() {
        shown = shown.set("headers_provided", headers.keys().collect::<Vec<_>>());
    }
    config.headers = headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect();
    let mut wants_login = false;
    match auth {
        Auth::None => {}
        Auth::Bearer(token) => {
            shown = shown.set("auth_type", "bearer");
            config.bearer = Some(token);
        }
        Auth::Login(oauth) => {
            shown = shown.set("auth_type", "oauth");
            config.oauth = Some(oauth);
            wants_login = true;
        }
    }
    Ok(Target {
        transport: Transport::Http(config),
        server_url: shown_url(url),
        kind: TransportKind::StreamingHttp,
        shown,
        warnings: ignored(arguments, &["args", "env", "cwd"], "a server that is reached by URL"),
        wants_login,
        advice: None,
    })
}

fn stdio(command: &str, arguments: &Map<String, Value>) -> Result<Target, Failure> {
    // Wrong on any transport, so it is said here too.
    Auth::read(arguments.get("auth"))?;
    let args: Vec<String> = arguments
        .get("args")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|argument| argument.as_str().map(str::to_owned))
        .collect();
    let env = texts(arguments, "env");
    let cwd = arguments.get("cwd").and_then(Value::as_str);
    let words = std::iter::once(command).chain(args.iter().map(String::as_str));
    let shown_command = Object::new()
        .set("command", command)
        .set("args", &args)
        .set_some("cwd", cwd)
        .set("env", env.keys().collect::<Vec<_>>());
    let mut config = StdioConfig::new(command, args.clone());
    config.env = env.into_iter().map(|(name, value)| (name, Secret::new(value))).collect();
    config.cwd = cwd.map(PathBuf::from);
    Ok(Target {
        transport: Transport::Stdio(config),
        // A word with a NUL can't be quoted and can't be started either.
        server_url: shlex::try_join(words).unwrap_or_else(|_| command.to_owned()),
        kind: TransportKind::Stdio,
        shown: Object::new().object("command", &shown_command),
        warnings: ignored(arguments, &["headers", "auth"], "a local server"),
        wants_login: false,
        advice: None,
    })
}

fn ignored(arguments: &Map<String, Value>, keys: &[&str], what: &str) -> Vec<String> {
    keys.iter()
        .filter(|key| arguments.get(**key).is_some_and(|value| !value.is_null()))
        .map(|key| format!("`{key}` is ignored: it means nothing for {what}"))
        .collect()
}

fn texts(arguments: &Map<String, Value>, key: &str) -> BTreeMap<String, String> {
    let members = arguments.get(key).and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// A URL as it can be shown: without the password before its host, and of its query only the keys.
pub(crate) fn shown_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let rest = match rest[..end].rfind('@') {
        Some(at) => format!("…@{}", &rest[at + 1..]),
        None => rest.to_owned(),
    };
    let (rest, has_fragment) = match rest.split_once('#') {
        Some((before, _)) => (before.to_owned(), true),
        None => (rest, false),
    };
    let shown = match rest.split_once('?') {
        Some((before, query)) => format!("{scheme}://{before}?{}", shown_query(query)),
        None => format!("{scheme}://{rest}"),
    };
    shown + if has_fragment { "#…" } else { "" }
}

fn shown_query(query: &str) -> String {
    let shown = |pair: &str| match pair.split_once('=') {
        Some((key, value)) if !value.is_empty() => format!("{key}=…"),
        // A token may stand there alone.
        None if !pair.is_empty() => "…".to_owned(),
        _ => pair.to_owned(),
    };
    query.split('&').map(shown).collect::<Vec<_>>().join("&")
}

/// How the caller wants to be authorised.
enum Auth {
    None,
    Bearer(Secret),
    Login(OAuthConfig),
}

impl Auth {
    fn read(value: Option<&Value>) -> Result<Self, Failure> {
        let unknown = || {
            Failure::invalid(
                "`auth` is of no known type",
                "Give a bearer token as a string, \"oauth\", {\"type\":\"bearer\",\"token\":…} or {\"type\":\"oauth\"}.",
            )
        };
        match value {
            None | Some(Value::Null) => Ok(Self::None),
            Some(Value::String(word)) if word == "oauth" => Ok(Self::Login(OAuthConfig::default())),
            Some(Value::String(token)) if !token.is_empty() => Ok(Self::Bearer(Secret::new(token.as_str()))),
            Some(Value::Object(auth)) => {
                let text = |key: &str| auth.get(key).and_then(Value::as_str).map(str::to_owned);
                match (text("type").as_deref(), text("token")) {
                    (Some("bearer"), Some(token)) if !token.is_empty() => {
                        Ok(Self::Bearer(Secret::new(token)))
                    }
                    (Some("oauth"), _) => Ok(Self::Login(OAuthConfig {
                        client_id: text("client_id"),
                        client_secret: text("client_secret").map(Secret::new),
                        scopes: scopes(auth.get("scopes")),
                        ..OAuthConfig::default()
                    })),
                    _ => Err(unknown()),
                }
            }
            Some(_) => Err(unknown()),
        }
    }
}

/// A list of scopes, or one text with spaces between them.
fn scopes(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => text.split_whitespace().map(str::to_owned).collect(),
        Some(Value::Array(scopes)) => {
            scopes.iter().filter_map(|scope| scope.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
