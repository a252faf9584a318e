//! What of a server's configuration is a secret.

use mortise_contract::RawJson;
use serde_json::Value;

use super::Secret;
#[cfg(feature = "http")]
use super::endpoint;
use crate::server_config::{ServerConfig, StdioConfig, Transport};

/// Shorter texts are not hidden: they occur everywhere.
pub(super) const LENGTH: usize = 4;
/// Shorter texts are not hidden in what the caller asked for.
pub(super) const CERTAIN_LENGTH: usize = 8;
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
/// What the name of a secret holds.
const TELLING: [&str; 9] =
    ["password", "passwd", "secret", "token", "api-key", "apikey", "authorization", "cookie", "credential"];

/// Every secret that is long enough to be one.
pub(super) fn given(config: &ServerConfig) -> Vec<Secret> {
    let mut secrets: Vec<String> = config.secrets.iter().map(|secret| secret.expose().to_owned()).collect();
    match &config.transport {
        Transport::Stdio(stdio) => of_command(stdio, &mut secrets),
        #[cfg(feature = "http")]
        Transport::Http(http) => endpoint::given(http, &mut secrets),
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
        #[cfg(feature = "http")]
        Transport::Http(http) => endpoint::certain(http, &mut secrets),
        Transport::InProcess(_) | Transport::Unusable(_) => {}
    }
    secrets.into_iter().filter(|text| text.len() >= CERTAIN_LENGTH).map(Secret::new).collect()
}

/// Whether the name of a variable, a header or a parameter says that its value is a secret.
pub(super) fn is_telling(name: &str) -> bool {
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
