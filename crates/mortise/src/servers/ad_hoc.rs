//! Servers given on the command line.

use std::ffi::OsStr;

use mortise_client::secret::Secret;
use mortise_client::server_config::{HttpConfig, ServerConfig, StdioConfig, Transport};
use mortise_contract::ServerName;

use crate::app::App;
use crate::cli::ConnectArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find;

/// Programs that run another program named by their first own argument.
const LAUNCHERS: &[&str] = &["npx", "bunx", "uvx", "node", "deno", "bun", "python", "python3", "env"];

/// The servers of `--server`, `--url`, a URL argument and `-- COMMAND`.
pub(super) fn servers(
    options: &ConnectArgs,
    command: &[String],
    url: Option<&str>,
) -> Result<Vec<ServerConfig>, Failure> {
    let mut servers = Vec::new();
    for server in &options.server {
        servers.push(named(server)?);
    }
    for url in options.url.iter().map(String::as_str).chain(url) {
        let url = &find::address(url).unwrap_or_else(|| url.to_owned());
        servers.push(ServerConfig::new(name(&host(url))?, http(url)?));
    }
    if let Some((program, args)) = command.split_first() {
        let transport = Transport::Stdio(StdioConfig::new(program, args.to_vec()));
        servers.push(ServerConfig::new(name(&program_name(command))?, transport));
    }
    for (index, server) in servers.iter().enumerate() {
        if servers[..index].iter().any(|known| known.name == server.name) {
            let message = format!("two servers on the command line have the name `{}`", server.name);
            return Err(Failure::new(Exit::Usage, message).hint("name them with --server NAME=COMMAND"));
        }
    }
    Ok(servers)
}

/// The variables of `--env`, with their values.
pub(super) fn passed_on(app: &App) -> Result<Vec<(String, Secret)>, Failure> {
    let value = |name: &String| match app.environment.variable(name).map(OsStr::to_str) {
        Some(Some(value)) => Ok((name.clone(), Secret::new(value))),
        Some(None) => Err(Failure::new(Exit::Usage, format!("--env: `{name}` is not Unicode text"))),
        None => Err(Failure::new(Exit::Usage, format!("--env: the variable `{name}` is not set"))
            .hint(format!("export it first: export {name}=…"))),
    };
    app.connect.env.iter().map(value).collect()
}

/// Whether a positional argument is the address of a server.
pub(crate) fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// A command given as words, under a name.
pub(crate) fn command(key: &str, words: &[String]) -> Result<ServerConfig, Failure> {
    let (program, args) =
        words.split_first().ok_or_else(|| Failure::new(Exit::Usage, "there is no command after `--`"))?;
    let transport = Transport::Stdio(StdioConfig::new(program, args.to_vec()));
    Ok(ServerConfig::new(name(key)?, transport))
}

/// `NAME=COMMAND` or `NAME=URL`.
pub(crate) fn named(text: &str) -> Result<ServerConfig, Failure> {
    let wrong = |message: &str| {
        Failure::new(Exit::Usage, format!("--server {message}"))
            .hint("write --server NAME='COMMAND ARGUMENTS' or --server NAME=URL")
    };
    let (key, target) = text.split_once('=').ok_or_else(|| {
        wrong(&format!("{text}: a command or a URL is missing"))
            .hint(format!("to use only a configured server, name it alone: mortise tools {text}"))
    })?;
    if let Some(url) = find::address(target) {
        return Ok(ServerConfig::new(name(key)?, http(&url)?));
    }
    let words =
        shlex::split(target).ok_or_else(|| wrong(&format!("`{key}` has a quote that does not end")))?;
    let (program, args) = words.split_first().ok_or_else(|| wrong(&format!("`{key}` has no command")))?;
    let transport = Transport::Stdio(StdioConfig::new(program, args.to_vec()));
    Ok(ServerConfig::new(name(key)?, transport))
}

fn name(text: &str) -> Result<ServerName, Failure> {
    ServerName::parse(text).map_err(|error| Failure::from_error(Exit::Usage, &error))
}

fn http(url: &str) -> Result<Transport, Failure> {
    match is_url(url) {
        true => Ok(Transport::Http(HttpConfig::new(url))),
        false => Err(Failure::new(Exit::Usage, "the server's URL must begin with http:// or https://")
            .hint(format!("write https://{url}, or http://{url} if it speaks no TLS"))),
    }
}

/// The host of a URL, as a name for its server.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    match host.starts_with('[') {
        true => "server".to_owned(),
        false => host.split(':').next().unwrap_or(host).to_owned(),
    }
}

/// A short name for an ad-hoc command: the program, or what a launcher such as `npx` runs.
fn program_name(command: &[String]) -> String {
    let file = |word: &str| {
        let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let without_version = file.rfind('@').filter(|at| *at > 0).map_or(file, |at| &file[..at]);
        [".exe", ".js", ".mjs", ".ts", ".py"]
            .iter()
            .find_map(|ending| without_version.strip_suffix(ending))
            .unwrap_or(without_version)
            .to_owned()
    };
    let mut words = command.iter();
    let program = words.next().map(|word| file(word)).unwrap_or_default();
    let launched = match LAUNCHERS.contains(&program.as_str()) {
        true => words.find(|word| !word.starts_with('-') && !word.contains('=')).map(|word| file(word)),
        false => None,
    };
    launched.filter(|name| !name.is_empty()).unwrap_or(program)
}

#[cfg(test)]
mod tests;
