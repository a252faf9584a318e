//! What a child process sees of our environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::environment::{Environment, MAX_DEPTH, MORTISE_DEPTH};
use crate::error::ConnectError;
use crate::server_config::{EnvPolicy, StdioConfig};

/// What `env: clean` lets through.
const CLEAN: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];
/// The same, by the start of the name.
const CLEAN_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// All variables of a child.
pub(super) fn variables(
    config: &StdioConfig,
    environment: &Environment,
    default_policy: EnvPolicy,
) -> Result<BTreeMap<OsString, OsString>, ConnectError> {
    let depth = environment.depth();
    if depth >= MAX_DEPTH {
        return Err(ConnectError::TooDeep { command: config.command.clone(), depth, limit: MAX_DEPTH });
    }
    let policy = config.env_policy.unwrap_or(default_policy);
    let mut variables: BTreeMap<OsString, OsString> = environment
        .variables
        .iter()
        .filter(|(name, _)| passes(name, policy))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (name, value) in &config.env {
        variables.insert(name.into(), value.expose().into());
    }
    variables.insert(MORTISE_DEPTH.into(), environment.child_depth().to_string().into());
    Ok(variables)
}

fn passes(name: &OsStr, policy: EnvPolicy) -> bool {
    let Some(name) = name.to_str() else {
        return policy == EnvPolicy::Inherit;
    };
    match policy {
        EnvPolicy::Inherit => !name.starts_with("MORTISE_"),
        EnvPolicy::Clean => {
            CLEAN.contains(&name) || CLEAN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        }
    }
}
