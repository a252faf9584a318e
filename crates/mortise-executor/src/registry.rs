//! Which tools there are: the catalogues of all servers, named and filtered.

mod substitutes;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arc_swap::ArcSwap;
use mortise_client::tool_filter::ToolFilter;
use mortise_client::{Catalog, Upstream};
use mortise_contract::lock::Deviation;
use mortise_contract::name::Renamed;
use mortise_contract::{CallableName, Contract, NameMap, ServerName, ToolName};
use mortise_script::ToolNames;
use parking_lot::Mutex;

use crate::lock_policy::{LockPolicy, held_back, log_deviations};
use crate::observed::Observer;
use crate::search::SearchIndex;
use crate::server_functions::SERVER_FUNCTIONS;

use substitutes::changes_instead;

/// The servers in use, and the snapshot of their tools that fits them.
///
/// Servers come and go while programs run: a program keeps the snapshot it started with.
#[derive(Debug)]
pub struct Registry {
    servers: ArcSwap<Vec<Upstream>>,
    filter: ArcSwap<ToolFilter>,
    lock: ArcSwap<LockPolicy>,
    observer: ArcSwap<Observer>,
    latest: ArcSwap<ToolSnapshot>,
    /// One rebuild at a time.
    rebuilding: Mutex<()>,
}

/// The tools at one moment. It never changes.
#[derive(Debug, Default)]
pub struct ToolSnapshot {
    /// The catalogues it was made from.
    catalogs: Vec<(ServerName, Arc<Catalog>)>,
    filter: Arc<ToolFilter>,
    lock: Arc<LockPolicy>,
    tools: Vec<RegisteredTool>,
    positions: HashMap<String, usize>,
    names: ToolNames,
    given: ToolNames,
    blocked: ToolNames,
    /// Names of tools that exist and that programs can't call.
    withheld: ToolNames,
    /// Tools that the lock file holds back, by callable name.
    held: BTreeMap<String, Arc<Deviation>>,
    renamed: Vec<Renamed>,
    name_map: NameMap,
    search: SearchIndex,
}

/// One tool that programs can call.
#[derive(Clone, Debug)]
pub struct RegisteredTool {
    /// The name in programs.
    pub callable: CallableName,
    /// The server that has it.
    pub upstream: Upstream,
    /// What the server says about it.
    pub contract: Arc<Contract>,
    /// How it differs from what the lock file records, where that is only warned about.
    pub deviation: Option<Arc<Deviation>>,
}

impl Registry {
    /// A registry of these servers.
    pub fn new(servers: Vec<Upstream>, filter: ToolFilter) -> Self {
        Self {
            servers: ArcSwap::from_pointee(servers),
            filter: ArcSwap::from_pointee(filter),
            lock: ArcSwap::default(),
            observer: ArcSwap::default(),
            latest: ArcSwap::default(),
            rebuilding: Mutex::default(),
        }
    }

    /// Compares tools with another lock file from now on; with none at first.
    pub fn set_lock(&self, lock: LockPolicy) {
        self.lock.store(Arc::new(lock));
    }

    /// Learns from results with this observer from now on; at first with one that is switched off.
    pub fn set_observer(&self, observer: Observer) {
        self.observer.store(Arc::new(observer));
    }

    /// What results were observed to be.
    pub fn observer(&self) -> Arc<Observer> {
        self.observer.load_full()
    }

    /// Takes other servers and another filter from now on.
    pub fn replace(&self, servers: Vec<Upstream>, filter: ToolFilter) {
        self.servers.store(Arc::new(servers));
        self.filter.store(Arc::new(filter));
    }

    pub fn servers(&self) -> Arc<Vec<Upstream>> {
        self.servers.load_full()
    }

