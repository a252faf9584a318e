//! Which tool a name on the command line means.

mod call_words;

use mortise_contract::{NameMap, ServerName, ToolName};

use crate::app::App;
use crate::servers;

pub(crate) use call_words::{CallWords, CorrectedCall};

/// Names listed in a message before the rest is left out.
const LISTED: usize = 5;

/// What a name stands for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ToolLookup<'a> {
    /// Exactly one tool.
    Tool(&'a ServerName, &'a ToolName),
    /// A bare name that several servers have: their qualified names.
    Ambiguous(Vec<String>),
    /// None; the names nearest to it.
    Nothing(Vec<String>),
}

/// What may stand between the names of a server and a tool.
const SEPARATORS: [&str; 4] = ["/", "__", ".", ":"];

/// Looks `query` up: `mcp__server__tool`, `server/tool`, `server__tool`, `server.tool`, `server:tool`, or the bare name
/// if one server has it.
pub(crate) fn find<'a>(
    query: &str,
    tools: &[(&'a ServerName, &'a ToolName)],
    names: &NameMap,
) -> ToolLookup<'a> {
    let by_callable =
        |&&(server, tool): &&(&ServerName, &ToolName)| names.target(query) == Some((server, tool));
    let by_qualified = |&&(server, tool): &&(&ServerName, &ToolName)| is_qualified(query, server, tool);
    if let Some(&(server, tool)) = tools.iter().find(by_callable).or_else(|| tools.iter().find(by_qualified))
    {
        return ToolLookup::Tool(server, tool);
    }
    let bare: Vec<_> = tools.iter().filter(|(_, tool)| tool.as_str() == query).collect();
    match bare.as_slice() {
        [(server, tool)] => ToolLookup::Tool(server, tool),
        [] => ToolLookup::Nothing(suggestions(query, tools)),
        several => {
            ToolLookup::Ambiguous(several.iter().map(|(server, tool)| format!("{server}/{tool}")).collect())
        }
    }
}

/// The servers that a qualified name can mean; none if the name is bare.
///
/// Those whose callable names could collide with theirs are among them, or a tool would have
/// another callable name here than in a listing of all.
pub(crate) fn named_servers<'a>(query: &str, servers: &[&'a ServerName]) -> Vec<&'a ServerName> {
    let prefixes: Vec<String> = servers.iter().map(|server| server.callable_prefix()).collect();
    let is_named = |server: &ServerName, prefix: &str| {
        let rest = query.strip_prefix(server.as_str());
        let is_separated = |rest: &str| SEPARATORS.iter().any(|separator| rest.starts_with(separator));
        query.starts_with(prefix) || rest.is_some_and(is_separated)
    };
    let named: Vec<&String> = servers
        .iter()
        .zip(&prefixes)
        .filter(|(server, prefix)| is_named(server, prefix))
        .map(|(_, prefix)| prefix)
        .collect();
    let collides = |prefix: &str| {
        named.iter().any(|named| named.starts_with(prefix) || prefix.starts_with(named.as_str()))
    };
    servers.iter().zip(&prefixes).filter(|(_, prefix)| collides(prefix)).map(|(server, _)| *server).collect()
}

fn is_qualified(query: &str, server: &ServerName, tool: &ToolName) -> bool {
    SEPARATORS.iter().any(|separator| {
        query.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix(separator))
            == Some(tool.as_str())
    })
}

/// Tools whose bare or qualified name is near to `query`, nearest first.
fn suggestions(query: &str, tools: &[(&ServerName, &ToolName)]) -> Vec<String> {
    let bare = query.rsplit(['/', '.', ':']).next().unwrap_or(query);
    let bare = bare.rsplit("__").next().unwrap_or(bare);
    let mut near: Vec<(usize, String)> = tools
        .iter()
        .filter_map(|(server, tool)| {
            let name = tool.as_str();
            let distance = distance(bare, name).min(distance(query, name));
            let holds = bare.len() >= 3 && name.to_lowercase().contains(&bare.to_lowercase());
            (holds || distance <= tolerance(name)).then(|| (distance, format!("{server}/{tool}")))
        })
        .collect();
    near.sort();
    near.into_iter().take(LISTED).map(|(_, name)| name).collect()
}

/// The URL that a word means: itself, or `localhost:8080` and the like with what is left out.
pub(crate) fn address(word: &str) -> Option<String> {
    if servers::is_url(word) {
        return Some(word.to_owned());
    }
    let (authority, path) = word.split_once('/').unwrap_or((word, "mcp"));
    let (host, port) = authority.rsplit_once(':')?;
    let is_host = !host.is_empty()
        && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '[' | ']' | ':'));
    (is_host && port.parse::<u16>().is_ok()).then(|| format!("http://{authority}/{path}"))
}

/// [`address`], with a note if something was added.
pub(crate) fn noted_address(app: &App, word: &str) -> Option<String> {
    let url = address(word)?;
    if url != word {
        app.terminal.note(&format!("`{word}` is taken as {url}"));
    }
    Some(url)
}

/// The known word nearest to `word`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= tolerance(candidate))
        .map(|(_, candidate)| candidate)
}

fn distance(word: &str, candidate: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase())
}

/// Changes that leave a word recognisable: one in `zsh`, three in `height_cm`.
fn tolerance(candidate: &str) -> usize {
    let length = candidate.chars().count();
    (1 + length / 4).min((length + 1) / 3).max(1)
}

#[cfg(test)]
mod tests;
