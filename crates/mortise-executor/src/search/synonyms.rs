//! Words of requests that mean what other words of tools mean.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::words::words;

/// What tools do: words that often stand for one another between a request and a tool's name or description. A word may
/// be in several groups.
const ACTIONS: &[&str] = &[
    "get read fetch retrieve load open view show see display download",
    "list show enumerate browse",
    "search find query locate look lookup recall",
    "create add make new insert register open",
    "write save store record remember keep memorize persist append add",
    "update edit modify change set alter replace adjust",
    "delete remove drop erase clear forget cancel discard",
    "undo reset revert restore unstage",
    "send post publish notify message",
    "reply answer respond send",
    "move rename",
    "copy duplicate clone fork",
    "convert translate transform",
    "compare diff difference",
    "change modified status diff",
    "run execute evaluate invoke launch start",
    "upload push send",
    "click press tap",
    "type fill enter input",
    "navigate visit go browse",
    "capture screenshot snapshot",
    "merge accept approve",
    "schedule book plan create",
    "switch checkout",
    "stage add",
    "draft write compose",
];

/// What they do it to.
const THINGS: &[&str] = &[
    "file document",
    "directory folder",
    "repository repo",
    "issue ticket bug problem",
    "pr pull",
    "page website web site url internet",
    "user member person people team",
    "email mail inbox",
    "event meeting appointment calendar",
    "customer client",
    "invoice bill charge",
    "balance money fund",
    "fact observation knowledge memory entity",
    "relation link connection",
    "history log recent latest",
    "free available availability",
    "information detail metadata",
    "schema column structure",
    "sql query database",
    "weather forecast rain temperature",
    "alert warning",
    "image picture photo screenshot",
    "direction route way",
    "coordinate latitude longitude",
    "price cost quote",
];

/// Each word's stem with the stems of the words in its groups.
static SYNONYMS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut synonyms: HashMap<String, Vec<String>> = HashMap::new();
    for group in ACTIONS.iter().chain(THINGS) {
        let stems = words(group);
        for stem in &stems {
            let others = stems.iter().filter(|other| *other != stem).cloned();
            synonyms.entry(stem.clone()).or_default().extend(others);
        }
    }
    synonyms
});

static ACTION_STEMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| ACTIONS.iter().flat_map(|group| words(group)).collect());

/// Whether the word with this stem says what to do, which many tools have in common.
pub(super) fn is_action(stem: &str) -> bool {
    ACTION_STEMS.contains(stem)
}

/// Stems of words that may stand for the word with this stem.
pub(super) fn synonyms(stem: &str) -> &'static [String] {
    SYNONYMS.get(stem).map_or(&[], Vec::as_slice)
}