    /// The tools as they are now. Cheap while no catalogue has changed.
    pub fn snapshot(&self) -> Arc<ToolSnapshot> {
        let latest = self.latest.load_full();
        if latest.is_current(&self.servers.load(), &self.filter.load(), &self.lock.load()) {
            return latest;
        }
        let _one = self.rebuilding.lock();
        let latest = self.latest.load_full();
        let (servers, filter) = (self.servers.load_full(), self.filter.load_full());
        let lock = self.lock.load_full();
        if latest.is_current(&servers, &filter, &lock) {
            return latest;
        }
        let snapshot = Arc::new(ToolSnapshot::build(&servers, filter, lock));
        log_renamed(&latest, &snapshot);
        log_deviations(&latest, &snapshot);
        self.latest.store(snapshot.clone());
        snapshot
    }
}

impl ToolSnapshot {
    fn is_current(&self, servers: &[Upstream], filter: &Arc<ToolFilter>, lock: &Arc<LockPolicy>) -> bool {
        let same = |(name, catalog): &(ServerName, Arc<Catalog>), server: &Upstream| {
            name == server.name() && Arc::ptr_eq(catalog, &server.catalog())
        };
        Arc::ptr_eq(&self.filter, filter)
            && Arc::ptr_eq(&self.lock, lock)
            && self.catalogs.len() == servers.len()
            && self.catalogs.iter().zip(servers).all(|(known, server)| same(known, server))
    }

    fn build(servers: &[Upstream], filter: Arc<ToolFilter>, lock: Arc<LockPolicy>) -> Self {
        let catalogs: Vec<(ServerName, Arc<Catalog>)> =
            servers.iter().map(|server| (server.name().clone(), server.catalog())).collect();
        let listed: Vec<CatalogTool<'_>> = catalogs
            .iter()
            .zip(servers)
            .flat_map(|((_, catalog), upstream)| {
                let deviations = lock.deviations(upstream, &catalog.contracts);
                let listed = catalog.contracts.iter().zip(deviations);
                listed.map(move |(contract, deviation)| CatalogTool { upstream, contract, deviation })
            })
            .collect();
        let is_held = |tool: &&CatalogTool<'_>| lock.is_enforced() && tool.deviation.is_some();
        // A tool that is held back must not change the names of others.
        let map = NameMap::new(listed.iter().filter(|tool| !is_held(tool)).map(CatalogTool::name));
        let mut tools = Vec::new();
        let mut blocked = Vec::new();
        for tool in listed.iter().filter(|tool| !is_held(tool)) {
            let (server, name) = tool.name();
            let Some(callable) = map.callable(server, name) else { continue };
            if filter.allows(callable.as_str(), &NameMap::spellings(server, name)) {
                let (upstream, contract) = (tool.upstream.clone(), tool.contract.clone());
                let (callable, deviation) = (callable.clone(), tool.deviation.clone());
                tools.push(RegisteredTool { callable, upstream, contract, deviation });
            } else {
                blocked.push(callable.to_string());
            }
        }
        tools.sort_by(|a, b| a.callable.cmp(&b.callable));
        let held = held(&listed, &map, &filter, is_held);
        let search =
            SearchIndex::new(tools.iter().map(|tool| (tool.upstream.name().as_str(), &*tool.contract)));
        let positions: HashMap<String, usize> =
            tools.iter().enumerate().map(|(at, tool)| (tool.callable.to_string(), at)).collect();
        let mut renamed = map.renamed();
        renamed.retain(|renamed| positions.contains_key(renamed.callable.as_str()));
        Self {
            filter,
            lock,
            withheld: blocked.iter().chain(held.keys()).map(String::as_str).collect(),
            held,
            positions,
            names: tools.iter().map(|tool| tool.callable.to_string()).collect(),
            given: (tools.iter().map(|tool| tool.callable.as_str()).chain(SERVER_FUNCTIONS)).collect(),
            blocked: blocked.into_iter().collect(),
            renamed,
            name_map: map,
            search,
            catalogs,
            tools,
        }
    }

