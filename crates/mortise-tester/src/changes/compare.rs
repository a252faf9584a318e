//! Two snapshots side by side.

use std::collections::BTreeMap;
use std::num::NonZero;

use chrono::NaiveDate;
use mortise_contract::diff::{
    Change, Declaration, Level, Rule, diff_prompts, diff_resources, diff_servers, diff_tools,
};
use mortise_contract::lock::{LockFile, Snapshot};
use mortise_contract::{Contract, RawJson, ToolName};
use serde_json::{Map, Value};

use super::waiver::{WaiverDecision, WaiverPlace};
use super::{
    ChangeStanding, HintPolicy, ItemChanges, ItemKind, Policy, SeenChange, ServerChanges, SnapshotComparison,
};

/// Tools that are worth a thread of their own.
const SHARE: usize = 64;

/// Why two snapshots can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// One side has one server, the other several, and none of that name.
    #[error("there is no server `{name}` on the other side, which has {}", known.join(", "))]
    NoSuchServer { name: String, known: Vec<String> },
    /// The clients that asked could do different things, so that the answers say nothing about each other.
    #[error("the server `{server}` was asked by clients with other capabilities: {old} and {new}")]
    Capabilities {
        server: String,
        /// The old client's capabilities as JSON.
        old: String,
        /// The new client's.
        new: String,
    },
}

/// Compares two snapshots on the day `today`.
///
/// Servers are paired by name; one against one is a pair whatever the names, and one against
/// several is compared with its namesake only.
pub fn compare(
    old: &LockFile,
    new: &LockFile,
    policy: &Policy,
    today: NaiveDate,
) -> Result<SnapshotComparison, CompareError> {
    compare_pairs(paired(old, new)?, policy, today)
}

/// Compares two snapshots on the day `today`, server by server of the same name and no others: a server
/// that only one side has is gone or new.
///
/// # Errors
///
/// When a server was asked by clients with other capabilities.
pub fn compare_by_name(
    old: &LockFile,
    new: &LockFile,
    policy: &Policy,
    today: NaiveDate,
) -> Result<SnapshotComparison, CompareError> {
    compare_pairs(by_name(old, new), policy, today)
}

fn compare_pairs(
    pairs: BTreeMap<&str, Pair<'_>>,
    policy: &Policy,
    today: NaiveDate,
) -> Result<SnapshotComparison, CompareError> {
    let mut used = vec![WaiverDecision::Unused; policy.waivers.waivers.len()];
    let mut judge = ChangeJudge { policy, today, used: &mut used };
    let mut servers = Vec::new();
    for (name, pair) in pairs {
        servers.push(judge.server(name, pair)?);
    }
    let of = |wanted: WaiverDecision| {
        let all = policy.waivers.waivers.iter().zip(&used);
        all.filter(|(_, decision)| **decision == wanted).map(|(waiver, _)| waiver.clone()).collect()
    };
    Ok(SnapshotComparison {
        servers,
        strictness: policy.strictness,
        expired: of(WaiverDecision::Expired),
        unused: of(WaiverDecision::Unused),
    })
}

type Pair<'a> = (Option<&'a Snapshot>, Option<&'a Snapshot>);

fn paired<'a>(old: &'a LockFile, new: &'a LockFile) -> Result<BTreeMap<&'a str, Pair<'a>>, CompareError> {
    let single = |lock: &'a LockFile| match lock.servers.len() {
        1 => lock.servers.iter().next(),
        _ => None,
    };
    let missing = |name: &str, lock: &LockFile| CompareError::NoSuchServer {
        name: name.to_owned(),
        known: lock.servers.keys().cloned().collect(),
    };
    match (single(old), single(new)) {
        (Some((_, before)), Some((name, after))) => {
            return Ok(BTreeMap::from([(name.as_str(), (Some(before), Some(after)))]));
        }
        (None, Some((name, after))) if !old.servers.is_empty() => {
            let before = old.servers.get(name).ok_or_else(|| missing(name, old))?;
            return Ok(BTreeMap::from([(name.as_str(), (Some(before), Some(after)))]));
        }
        (Some((name, before)), None) if !new.servers.is_empty() => {
            let after = new.servers.get(name).ok_or_else(|| missing(name, new))?;
            return Ok(BTreeMap::from([(name.as_str(), (Some(before), Some(after)))]));
        }
        _ => {}
    }
    Ok(by_name(old, new))
}

fn by_name<'a>(old: &'a LockFile, new: &'a LockFile) -> BTreeMap<&'a str, Pair<'a>> {
    let mut pairs: BTreeMap<&str, Pair<'_>> = BTreeMap::new();
    for (name, snapshot) in &old.servers {
        pairs.entry(name).or_default().0 = Some(snapshot);
    }
    for (name, snapshot) in &new.servers {
        pairs.entry(name).or_default().1 = Some(snapshot);
    }
    pairs
}

