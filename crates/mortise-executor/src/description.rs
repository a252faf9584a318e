//! The description of `execute_program`: how to use it, and what there is to call.
//!
//! Clients cut descriptions at about 2,000 characters, so usage comes first and
//! the catalogue gets what is left.

use mortise_contract::ServerName;

use mortise_contract::text::cut;

use crate::inspect::first_line;

/// Characters of the whole description.
const LIMIT: usize = 2000;

/// Characters of the names of servers that are starting, and of those that are unavailable with their reasons.
const AWAY_CHARS: usize = 100;

/// Characters of the reason why a server is unavailable.
const REASON_CHARS: usize = 60;

const PURPOSE: &str = "Runs one Python 3.14 program over all connected MCP tools and returns only what it prints. Use it for three or more tool calls, loops, filtering, aggregation or branching on intermediate data";

const USAGE: &str = "

Every tool is an async function under its namespaced name, with keyword arguments only:
    import asyncio
    rows = await mcp__server__tool(key=\"value\")
    both = await asyncio.gather(mcp__a__x(n=1), mcp__b__y(n=2))
Top-level await works. Results are plain Python values (dict, list, str, …); `value, content = await with_content(mcp__s__t(...))` also returns images, links and further texts. Call inspect_tool first to see what a tool returns; search_tools finds tools by words. A failed call raises ToolError (.tool, .kind, .message, .structured). print() what you need; emit(value) adds one JSON result, emit_image(image) an image. list_resources(server) and read_resource(server, uri) are async too. `await keep(value, \"name\")` keeps JSON for your later programs, `await load(\"name\")` reads it. Standard library only; no files, no network.";

/// One server of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTools<'a> {
    /// The server's configured name.
    pub server: &'a str,
    /// Its tools by callable name, in order.
    pub tools: Vec<&'a str>,
}

/// The servers whose tools can't be listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AwayServers {
    /// Starting for the first time.
    pub starting: Vec<ServerName>,
    /// Failed to start, with the reason where it is known.
    pub unavailable: Vec<(ServerName, Option<String>)>,
}

/// The description with as much of the catalogue as fits: names, else counts. `held` tools are held back by the
/// lock file, `direct` ones can be called without a program too.
pub fn description(servers: &[ServerTools<'_>], held: usize, direct: usize, away: &AwayServers) -> String {
    let starting = &away.starting;
    let single = match direct {
        0 => "; a single call works the same way.",
        _ => "; for one call use the tool directly if it is offered.",
    };
    let mut text = format!("{PURPOSE}{single}{USAGE}");
    if held > 0 {
        text.push_str(&format!("\n\nHeld back by the lock file, see list_callable_tools: {held}."));
    }
    if !starting.is_empty() {
        let names = names(starting.iter().map(|name| name.as_str().to_owned()));
        text.push_str(&format!("\n\nStill starting when this was listed: {names}. Programs that name their tools wait for them; list_callable_tools knows the tools later."));
    }
    if !away.unavailable.is_empty() {
        let shown = |(name, reason): &(ServerName, Option<String>)| match reason {
            Some(reason) => format!("{name} ({})", cut(first_line(reason), REASON_CHARS)),
            None => name.to_string(),
        };
        let names = names(away.unavailable.iter().map(shown));
        text.push_str(&format!("\n\nUnavailable when this was listed: {names}."));
    }
    match (servers.is_empty(), starting.is_empty()) {
        (true, true) => text.push_str("\n\nNo tools are connected now."),
        (true, false) => {}
        (false, _) => text.push_str("\n\nTools:"),
    }
    let total = servers.len();
    for (position, server) in servers.iter().enumerate() {
        let left = total - position;
        let tail = format!("\n… and {left} more servers; see list_callable_tools");
        let room = LIMIT.saturating_sub(text.chars().count() + tail.chars().count());
        // Each server gets a fair part of what is left, so that the first does not take it all.
        match line(server, room / left.min(8)) {
            Some(line) if line.chars().count() <= room => text.push_str(&line),
            _ => {
                text.push_str(&tail);
                break;
            }
        }
    }
    text
}

/// `a, b and 4 more`, or `4 more` where even the first name is too long.
fn names(servers: impl ExactSizeIterator<Item = String>) -> String {
    let (count, mut length) = (servers.len(), 0);
    let fits = |name: &String| {
        length += name.chars().count();
        length <= AWAY_CHARS
    };
    let shown: Vec<String> = servers.take_while(fits).collect();
    match (shown.join(", "), count - shown.len()) {
        (shown, 0) => shown,
        (shown, more) if shown.is_empty() => format!("{more} more"),
        (shown, more) => format!("{shown} and {more} more"),
    }
}

/// `\nserver (3): a, b, c`, with names left out at the end until it fits.
fn line(server: &ServerTools<'_>, room: usize) -> Option<String> {
    let head = format!("\n{} ({}):", server.server, server.tools.len());
    let full = format!("{head} {}", server.tools.join(", "));
    if full.chars().count() <= room {
        return Some(full);
    }
    let mut text = head;
    for (shown, tool) in server.tools.iter().enumerate() {
        let more = if shown == 0 { 1 } else { 2 };
        if text.chars().count() + more + tool.chars().count() + 3 > room {
            break;
        }
        text.push_str(if shown == 0 { " " } else { ", " });
        text.push_str(tool);
    }
    (text.chars().count() + 2 <= room.max(40)).then(|| format!("{text} …"))
}

#[cfg(test)]
mod tests;
