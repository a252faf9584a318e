//! What of an HTTP server's configuration is a secret.

use data_encoding::BASE64;
use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::Secret;
use super::given::{CERTAIN_LENGTH, LENGTH, is_telling};
use crate::server_config::HttpConfig;

/// Shorter values of a query are not hidden: most are not secrets.
const QUERY_LENGTH: usize = 8;
/// Passwords that stand beside a token which is given as the name.
const DUMMIES: [&str; 8] =
    ["x-oauth-basic", "api_token", "api-token", "password", "pass", "blank", "none", "unused"];

/// Whatever may be a secret.
pub(super) fn given(config: &HttpConfig, secrets: &mut Vec<String>) {
    of_credentials(config.headers.values().chain(&config.bearer), secrets);
    of_login(config, secrets);
    if let Ok(url) = Url::parse(&config.url) {
        of_authority(&url, secrets);
        let values = query(&url).into_iter().map(|(_, value)| value);
        secrets.extend(values.filter(|value| value.len() >= QUERY_LENGTH));
    }
}

/// Only what is a secret by its kind or by its name.
pub(super) fn certain(config: &HttpConfig, secrets: &mut Vec<String>) {
    let named = config.headers.iter().filter(|(name, _)| is_telling(name)).map(|(_, value)| value);
    of_credentials(named.chain(&config.bearer), secrets);
    of_login(config, secrets);
    if let Ok(url) = Url::parse(&config.url) {
        of_authority(&url, secrets);
        let named = query(&url).into_iter().filter(|(name, _)| is_telling(name));
        secrets.extend(named.map(|(_, value)| value));
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
    secrets.push(BASE64.encode(format!("{}:{}", decoded(name), decoded(password)).as_bytes()));
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
