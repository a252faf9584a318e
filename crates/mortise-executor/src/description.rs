//! The description of `execute_program`: how to use it, and what there is to call.
//!
//! Clients cut descriptions at about 2,000 characters, so usage comes first and
//! the catalogue gets what is left.

/// Characters of the whole description.
const LIMIT: usize = 2000;

/// What it is for.
const PURPOSE: &str = "Runs one Python 3.14 program over all connected MCP tools and returns only what it prints. Use it for three or more tool calls, loops, filtering, aggregation or branching on intermediate data";

/// How to use it.
const USAGE: &str = "

Every tool is an async function under its namespaced name, with keyword arguments only:
    import asyncio
    rows = await mcp__server__tool(key=\"value\")
    both = await asyncio.gather(mcp__a__x(n=1), mcp__b__y(n=2))
Top-level await works. Results are plain Python values (dict, list, str, …); `value, content = await with_content(mcp__s__t(...))` also returns images, links and further texts. Call inspect_tool first to see what a tool returns; search_tools finds tools by words. A failed call raises ToolError (.tool, .kind, .message, .structured). print() what you need; emit(value) adds one JSON result, emit_image(image) an image. Standard library only; no files, no network, no state between runs.";

/// One server of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTools<'a> {
    /// The server's configured name.
    pub server: &'a str,
    /// Its tools by callable name, in order.
    pub tools: Vec<&'a str>,
}

/// The description with as much of the catalogue as fits: names, else counts. `held` tools are held back by the
/// lock file, `direct` ones can be called without a program too.
pub fn description(servers: &[ServerTools<'_>], held: usize, direct: usize) -> String {
    let single = match direct {
        0 => "; a single call works the same way.",
        _ => "; for one call use the tool directly if it is offered.",
    };
    let held = match held {
        0 => String::new(),
        held => format!("\n\nHeld back by the lock file, see list_callable_tools: {held}."),
    };
    if servers.is_empty() {
        return format!("{PURPOSE}{single}{USAGE}{held}\n\nNo tools are connected now.");
    }
    let mut text = format!("{PURPOSE}{single}{USAGE}{held}\n\nTools:");
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
