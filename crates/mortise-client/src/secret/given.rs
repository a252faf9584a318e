//! What of a server's configuration is a secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mortise_contract::RawJson;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use serde_json::Value;

use super::Secret;
use crate::server_config::{HttpConfig, ServerConfig, StdioConfig, Transport};

/// Shorter texts are no secrets worth hiding, and hiding them would garble everything.
const LENGTH: usize = 4;
/// The same for values of a query, of which most are no secrets.
const QUERY_LENGTH: usize = 8;
/// The same for those that are hidden even in what a server was asked for.
const CERTAIN_LENGTH: usize = 8;
/// Values that say nothing, and that JSON could not be read without; and words that servers are
/// often set up with and that stand everywhere.
const WORDS: [&str; 16] = [
    "true",
    "false",
    "null",
    "trace",
    "debug",
    "info",
    "notice",
    "warn",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
    "production",
    "development",
    "test",
];
/// Passwords that stand beside a token which is given as the name.
const DUMMIES: [&str; 8] =
    ["x-oauth-basic", "api_token", "api-token", "password", "pass", "blank", "none", "unused"];
/// What the name of a secret holds.
const TELLING: [&str; 9] =
    ["password", "passwd", "secret", "token", "api-key", "apikey", "authorization", "cookie", "credential"];

/// Every secret that is long enough to be one.
pub(super) fn given(config: &ServerConfig) -> Vec<Secret> {
    let mut secrets: Vec<String> = config.secrets.iter().map(|secret| secret.expose().to_owned()).collect();
    match &config.transport {
        Transport::Stdio(stdio) => of_command(stdio, &mut secrets),
        Transport::Http(http) => of_endpoint(http, &mut secrets),
        Transport::InProcess(_) | Transport::Unusable(_) => {}
    }
    let is_one = |text: &String| text.len() >= LENGTH && !WORDS.contains(&text.as_str());
    // A password that is a common word is one all the same.
    secrets.into_iter().filter(is_one).map(Secret::new).chain(certain(config)).collect()
}

/// The texts and numbers within JSON that are long enough to be distinguished from other words.
pub(super) fn values(json: &RawJson) -> Vec<Secret> {
    let mut found = Vec::new();
    if let Ok(value) = json.value() {
        collect(&value, &mut found);
    }
    found
}

/// Values of one call that are hidden: each costs a pass over the text.
const VALUES: usize = 1_000;

fn collect(value: &Value, found: &mut Vec<Secret>) {
    if found.len() >= VALUES {
        return;
    }
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(elements) => return elements.iter().for_each(|element| collect(element, found)),
        Value::Object(members) => return members.values().for_each(|member| collect(member, found)),
        Value::Null | Value::Bool(_) => return,
    };
    if text.len() >= LENGTH && !WORDS.contains(&text.as_str()) {
        found.push(Secret::new(text));
    }
}

/// Those that are nothing but secrets, by their kind or by their name. Arguments are not among them:
/// what is started is shown in full.
pub(super) fn certain(config: &ServerConfig) -> Vec<Secret> {
    let mut secrets = Vec::new();
    match &config.transport {
        Transport::Stdio(stdio) => {
            let named = stdio.env.iter().filter(|(name, _)| is_telling(name));
            secrets.extend(named.map(|(_, value)| value.expose().to_owned()));
        }
        Transport::Http(http) => {
            let named = http.headers.iter().filter(|(name, _)| is_telling(name)).map(|(_, value)| value);
            of_credentials(named.chain(&http.bearer), &mut secrets);
            of_login(http, &mut secrets);
            if let Ok(url) = Url::parse(&http.url) {
                of_authority(&url, &mut secrets);
                let named = query(&url).into_iter().filter(|(name, _)| is_telling(name));
                secrets.extend(named.map(|(_, value)| value));
            }
        }
        Transport::InProcess(_) | Transport::Unusable(_) => {}
    }
    secrets.into_iter().filter(|text| text.len() >= CERTAIN_LENGTH).map(Secret::new).collect()
}

/// Whether the name of a variable, a header or a parameter says that its value is a secret.
fn is_telling(name: &str) -> bool {
    let name = in_lower(name);
    name == "key" || name.ends_with("-key") || has_telling_word(&name)
}

fn has_telling_word(name: &str) -> bool {
    TELLING.iter().any(|word| name.contains(word))
}

fn in_lower(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}

fn of_command(config: &StdioConfig, secrets: &mut Vec<String>) {
    secrets.extend(config.env.values().map(|value| value.expose().to_owned()));
    for (position, argument) in config.args.iter().enumerate() {
        let Some(option) = argument.strip_prefix('-') else { continue };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, config.args.get(position + 1).map(String::as_str)),
        };
        // Not every option that ends in `key` names a secret: think of `--sort-key`.
        if has_telling_word(&in_lower(name)) {
            secrets.extend(value.filter(|value| !value.starts_with('-')).map(str::to_owned));
        }
    }
}

fn of_endpoint(config: &HttpConfig, secrets: &mut Vec<String>) {
    of_credentials(config.headers.values().chain(&config.bearer), secrets);
    of_login(config, secrets);
    if let Ok(url) = Url::parse(&config.url) {
        of_authority(&url, secrets);
        let values = query(&url).into_iter().map(|(_, value)| value);
        secrets.extend(values.filter(|value| value.len() >= QUERY_LENGTH));
    }
}

/// The password before the host: as it is written, as it reads, and as a server gets it. A name
/// without a password is a token, and so is a long one with a password that is none.
fn of_authority(url: &Url, secrets: &mut Vec<String>) {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (name, password) = (url.username(), url.password().unwrap_or_default());
    if name.is_empty() && password.is_empty() {
        return;
    }
    let is_dummy = password.len() < LENGTH || DUMMIES.contains(&password);
    if password.is_empty() || (is_dummy && name.len() >= CERTAIN_LENGTH) {
        secrets.extend([name.to_owned(), decoded(name)]);
    }
    secrets.extend([password.to_owned(), decoded(password)]);
    secrets.push(STANDARD.encode(format!("{}:{}", decoded(name), decoded(password))));
}

/// The pairs of a query, each as it is written and as it reads. What stands there without a key is a
/// value without a name.
fn query(url: &Url) -> Vec<(String, String)> {
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let written = url.query().unwrap_or_default().split('&');
    let pairs = written.map(|pair| pair.split_once('=').unwrap_or(("", pair)));
    pairs
        .flat_map(|(name, value)| [value.to_owned(), decoded(value)].map(|value| (decoded(name), value)))
        .collect()
}

fn of_credentials<'a>(values: impl Iterator<Item = &'a Secret>, secrets: &mut Vec<String>) {
    for value in values.map(Secret::expose) {
        secrets.push(value.to_owned());
        // `Bearer abc`: a server that repeats it leaves the scheme out.
        secrets.extend(value.split_once(' ').map(|(_, rest)| rest.trim().to_owned()));
    }
}

fn of_login(config: &HttpConfig, secrets: &mut Vec<String>) {
    let oauth = config.oauth.as_ref();
    let secret = oauth.and_then(|oauth| oauth.client_secret.as_ref());
    secrets.extend(secret.map(|secret| secret.expose().to_owned()));
}
