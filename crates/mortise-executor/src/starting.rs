//! Servers that are starting: what waits for them, and what is said of them meanwhile.

use std::time::Duration;

use futures::future::join_all;
use mortise_client::{ServerState, Upstream};

use crate::description::AwayServers;
use crate::server_status::is_away;

/// Waits for servers, each as long as its own start may take, whether it comes up or fails.
pub(crate) async fn settled(servers: &[Upstream]) {
    join_all(servers.iter().map(|server| server.ready(server.config().start_timeout))).await;
}

/// The servers that are starting and whose tools a program or the name of a tool speaks of.
pub(crate) fn starting_and_named(servers: &[Upstream], text: &str) -> Vec<Upstream> {
    let is_named = |server: &&Upstream| text.contains(&server.name().callable_prefix());
    servers.iter().filter(|server| is_starting(&server.state())).filter(is_named).cloned().collect()
}

/// The servers that are starting for the first time and whose tools are not known from an earlier process either.
pub(crate) fn starting_and_unknown(servers: &[Upstream]) -> Vec<Upstream> {
    let is_unknown = |server: &&Upstream| server.state().is_first_start() && !server.catalog().is_known();
    servers.iter().filter(is_unknown).cloned().collect()
}

/// The servers that are starting for the first time, and those that have failed and whose tools are not known.
pub(crate) fn away_servers(servers: &[Upstream]) -> AwayServers {
    let mut away = AwayServers::default();
    for server in servers {
        let (name, state) = (server.name().clone(), server.state());
        if state.is_first_start() {
            away.starting.push(name);
        } else if is_away(server) && server.catalog().contracts.is_empty() {
            away.unavailable.push((name, state.reason()));
        }
    }
    away
}

/// The server that is away and whose tools have names that begin like this one.
pub(crate) fn away_and_named<'a>(servers: &'a [Upstream], callable: &str) -> Option<&'a Upstream> {
    let is_named = |server: &&Upstream| callable.starts_with(&server.name().callable_prefix());
    let away = servers.iter().filter(|server| is_away(server)).filter(is_named);
    away.max_by_key(|server| server.name().as_str().len())
}

/// A line about the servers that are starting, and one about each kind of servers that are not connected.
pub(crate) fn away_lines(servers: &[Upstream]) -> Vec<String> {
    let (mut starting, mut unlisted, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    for server in servers.iter().filter(|server| is_away(server)) {
        let (name, state, catalog) = (server.name(), server.state(), server.catalog());
        let reason = || state.reason().unwrap_or_else(|| state.label().to_owned());
        match catalog.cached {
            _ if !is_starting(&state) && catalog.contracts.is_empty() => {
                unlisted.push(format!("{name}: {}", reason()));
            }
            _ if !is_starting(&state) => listed.push(format!("{name}: {}", reason())),
            Some(age) => starting.push(format!("{name} (its tools as listed {})", ago(age))),
            None => starting.push(name.to_string()),
        }
    }
    let line = |what: &str, servers: Vec<String>| match servers.is_empty() {
        true => None,
        false => Some(format!("{what}: {}", servers.join("; "))),
    };
    [
        line("STARTING SERVERS (calls wait for them)", starting),
        line("UNAVAILABLE SERVERS (their tools are not listed; reconnecting)", unlisted),
        line("UNAVAILABLE SERVERS (their tools are listed as last seen; reconnecting)", listed),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn is_starting(state: &ServerState) -> bool {
    matches!(state, ServerState::Starting { .. })
}

/// `5 min ago`: a time in the largest unit that it fills.
fn ago(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s ago"),
        seconds @ 60..3_600 => format!("{} min ago", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h ago", seconds / 3_600),
        seconds => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests;