    /// The tools, by callable name in order.
    pub fn tools(&self) -> &[RegisteredTool] {
        &self.tools
    }

    /// The tool that programs call by this name.
    pub fn tool(&self, callable: &str) -> Option<&RegisteredTool> {
        self.positions.get(callable).map(|at| &self.tools[*at])
    }

    /// The callable names, in order.
    pub fn names(&self) -> &ToolNames {
        &self.names
    }

    /// Names that exist and that the filter or the lock file keeps from programs.
    pub fn withheld(&self) -> &ToolNames {
        &self.withheld
    }

    /// The names under which programs call something: those of the tools and [`SERVER_FUNCTIONS`].
    pub(crate) fn given(&self) -> &ToolNames {
        &self.given
    }

    /// Whether the filter lets programs call something of this name.
    pub(crate) fn allows(&self, callable: &str) -> bool {
        self.filter.allows(callable, &[])
    }

    /// Whether the filter keeps this name from programs.
    pub fn is_blocked(&self, callable: &str) -> bool {
        self.blocked.contains(callable)
    }

    /// Why the lock file holds a tool of this name back.
    pub fn held(&self, callable: &str) -> Option<&Arc<Deviation>> {
        self.held.get(callable)
    }

    /// All tools that the lock file holds back, by callable name in order.
    pub fn all_held(&self) -> impl ExactSizeIterator<Item = (&str, &Arc<Deviation>)> {
        self.held.iter().map(|(callable, deviation)| (callable.as_str(), deviation))
    }

    /// Tools that are not as the lock file records them, held back or not.
    pub fn deviations(&self) -> impl Iterator<Item = (&str, &Arc<Deviation>)> {
        let offered =
            self.tools.iter().filter_map(|tool| Some((tool.callable.as_str(), tool.deviation.as_ref()?)));
        self.all_held().chain(offered)
    }

    /// Why a tool of this snapshot may not be called any more: its server declares it as `current` by now.
    pub(crate) fn held_now(&self, tool: &RegisteredTool, current: &Arc<Contract>) -> Option<Arc<Deviation>> {
        let is_changed = !Arc::ptr_eq(current, &tool.contract);
        if is_changed { self.lock.held_now(&tool.upstream, current) } else { None }
    }

    /// Whether tools that are not as the lock file records them are held back.
    pub(crate) fn is_enforced(&self) -> bool {
        self.lock.is_enforced()
    }

    /// Why a tool of this name exists and can't be called, in one sentence.
    pub(crate) fn why_withheld(&self, callable: &str) -> Option<String> {
        match self.held(callable) {
            Some(deviation) => Some(held_back(callable, deviation)),
            None if self.is_blocked(callable) => {
                Some("It is blocked by this server's configuration.".to_owned())
            }
            None => None,
        }
    }

    /// Tools that programs can call and whose callable name is not simply their sanitised name.
    pub fn renamed(&self) -> &[Renamed] {
        &self.renamed
    }

    /// All names and the way back, those of blocked tools too.
    pub fn name_map(&self) -> &NameMap {
        &self.name_map
    }

    /// The best tools for some words.
    pub fn search(&self, query: &str, limit: usize) -> Vec<&RegisteredTool> {
        self.search.find(query, limit).into_iter().map(|at| &self.tools[at]).collect()
    }

    /// Up to three callable names that look like this one.
    pub fn similar(&self, asked: &str) -> Vec<&str> {
        let asked_tool = asked.rsplit("__").next().unwrap_or(asked);
        let most = 2 + asked_tool.len() / 6;
        let (whole, tool) = (Spelled::new(asked), Spelled::new(asked_tool));
        let mut near: Vec<(usize, &str)> = self
            .names
            .iter()
            .filter_map(|name| {
                let its_tool = name.rsplit("__").next().unwrap_or(name);
                let is_read_only = self.tool(name).is_some_and(|tool| tool.contract.hints().read_only);
                if changes_instead(asked_tool, its_tool, is_read_only) {
                    return None;
                }
                let distances = [
                    whole.distance(name, most),
                    tool.distance(its_tool, most - 1).map(|distance| distance + 1),
                ];
                distances.into_iter().flatten().min().map(|distance| (distance, name))
            })
            .collect();
        near.sort_unstable();
        near.into_iter().take(3).map(|(_, name)| name).collect()
    }
}

