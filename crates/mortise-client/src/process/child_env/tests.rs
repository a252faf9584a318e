//! What passes, and what a server seems to miss.

use super::*;
use crate::secret::Secret;

fn environment(names: &[&str]) -> Environment {
    let variables = names.iter().map(|name| (OsString::from(name), "value".into())).collect();
    Environment { variables, ..Environment::default() }
}

/// The names of those variables that a child gets.
fn passed(names: &[&str], policy: EnvPolicy) -> Vec<String> {
    let mut config = StdioConfig::new("serve", Vec::new());
    config.env_policy = policy;
    let variables = variables(&config, &environment(names)).unwrap();
    let names = variables.into_keys().map(|name| name.into_string().unwrap());
    names.filter(|name| name != MORTISE_DEPTH).collect()
}

#[test]
fn what_launchers_proxies_and_locales_need_passes() {
    let needed = [
        "DOCKER_HOST",
        "HOME",
        "HTTPS_PROXY",
        "LANG",
        "LC_ALL",
        "NODE_EXTRA_CA_CERTS",
        "NVM_DIR",
        "PATH",
        "SSL_CERT_FILE",
        "TMPDIR",
        "UV_CACHE_DIR",
        "XDG_RUNTIME_DIR",
        "npm_config_registry",
    ];
    assert_eq!(passed(&needed, EnvPolicy::Clean), needed);
}

#[test]
fn secrets_and_what_changes_how_programs_run_do_not_pass() {
    let kept = [
        "ANTHROPIC_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "LD_PRELOAD",
        "NODE_OPTIONS",
        "NPM_TOKEN",
        "PYTHONPATH",
        "SSH_AUTH_SOCK",
        "UV_PUBLISH_TOKEN",
        "npm_config__auth",
    ];
    assert_eq!(passed(&kept, EnvPolicy::Clean), Vec::<String>::new());
    assert_eq!(passed(&kept, EnvPolicy::Inherit), kept);
    assert_eq!(passed(&["MORTISE_LOG"], EnvPolicy::Inherit), Vec::<String>::new());
}

#[test]
fn a_variable_that_a_server_names_and_we_have_is_missed() {
    let environment = environment(&["GITHUB_TOKEN", "API_KEY", "GIVEN", "HOME", "PWD", "DEBUG", "ok"]);
    let mut config = StdioConfig::new("serve", Vec::new());
    config.env.insert("GIVEN".to_owned(), Secret::new("x"));
    let missed = |config: &StdioConfig, text: &str| missed(config, &environment, text).join(" ");
    assert_eq!(missed(&config, "Error: GITHUB_TOKEN environment variable is not set"), "GITHUB_TOKEN");
    assert_eq!(missed(&config, "set `$API_KEY` or \"GITHUB_TOKEN\"; API_KEY!"), "API_KEY GITHUB_TOKEN");
    assert_eq!(missed(&config, "ok: HOME and PWD, GIVEN and OTHER_KEY, MY_API_KEY, api_key"), "");
    config.env_policy = EnvPolicy::Inherit;
    assert_eq!(missed(&config, "GITHUB_TOKEN"), "");
}