struct ChangeJudge<'a> {
    policy: &'a Policy,
    today: NaiveDate,
    used: &'a mut Vec<WaiverDecision>,
}

impl ChangeJudge<'_> {
    fn server(&mut self, name: &str, pair: Pair<'_>) -> Result<ServerChanges, CompareError> {
        let mut changes = ServerChanges {
            name: name.to_owned(),
            old: pair.0.and_then(|snapshot| snapshot.about.clone()),
            new: pair.1.and_then(|snapshot| snapshot.about.clone()),
            items: Vec::new(),
            not_compared: Vec::new(),
        };
        let (before, after) = match pair {
            (Some(before), Some(after)) => (before, after),
            (before, _) => {
                let (rule, level, what) = match before {
                    Some(_) => (Rule::ServerRemoved, Level::Breaking, "gone"),
                    None => (Rule::ServerAdded, Level::Safe, "new"),
                };
                let change = Change::of_tool(rule, level, "", format!("the server `{name}` is {what}"));
                let seen = self.seen(name, ItemKind::Server, name, change, None, None);
                let item = ItemChanges { kind: ItemKind::Server, name: name.to_owned(), changes: vec![seen] };
                changes.items.push(item);
                return Ok(changes);
            }
        };
        refuse_other_clients(name, before, after)?;
        for (what, is_one_sided) in [
            ("server", before.capabilities.is_some() != after.capabilities.is_some()),
            ("resources", before.resources.is_some() != after.resources.is_some()),
            ("resource templates", before.resource_templates.is_some() != after.resource_templates.is_some()),
            ("prompts", before.prompts.is_some() != after.prompts.is_some()),
        ] {
            if is_one_sided {
                changes.not_compared.push(what);
            }
        }
        let mut found: BTreeMap<(ItemKind, String), Vec<SeenChange>> = BTreeMap::new();
        for (kind, item, change) in all_changes(name, before, after) {
            let shows_words = shows_words(change.rule);
            let is_new = matches!(change.rule, Rule::ToolAdded | Rule::PromptAdded | Rule::ResourceAdded);
            let pointer = if is_new { "/description" } else { &change.pointer };
            let [old, new] = [before, after]
                .map(|side| if shows_words { words(side, kind, &item, pointer) } else { None });
            let seen = self.seen(name, kind, &item, change, old, new);
            found.entry((kind, item)).or_default().push(seen);
        }
        // What no rule finds is a change all the same: a tool that is listed twice, say.
        if found.is_empty() && changes.not_compared.is_empty() && declared(before) != declared(after) {
            let change =
                Change::of_tool(Rule::Rewritten, Level::Info, "", "the declarations are written differently");
            let seen = self.seen(name, ItemKind::Server, name, change, None, None);
            found.insert((ItemKind::Server, name.to_owned()), vec![seen]);
        }
        changes.items =
            found.into_iter().map(|((kind, name), changes)| ItemChanges { kind, name, changes }).collect();
        Ok(changes)
    }

    fn seen(
        &mut self,
        server: &str,
        kind: ItemKind,
        item: &str,
        change: Change,
        before: Option<Value>,
        after: Option<Value>,
    ) -> SeenChange {
        let by_hint = self.policy.hints == HintPolicy::Breaks && change.rule == Rule::HintWorsened;
        let standing = match by_hint || change.is_breaking(self.policy.strictness) {
            false => ChangeStanding::Passes,
            true => {
                let place = WaiverPlace { server, kind, item, rule: change.rule, pointer: &change.pointer };
                self.policy.waivers.decide(&place, self.today, self.used)
            }
        };
        SeenChange { change, before, after, standing }
    }
}

/// The hash of all that a server declared, whichever client asked.
fn declared(snapshot: &Snapshot) -> String {
    Snapshot { client_capabilities: None, ..snapshot.clone() }.hash()
}

fn refuse_other_clients(name: &str, before: &Snapshot, after: &Snapshot) -> Result<(), CompareError> {
    match (&before.client_capabilities, &after.client_capabilities) {
        (Some(old), Some(new)) if old != new => {
            let json = |object: &Map<String, Value>| Value::Object(object.clone()).to_string();
            Err(CompareError::Capabilities { server: name.to_owned(), old: json(old), new: json(new) })
        }
        _ => Ok(()),
    }
}

