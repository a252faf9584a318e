//! Secrets, and hiding them in what a server sends.

#[cfg(feature = "http")]
mod endpoint;
mod find;
mod given;
mod json;

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use mortise_contract::RawJson;
use parking_lot::{Mutex, MutexGuard};

use self::find::replaced;
use crate::server_config::ServerConfig;

/// A secret: `Debug` and `Display` never show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("…")
    }
}

/// Whether the name of a variable, a header or a parameter says that its value is a secret.
pub fn is_secret_name(name: &str) -> bool {
    given::is_telling(name)
}

/// What stands where a secret stood.
const HIDDEN: &str = "[redacted]";
/// Tokens of a login that are remembered; older ones have expired.
#[cfg(feature = "http")]
const TOKENS: usize = 8;

/// The secrets of one server, to be hidden in what the server says: servers repeat what they are given.
///
/// Clones share what they know.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// The longest first, so that no part of one is left when another is a part of it.
    given: Arc<[Secret]>,
    /// Those of them that are nothing but secrets: tokens, passwords, and what is named like one.
    certain: Arc<[Secret]>,
    tokens: Arc<Mutex<VecDeque<Secret>>>,
}

/// What belongs to the form of a JSON text and not to its content, so that readers rely on it. It is
/// shown even where a secret is the same word.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Keys and values that are kept where they are exactly this.
    pub words: BTreeSet<String>,
    /// Keys whose value is kept where it is a number.
    pub numbers: BTreeSet<String>,
}

impl Secrets {
    /// What the configuration of a server holds: values of `env` and headers, tokens, passwords, what
    /// variables put into arguments and the address, and arguments that say they are secrets.
    pub fn of(config: &ServerConfig) -> Self {
        let (given, certain) = (given::given(config), given::certain(config));
        Self { given: longest_first(given), certain: longest_first(certain), tokens: Arc::default() }
    }

    /// The values among the arguments of a call, to be hidden in an error that repeats them.
    pub fn of_arguments(arguments: &RawJson) -> Self {
        Self { given: longest_first(given::values(arguments)), ..Self::default() }
    }

    /// Adds a token that a login gave.
    #[cfg(feature = "http")]
    pub(crate) fn add_token(&self, token: &Secret) {
        let mut tokens = self.tokens();
        if !tokens.contains(token) {
            if tokens.len() == TOKENS {
                tokens.pop_front();
            }
            tokens.push_back(token.clone());
        }
    }

    /// The text without them, in whatever escapes of JSON or of addresses they are written.
    pub fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        hide_all(self.given.iter().chain(self.tokens().iter()), text)
    }

    /// JSON without them. A number that holds one becomes a text.
    pub fn hide_json(&self, raw: &RawJson) -> RawJson {
        match json::hidden(raw.text(), &Form::default(), |text| changed(self.hide(text))) {
            None => raw.clone(),
            Some(hidden) => RawJson::parse(&hidden)
                .or_else(|_| RawJson::parse(&format!("\"{HIDDEN}\"")))
                .unwrap_or_else(|_| raw.clone()),
        }
    }

    /// JSON without tokens, passwords and what is named like one; `None` where it holds none.
    /// Everything else stays word for word, so this is for what must be shown as it is.
    pub fn hide_certain(&self, json: &str, form: &Form) -> Option<String> {
        if !self.has_certain() {
            return None;
        }
        let tokens = self.tokens();
        let hide = |text: &str| changed(hide_all(self.certain.iter().chain(tokens.iter()), text));
        json::hidden(json, form, hide)
    }

    /// Whether there is a token, a password or something named like one to hide.
    pub(crate) fn has_certain(&self) -> bool {
        !self.certain.is_empty() || !self.tokens().is_empty()
    }

    /// A name without tokens, passwords and what is named like one; anything else stays.
    pub fn hide_certain_in_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        hide_all(self.certain.iter().chain(self.tokens().iter()), name)
    }

    /// The start of a text without them, for those who show no more than `bytes` of it: no part of one is left
    /// where it is cut off, or moves there when others are hidden before it.
    pub(crate) fn hide_start<'a>(&self, text: &'a str, bytes: usize) -> Cow<'a, str> {
        let longest = self.given.iter().chain(self.tokens().iter()).map(|secret| longest(&secret.0)).max();
        let end = text.ceil_char_boundary(bytes.saturating_add(longest.unwrap_or(0)));
        match self.hide(&text[..end]) {
            Cow::Owned(mut hidden) if end < text.len() => {
                // Those that start before `bytes` are whole; what is as it was after that may be the start of one.
                let same = hidden.as_bytes().iter().rev().zip(text.as_bytes()[bytes..end].iter().rev());
                let same = same.take_while(|(shown, given)| shown == given).count();
                hidden.truncate(hidden.floor_char_boundary(hidden.len() - same));
                hidden.push('…');
                Cow::Owned(hidden)
            }
            Cow::Owned(hidden) => Cow::Owned(hidden),
            Cow::Borrowed(_) => Cow::Borrowed(text),
        }
    }

    fn tokens(&self) -> MutexGuard<'_, VecDeque<Secret>> {
        self.tokens.lock()
    }
}

/// So that no part of one is left when another is a part of it.
fn longest_first(mut secrets: Vec<Secret>) -> Arc<[Secret]> {
    secrets.sort_by(|one, other| {
        let key = |secret: &Secret| (std::cmp::Reverse(secret.0.len()), secret.0.clone());
        key(one).cmp(&key(other))
    });
    secrets.dedup();
    secrets.into()
}

fn hide_all<'a, 's>(secrets: impl Iterator<Item = &'s Secret>, text: &'a str) -> Cow<'a, str> {
    let mut shown = Cow::Borrowed(text);
    for secret in secrets {
        if let Some(hidden) = replaced(&shown, &secret.0, HIDDEN) {
            shown = Cow::Owned(hidden);
        }
    }
    shown
}

fn changed(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}

/// Bytes that a secret takes where every letter of it is escaped.
fn longest(secret: &str) -> usize {
    "\\u0000".len() * secret.len()
}

#[cfg(test)]
#[cfg(feature = "http")]
mod tests;
