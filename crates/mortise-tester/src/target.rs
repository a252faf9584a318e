//! The server that a caller wants to test: a URL or a command, read from the arguments.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mortise_client::secret::Secret;
use mortise_client::server_config::{HttpConfig, OAuthConfig, StdioConfig, Transport};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::failure::TestFailure;
use crate::tools::connect::ConnectToServerInput;

/// A server to connect to, and what may be shown of it.
#[derive(Debug)]
pub(crate) struct TestTarget {
    pub(crate) transport: Transport,
    /// The URL without a password, or the command line.
    pub(crate) server_url: String,
    pub(crate) kind: TargetTransport,
    pub(crate) shown: TargetShown,
    /// Inputs that mean nothing here.
    pub(crate) warnings: Vec<String>,
    /// Whether the operator's login is asked for.
    pub(crate) wants_login: bool,
    /// What else to try if the server can't be connected to.
    pub(crate) advice: Option<&'static str>,
}

// How a server under test is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) enum TargetTransport {
    #[serde(rename = "streaming-http")]
    StreamingHttp,
    #[serde(rename = "stdio")]
    Stdio,
}

// What else is shown of a server: the argument vector, or which headers were given.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct TargetShown {
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<CommandShown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers_provided: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth_type: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct CommandShown {
    command: String,
    args: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    /// Names of variables
    env: Vec<String>,
}

impl TargetTransport {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::StreamingHttp => "streaming-http",
            Self::Stdio => "stdio",
        }
    }
}

impl TestTarget {
    pub(crate) fn read(input: &ConnectToServerInput) -> Result<Self, TestFailure> {
        let text = |given: &'_ Option<String>| given.clone().filter(|text| !text.is_empty());
        match (text(&input.url), text(&input.command)) {
            (Some(url), None) if is_http(&url) => http(&url, input),
            (Some(url), None) if url.contains("://") => Err(TestFailure::invalid(
                format!("`{}` is not an http or https address", shown_url(&url)),
                "Give an http or https URL, or `command` for a local server.",
            )),
            // As a path, which is what a URL without a scheme can only be.
            (Some(path), None) => {
                let advice = "If an address was meant, write http:// or https:// before it.";
                Ok(Self { advice: Some(advice), ..stdio(&path, input)? })
            }
            (None, Some(command)) => stdio(&command, input),
            (Some(_), Some(_)) => Err(TestFailure::invalid(
                "both `url` and `command` are given",
                "Give `url` for a deployed server or `command` for a local one, not both.",
            )),
            (None, None) => Err(TestFailure::invalid(
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

fn http(url: &str, input: &ConnectToServerInput) -> Result<TestTarget, TestFailure> {
    let mut config = HttpConfig::new(url);
    let headers = input.headers.iter().flatten();
    config.headers = headers.map(|(name, value)| (name.clone(), Secret::new(value.as_str()))).collect();
    let names = || config.headers.keys().cloned().collect();
    let mut shown =
        TargetShown { headers_provided: (!config.headers.is_empty()).then(names), ..TargetShown::default() };
    let mut wants_login = false;
    match TargetAuth::read(input.auth.as_ref())? {
        TargetAuth::None => {}
        TargetAuth::Bearer(token) => {
            shown.auth_type = Some("bearer");
            config.bearer = Some(token);
        }
        TargetAuth::Login(oauth) => {
            shown.auth_type = Some("oauth");
            config.oauth = Some(oauth);
            wants_login = true;
        }
    }
    let given = [("args", input.args.is_some()), ("env", input.env.is_some()), ("cwd", input.cwd.is_some())];
    Ok(TestTarget {
        transport: Transport::Http(config),
        server_url: shown_url(url),
        kind: TargetTransport::StreamingHttp,
        shown,
        warnings: ignored(&given, "a server that is reached by URL"),
        wants_login,
        advice: None,
    })
}

fn stdio(command: &str, input: &ConnectToServerInput) -> Result<TestTarget, TestFailure> {
    // Wrong on any transport, so it is said here too.
    TargetAuth::read(input.auth.as_ref())?;
    let args = input.args.clone().unwrap_or_default();
    let env: BTreeMap<String, String> = input.env.clone().unwrap_or_default();
    let words = std::iter::once(command).chain(args.iter().map(String::as_str));
    // A word with a NUL can't be quoted and can't be started either.
    let server_url = shlex::try_join(words).unwrap_or_else(|_| command.to_owned());
    let shown = CommandShown {
        command: command.to_owned(),
        args: args.clone(),
        cwd: input.cwd.clone(),
        env: env.keys().cloned().collect(),
    };
    let mut config = StdioConfig::new(command, args);
    config.env = env.into_iter().map(|(name, value)| (name, Secret::new(value))).collect();
    config.cwd = input.cwd.as_ref().map(PathBuf::from);
    let given = [("headers", input.headers.is_some()), ("auth", input.auth.is_some())];
    Ok(TestTarget {
        transport: Transport::Stdio(config),
        server_url,
        kind: TargetTransport::Stdio,
        shown: TargetShown { command: Some(shown), ..TargetShown::default() },
        warnings: ignored(&given, "a local server"),
        wants_login: false,
        advice: None,
    })
}

fn ignored(inputs: &[(&str, bool)], what: &str) -> Vec<String> {
    let given = inputs.iter().filter(|(_, is_given)| *is_given);
    given.map(|(name, _)| format!("`{name}` is ignored: it means nothing for {what}")).collect()
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
enum TargetAuth {
    None,
    Bearer(Secret),
    Login(OAuthConfig),
}

impl TargetAuth {
    fn read(value: Option<&Value>) -> Result<Self, TestFailure> {
        let unknown = || {
            TestFailure::invalid(
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
