//! The hash under which files about one configured server are kept.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::content_hash::ContentHash;
use crate::pool::PoolOptions;
use crate::secret::Secret;
use crate::server_config::{EnvPolicy, EraChoice, ServerConfig, StdioConfig, Transport};
#[cfg(feature = "http")]
use crate::server_config::{HttpConfig, OAuthConfig};

/// The version of what is hashed.
const VERSION: u64 = 1;

/// The hash of everything that decides which server answers, and as whom. Settings that only concern us are left out.
pub(crate) fn server_key(config: &ServerConfig, options: &PoolOptions) -> Option<ContentHash> {
    let transport = match &config.transport {
        Transport::Stdio(stdio) => stdio_key(stdio, options),
        #[cfg(feature = "http")]
        Transport::Http(http) => http_key(http),
        Transport::InProcess(server) => json!({ "identity": server.identity()? }),
        Transport::Unusable(_) => return None,
    };
    let era = match config.era {
        EraChoice::Auto => "auto",
        EraChoice::Legacy => "legacy",
        EraChoice::Modern => "modern",
    };
    let key =
        json!({ "version": VERSION, "server": config.name.as_str(), "era": era, "transport": transport });
    Some(ContentHash::of(key.to_string().as_bytes()))
}

fn stdio_key(stdio: &StdioConfig, options: &PoolOptions) -> Value {
    let StdioConfig { command, args, env, env_policy, cwd } = stdio;
    let inherits = match env_policy {
        EnvPolicy::Inherit => "all",
        EnvPolicy::Clean => "some",
    };
    // A command may be a path as seen from the directory, and servers of a project list what they find there.
    let directory = cwd.as_ref().unwrap_or(&options.environment.working_directory);
    json!({
        "command": command, "args": args, "env": exposed(env), "inherits": inherits,
        "directory": directory.to_string_lossy(),
    })
}

#[cfg(feature = "http")]
fn http_key(http: &HttpConfig) -> Value {
    let HttpConfig { url, headers, bearer, oauth } = http;
    let oauth = oauth.as_ref().map(|oauth| {
        let OAuthConfig { client_id, client_secret, scopes, issuer, client_credentials } = oauth;
        json!([client_id, client_secret.as_ref().map(Secret::expose), scopes, issuer, client_credentials])
    });
    json!({ "url": url, "headers": exposed(headers), "bearer": bearer.as_ref().map(Secret::expose), "oauth": oauth })
}

fn exposed(secrets: &BTreeMap<String, Secret>) -> BTreeMap<&str, &str> {
    secrets.iter().map(|(name, value)| (name.as_str(), value.expose())).collect()
}
