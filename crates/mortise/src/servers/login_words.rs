//! The command that logs in to a server, as it works from where the user is.
//!
//! A failure is made far from the command line and knows a server by its name only. What was said about servers is
//! therefore noted once, when they are chosen.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use mortise_client::server_config::{ServerConfig, Transport};
use mortise_contract::ServerName;

use crate::app::App;
use crate::shell_word::shell_word;

/// What this command line said.
struct LoginWords {
    /// `--config` as it was given.
    options: Vec<String>,
    /// Servers that have no name in any file: their addresses.
    addresses: BTreeMap<ServerName, String>,
}

static WORDS: OnceLock<LoginWords> = OnceLock::new();

/// Notes what the command line said; the first time counts.
pub(super) fn note(app: &App, ad_hoc: &[ServerConfig]) {
    let options = app
        .connect
        .config
        .iter()
        .flat_map(|file| ["--config".to_owned(), shell_word(&file.to_string_lossy()).into_owned()]);
    let address = |config: &ServerConfig| match &config.transport {
        Transport::Http(http) => Some((config.name.clone(), http.url.clone())),
        _ => None,
    };
    _ = WORDS.set(LoginWords {
        options: options.collect(),
        addresses: ad_hoc.iter().filter_map(address).collect(),
    });
}

/// `mortise login NAME`, with what finds the server again; by its address where it has no name in a file.
pub(crate) fn login_command(server: &ServerName, scope: Option<&str>) -> String {
    let words = WORDS.get();
    let mut command = vec!["mortise".to_owned(), "login".to_owned()];
    match words.and_then(|words| words.addresses.get(server)) {
        // What may hold a secret is not repeated.
        Some(address) if address.contains(['?', '@']) => command.push("URL".to_owned()),
        Some(address) => command.push(shell_word(address).into_owned()),
        None => {
            command.push(shell_word(server.as_str()).into_owned());
            command.extend(words.iter().flat_map(|words| words.options.iter().cloned()));
        }
    }
    if let Some(scope) = scope {
        command.extend(["--scope".to_owned(), shell_word(scope).into_owned()]);
    }
    command.join(" ")
}
