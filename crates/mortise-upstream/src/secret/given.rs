//! What of a server's configuration is a secret.

use reqwest::Url;

use super::Secret;
use crate::server_config::{HttpConfig, ServerConfig, StdioConfig, Transport};

/// Shorter texts are no secrets worth hiding, and hiding them would garble everything.
const LENGTH: usize = 4;
/// The same for values of a query, of which most are no secrets.
const QUERY_LENGTH: usize = 8;
/// Values that say nothing, and that JSON could not be read without.
const WORDS: [&str; 3] = ["true", "false", "null"];
/// What the name of an option with a secret holds.
const TELLING: [&str; 6] = ["password", "passwd", "secret", "token", "api-key", "apikey"];

/// Every secret that is long enough to be one.
pub(super) fn given(config: &ServerConfig) -> Vec<Secret> {
    let mut secrets: Vec<String> = config.secrets.iter().map(|secret| secret.expose().to_owned()).collect();
    match &config.transport {
        Transport::Stdio(stdio) => of_command(stdio, &mut secrets),
        Transport::Http(http) => of_endpoint(http, &mut secrets),
        Transport::InProcess(_) => {}
    }
    let is_one = |text: &String| text.len() >= LENGTH && !WORDS.contains(&text.as_str());
    secrets.into_iter().filter(is_one).map(Secret::new).collect()
}

fn of_command(config: &StdioConfig, secrets: &mut Vec<String>) {
    secrets.extend(config.env.values().map(|value| value.expose().to_owned()));
    for (position, argument) in config.args.iter().enumerate() {
        let Some(option) = argument.strip_prefix('-') else { continue };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, config.args.get(position + 1).map(String::as_str)),
        };
        let name = name.to_ascii_lowercase().replace('_', "-");
        if TELLING.iter().any(|word| name.contains(word)) {
            secrets.extend(value.filter(|value| !value.starts_with('-')).map(str::to_owned));
        }
    }
}

fn of_endpoint(config: &HttpConfig, secrets: &mut Vec<String>) {
    for value in config.headers.values().chain(&config.bearer) {
        let value = value.expose();
        secrets.push(value.to_owned());
        // `Bearer abc`: a server that repeats it leaves the scheme out.
        secrets.extend(value.split_once(' ').map(|(_, rest)| rest.trim().to_owned()));
    }
    let oauth = config.oauth.as_ref();
    secrets.extend(
        oauth.and_then(|oauth| oauth.client_secret.as_ref()).map(|secret| secret.expose().to_owned()),
    );
    if let Ok(url) = Url::parse(&config.url) {
        secrets.extend(url.password().map(str::to_owned));
        let raw = url
            .query()
            .unwrap_or_default()
            .split('&')
            .filter_map(|pair| Some(pair.split_once('=')?.1.to_owned()));
        let decoded = url.query_pairs().map(|(_, value)| value.into_owned());
        secrets.extend(raw.chain(decoded).filter(|value| value.len() >= QUERY_LENGTH));
    }
}
