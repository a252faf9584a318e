//! What a child process sees of our environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::environment::{Environment, MAX_DEPTH, MORTISE_DEPTH};
use crate::error::ConnectError;
use crate::server_config::{EnvPolicy, StdioConfig};

/// What [`EnvPolicy::Clean`] lets through: what programs and their launchers need to start at all. None of it is a
/// credential by its purpose; an address among them can have a password in it.
const CLEAN: &[&str] = &[
    // The user, the shell and where things lie.
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TEMP",
    "TMP",
    // Language and time.
    "LANG",
    "LANGUAGE",
    "TZ",
    // Certificates and proxies.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    // npx, node and its version managers.
    "npm_config_registry",
    "npm_config_cache",
    "npm_config_prefix",
    "npm_config_userconfig",
    "NPM_CONFIG_REGISTRY",
    "NPM_CONFIG_CACHE",
    "NPM_CONFIG_PREFIX",
    "NPM_CONFIG_USERCONFIG",
    "NVM_DIR",
    "VOLTA_HOME",
    "FNM_DIR",
    "BUN_INSTALL",
    "DENO_DIR",
    // uvx, pipx and Python's version managers.
    "UV_CACHE_DIR",
    "UV_TOOL_DIR",
    "UV_PYTHON_INSTALL_DIR",
    "UV_PYTHON",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "UV_NATIVE_TLS",
    "UV_OFFLINE",
    "PIPX_HOME",
    "PYENV_ROOT",
    // Version managers of everything.
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    // docker and podman.
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_CERT_PATH",
    "DOCKER_TLS_VERIFY",
    "CONTAINER_HOST",
];
/// Prefixes of the names that [`EnvPolicy::Clean`] lets through.
const CLEAN_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// All variables of a child.
pub(super) fn variables(
    config: &StdioConfig,
    environment: &Environment,
) -> Result<BTreeMap<OsString, OsString>, ConnectError> {
    let depth = environment.depth();
    if depth >= MAX_DEPTH {
        return Err(ConnectError::TooDeep { command: config.command.clone(), depth, limit: MAX_DEPTH });
    }
    let mut variables: BTreeMap<OsString, OsString> = environment
        .variables
        .iter()
        .filter(|(name, _)| passes(name, config.env_policy))
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

/// Names shown of one server.
const MISSED: usize = 5;
/// Variables that every shell has and that no server asks for.
const BOOKKEEPING: &[&str] = &["PWD", "OLDPWD", "SHLVL"];

/// The variables that a text names, that we have, and that the child does not get.
pub(crate) fn missed(config: &StdioConfig, environment: &Environment, text: &str) -> Vec<String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let is_withheld = |word: &&str| {
        word.len() > 2
            && !word.contains(|character: char| character.is_ascii_lowercase())
            && !word.starts_with("MORTISE_")
            && !BOOKKEEPING.contains(word)
            && environment.variable(word).is_some_and(|value| !value.is_empty())
            && !config.env.contains_key(*word)
            && !passes(OsStr::new(word), config.env_policy)
    };
    let mut missed: Vec<String> = Vec::new();
    for word in text.split(|character| !is_part(character)).filter(is_withheld) {
        if missed.len() < MISSED && !missed.iter().any(|known| known == word) {
            missed.push(word.to_owned());
        }
    }
    missed
}

#[cfg(test)]
mod tests;
