//! Which servers a program can need, as far as its text shows.

use mortise_client::server_config::ServerConfig;
use mortise_script::looks_names_up;

/// How the name of every tool begins.
const NAMESPACE: &str = "mcp__";

/// The servers whose tools the program can mean: all, unless every tool it speaks of names its server and it can't
/// find others by looking.
pub(super) fn needed(configs: Vec<ServerConfig>, source: &str) -> Vec<ServerConfig> {
    let prefixes: Vec<String> = configs.iter().map(|config| config.name.callable_prefix()).collect();
    let mut named = vec![false; configs.len()];
    for (at, _) in source.match_indices(NAMESPACE) {
        let rest = &source[at..];
        let mut is_known = false;
        for (named, prefix) in named.iter_mut().zip(&prefixes) {
            if rest.starts_with(prefix.as_str()) {
                (*named, is_known) = (true, true);
            }
        }
        if !is_known {
            return configs;
        }
    }
    if looks_around(source) || awaits_unknown(source) {
        return configs;
    }
    configs.into_iter().zip(named).filter_map(|(config, named)| named.then_some(config)).collect()
}

/// Whether a program can find tools that it does not name.
fn looks_around(source: &str) -> bool {
    let names = [
        "list_callable_tools",
        "inspect_tool",
        "server_status",
        "list_resources",
        "read_resource",
        "list_prompts",
        "get_prompt",
    ];
    looks_names_up(source) || names.iter().any(|name| source.contains(name))
}

/// Whether a program can call tools at all.
pub(super) fn may_call(source: &str) -> bool {
    source.contains(NAMESPACE) || looks_around(source) || awaits_unknown(source)
}

/// Whether a program awaits a function that it neither defines nor imports: most likely a tool by its bare name. The
/// check names the right one only if its server was asked.
fn awaits_unknown(source: &str) -> bool {
    let is_imported = |name: &str| {
        let imports = source.lines().filter(|line| line.contains("import "));
        imports.flat_map(|line| line.split(|c: char| !is_word(c))).any(|word| word == name)
    };
    source.match_indices("await ").any(|(at, found)| {
        let rest = source[at + found.len()..].trim_start();
        let name = &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())];
        let is_call = rest[name.len()..].starts_with('(');
        let is_given = matches!(name, "keep" | "load");
        let is_known = is_given || name.starts_with(NAMESPACE) || source.contains(&format!("def {name}("));
        is_call && !name.is_empty() && !is_known && !is_imported(name)
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
