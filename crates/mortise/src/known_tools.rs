//! The servers and tools that are known without starting anything: from the configuration, from the lists that servers
//! gave the last time, from the lock file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mortise_client::environment::Environment;
use mortise_client::server_config::{InProcess, ServerConfig, Transport};
use mortise_client::{CatalogCache, PoolOptions, bounded_file};
use mortise_config::{Config, ConfigError, LoadedConfig};
use mortise_contract::lock::LockFile;
use mortise_samples::{Sample, samples};
use mortise_server::ToolSet as _;
use serde_json::{Map, Value};

use crate::snapshots;

/// Where the lists of servers are kept from one process to the next.
pub(crate) fn cache(environment: &Environment) -> Option<CatalogCache> {
    environment.cache_directory.as_ref().map(|cache| CatalogCache::new(cache.join("tools")))
}

/// A server and what is known of its tools.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownServer {
    pub(crate) name: String,
    pub(crate) tools: Vec<KnownTool>,
}

/// A tool as its server declared it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownTool {
    pub(crate) name: String,
    /// Empty where the server gives none.
    pub(crate) description: String,
    /// The schema of its arguments.
    pub(crate) input: Value,
}

/// What a command line says about which servers it means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AskedServers {
    /// Files of `--config`.
    pub(crate) config: Vec<PathBuf>,
    /// Whether `--samples` is there.
    pub(crate) samples: bool,
}

/// The servers that a command would use, as far as they are known. Starts nothing, asks nothing, and passes over what
/// can't be read.
pub(crate) fn known_servers(environment: &Environment, asked: &AskedServers) -> Vec<KnownServer> {
    let mut servers = Vec::new();
    if asked.samples {
        servers.extend(sample_servers());
    }
    if !asked.samples || !asked.config.is_empty() {
        match configured(environment, &asked.config) {
            Some(loaded) => servers.extend(configured_servers(environment, &loaded)),
            // A command on a terminal takes the samples where nothing is configured.
            None if servers.is_empty() => servers.extend(sample_servers()),
            None => {}
        }
    }
    servers
}

/// The configuration that may be used without a question; `None` where there is none.
fn configured(environment: &Environment, files: &[PathBuf]) -> Option<LoadedConfig> {
    let loaded = match Config::load(environment, files) {
        Ok(loaded) => loaded,
        Err(ConfigError::Untrusted(_)) => Config::load_own(environment).ok().flatten()?,
        Err(_) => return None,
    };
    (!loaded.config.servers.is_empty()).then_some(loaded)
}

fn configured_servers(environment: &Environment, loaded: &LoadedConfig) -> Vec<KnownServer> {
    let lists = cache(environment);
    let options = PoolOptions::new(environment.clone());
    let recorded = loaded.files.first().and_then(|file| recorded(file)).unwrap_or_default();
    let server = |config: &ServerConfig| {
        let listed = lists.as_ref().and_then(|lists| lists.tools(config, &options));
        let tools = match (listed, &config.transport) {
            (Some(contracts), _) => contracts.iter().map(|contract| declared(&contract.fields)).collect(),
            // Lists of samples are not kept: they are in this program.
            (None, Transport::InProcess(server)) => sample_tools(environment, server),
            (None, _) => recorded.get(config.name.as_str()).cloned().unwrap_or_default(),
        };
        KnownServer { name: config.name.to_string(), tools }
    };
    loaded.config.servers.iter().map(server).collect()
}

/// The tools in the lock file beside a configuration.
fn recorded(config: &Path) -> Option<BTreeMap<String, Vec<KnownTool>>> {
    let path = config.parent()?.join(LockFile::FILE_NAME);
    let text = bounded_file::read(&path, snapshots::MAX_BYTES).ok()?;
    let lock = LockFile::parse(&text).ok()?;
    let tools = lock.servers.into_iter().map(|(name, snapshot)| {
        let tools = snapshot.tools.iter().map(declared).collect();
        (name, tools)
    });
    Some(tools.collect())
}

fn sample_servers() -> Vec<KnownServer> {
    let server =
        |sample: &Sample| Some(KnownServer { name: sample.name.to_owned(), tools: tools_of(sample)? });
    samples().iter().filter_map(server).collect()
}

/// The tools of a sample that is configured under any name.
fn sample_tools(environment: &Environment, server: &InProcess) -> Vec<KnownTool> {
    let is_it = |sample: &&Sample| environment.samples.get(sample.name) == Some(server);
    samples().iter().find(is_it).and_then(tools_of).unwrap_or_default()
}

fn tools_of(sample: &Sample) -> Option<Vec<KnownTool>> {
    let list = sample.tool_set().ok()?.tools();
    Some(list.contracts().map(|contract| declared(&contract.fields)).collect())
}

/// A tool from the object that its server declares it with.
fn declared(tool: &Map<String, Value>) -> KnownTool {
    let text = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    KnownTool {
        name: text("name"),
        description: text("description"),
        input: tool.get("inputSchema").cloned().unwrap_or_default(),
    }
}