fn all_changes(name: &str, before: &Snapshot, after: &Snapshot) -> Vec<(ItemKind, String, Change)> {
    let mut all = Vec::new();
    let own = diff_servers(declaration(before), declaration(after));
    all.extend(own.into_iter().map(|change| (ItemKind::Server, name.to_owned(), change)));
    let tools = tool_changes(&before.tools, &after.tools);
    all.extend(tools.into_iter().map(|(tool, change)| (ItemKind::Tool, tool.to_string(), change)));
    let resources = [
        (ItemKind::Resource, &before.resources, &after.resources, "uri"),
        (ItemKind::ResourceTemplate, &before.resource_templates, &after.resource_templates, "uriTemplate"),
    ];
    for (kind, before, after, key) in resources {
        if let (Some(before), Some(after)) = (before, after) {
            let changes = diff_resources(before, after, key);
            all.extend(changes.into_iter().map(|(item, change)| (kind, item, change)));
        }
    }
    if let (Some(before), Some(after)) = (&before.prompts, &after.prompts) {
        let changes = diff_prompts(before, after);
        all.extend(changes.into_iter().map(|(item, change)| (ItemKind::Prompt, item, change)));
    }
    all
}

fn declaration(side: &Snapshot) -> Declaration<'_> {
    Declaration {
        protocol_version: side.protocol_version.as_deref(),
        capabilities: side.capabilities.as_ref(),
        instructions: side.instructions.as_deref(),
    }
}

/// Differences between the tools, a share of the names on each core.
fn tool_changes(before: &[Map<String, Value>], after: &[Map<String, Value>]) -> Vec<(ToolName, Change)> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = before.len().max(after.len()).div_ceil(cores).max(SHARE);
    let name = |tool: &'_ Map<String, Value>| {
        tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut names: Vec<String> = before.iter().chain(after).map(name).collect();
    names.sort_unstable();
    names.dedup();
    let of = |tools: &[Map<String, Value>], names: &[String]| {
        let mine = tools.iter().filter(|tool| names.binary_search(&name(tool)).is_ok());
        contracts(mine)
    };
    std::thread::scope(|scope| {
        let work = |names| move || diff_tools(&of(before, names), &of(after, names));
        let threads: Vec<_> = names.chunks(share).map(|names| scope.spawn(work(names))).collect();
        let done = threads.into_iter().map(|thread| match thread.join() {
            Ok(changes) => changes,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.flatten().collect()
    })
}

/// The tools as contracts. One that can't be read any more was no tool when it was recorded.
fn contracts<'a>(tools: impl Iterator<Item = &'a Map<String, Value>>) -> Vec<Contract> {
    let read = |tool: &Map<String, Value>| {
        let raw = RawJson::parse(&Value::Object(tool.clone()).to_string()).ok()?;
        Contract::parse(raw).ok()
    };
    tools.filter_map(read).collect()
}

/// Whether a reader wants to see what stood there and what stands there now.
fn shows_words(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::DescriptionChanged
            | Rule::InstructionsChanged
            | Rule::TitleChanged
            | Rule::TextChanged
            | Rule::FieldChanged
            | Rule::MimeTypeChanged
            | Rule::ToolAdded
            | Rule::PromptAdded
            | Rule::ResourceAdded
    )
}

/// What stands at a pointer, when it leads somewhere: inside schemas it follows references, which this does not.
fn words(side: &Snapshot, kind: ItemKind, item: &str, pointer: &str) -> Option<Value> {
    let found = |list: &[Map<String, Value>], key: &str| {
        let named = |object: &&Map<String, Value>| object.get(key).and_then(Value::as_str) == Some(item);
        let object = list.iter().find(named)?;
        let (first, rest) = match pointer.strip_prefix('/')?.split_once('/') {
            Some((first, rest)) => (first, format!("/{rest}")),
            None => (pointer.strip_prefix('/')?, String::new()),
        };
        let member = object.get(&first.replace("~1", "/").replace("~0", "~"))?;
        match (kind, member) {
            // Arguments of a prompt are named, not numbered.
            (ItemKind::Prompt, Value::Array(arguments)) if !rest.is_empty() => {
                let name = rest.strip_prefix('/')?.replace("~1", "/").replace("~0", "~");
                arguments.iter().find(|argument| argument["name"] == name.as_str()).cloned()
            }
            _ => member.pointer(&rest).cloned(),
        }
    };
    match kind {
        ItemKind::Server => match pointer.strip_prefix("/capabilities") {
            Some(below) => Value::Object(side.capabilities.clone()?).pointer(below).cloned(),
            None => side.instructions.clone().map(Value::from),
        },
        ItemKind::Tool => found(&side.tools, "name"),
        ItemKind::Resource => found(side.resources.as_deref()?, "uri"),
        ItemKind::ResourceTemplate => found(side.resource_templates.as_deref()?, "uriTemplate"),
        ItemKind::Prompt => found(side.prompts.as_deref()?, "name"),
    }
}