/// A tool of a catalogue, before it has a callable name.
struct CatalogTool<'a> {
    upstream: &'a Upstream,
    contract: &'a Arc<Contract>,
    deviation: Option<Arc<Deviation>>,
}

impl CatalogTool<'_> {
    fn name(&self) -> (&ServerName, &ToolName) {
        (self.upstream.name(), &self.contract.name)
    }
}

/// The tools that are held back, by the names that they would have. A name that an offered tool has is that tool's.
fn held(
    listed: &[CatalogTool<'_>],
    offered: &NameMap,
    filter: &ToolFilter,
    is_held: impl Fn(&&CatalogTool<'_>) -> bool,
) -> BTreeMap<String, Arc<Deviation>> {
    let all = NameMap::new(listed.iter().map(CatalogTool::name));
    let mut held = BTreeMap::new();
    for tool in listed.iter().filter(is_held) {
        let (server, name) = tool.name();
        let (Some(callable), Some(deviation)) = (all.callable(server, name), &tool.deviation) else {
            continue;
        };
        let is_allowed = filter.allows(callable.as_str(), &NameMap::spellings(server, name));
        if is_allowed && offered.target(callable.as_str()).is_none() {
            held.insert(callable.to_string(), deviation.clone());
        }
    }
    held
}

/// Says which tools are called otherwise than their servers call them, each once.
fn log_renamed(old: &ToolSnapshot, new: &ToolSnapshot) {
    new.renamed.iter().filter(|renamed| !old.renamed.contains(renamed)).for_each(Renamed::log);
}

/// A text that is compared with many others.
struct Spelled<'a> {
    text: &'a str,
    /// How often it has each letter; nothing if it is not ASCII.
    letters: Option<[i16; 128]>,
}

impl<'a> Spelled<'a> {
    /// Longer texts are not compared.
    const LONGEST: usize = 256;
    /// Bytes by which a text may be longer or shorter.
    const MORE: usize = 6;

    fn new(text: &'a str) -> Self {
        Self { text, letters: (text.len() <= Self::LONGEST).then(|| letters(text)).flatten() }
    }

    /// Letters to change, add, drop or swap to get from one text to the other, if they are at most `most`.
    fn distance(&self, other: &str, most: usize) -> Option<usize> {
        let is_long = self.text.len() > Self::LONGEST || other.len() > Self::LONGEST;
        if is_long || self.text.len().abs_diff(other.len()) > Self::MORE || self.differs(other) > most {
            return None;
        }
        Some(strsim::osa_distance(self.text, other)).filter(|distance| *distance <= most)
    }

    /// A lower bound of the letters that differ, wherever they stand. It takes a hundredth of the time of the distance,
    /// and rules out nearly all of thousands of names.
    fn differs(&self, other: &str) -> usize {
        let (Some(ours), Some(theirs)) = (&self.letters, letters(other)) else { return 0 };
        let (mut more, mut less) = (0, 0);
        for (one, another) in ours.iter().zip(theirs) {
            let difference = i32::from(one - another);
            more += difference.max(0).unsigned_abs();
            less += difference.min(0).unsigned_abs();
        }
        more.max(less) as usize
    }
}

/// How often a text of ASCII has each letter.
fn letters(text: &str) -> Option<[i16; 128]> {
    let mut counts = [0i16; 128];
    for byte in text.bytes() {
        *counts.get_mut(usize::from(byte))? += 1;
    }
    Some(counts)
}

#[cfg(test)]
mod tests;
