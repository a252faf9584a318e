//! The tools of one server, as it listed them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::diff::{Role, diff_schemas};
use mortise_contract::schema::{Dialect, SchemaError};
use mortise_contract::{Contract, RawJson, ServerName};
use parking_lot::Mutex;

use crate::facts::ServerFacts;
use crate::param_header::ParamHeaders;
use crate::wire::ListChanges;

/// A snapshot of a server's tools. It never changes; a new list makes a new catalogue.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// What the server reports about itself; `None` before the first connection.
    pub facts: Option<Arc<ServerFacts>>,
    /// The tools, in the server's order. One with issues is still here.
    pub contracts: Vec<Arc<Contract>>,
    /// List elements that are not tools.
    pub rejected: Vec<RejectedTool>,
    /// Grows with every new list; 0 before the first.
    pub revision: u64,
    /// The list changed while it was being read, twice; it may mix two states.
    pub unstable: bool,
    /// Why the list may be old or is missing, if the last attempt to read it failed.
    pub stale: Option<String>,
    /// How old the list was when it was read from the cache; `None` once the server has listed its tools itself.
    pub cached: Option<Duration>,
    /// The changes that the server had announced when the list was read.
    pub(crate) seen: ListChanges,
    index: HashMap<String, usize>,
    param_headers: HashMap<String, ParamHeaders>,
}

/// Whether `x-mcp-header` means anything: over HTTP in the modern protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderAnnotations {
    Used,
    Ignored,
}

/// A list element that can't be used. It never hides the others.
#[derive(Clone, Debug)]
pub struct RejectedTool {
    /// Its place in the whole list.
    pub position: usize,
    /// Its name, when it has one.
    pub name: Option<String>,
    /// What is wrong with it.
    pub reason: String,
    /// The element, verbatim.
    pub raw: RawJson,
}

impl Catalog {
    pub(crate) fn empty() -> Self {
        Self {
            facts: None,
            contracts: Vec::new(),
            rejected: Vec::new(),
            revision: 0,
            unstable: false,
            stale: None,
            cached: None,
            seen: ListChanges::default(),
            index: HashMap::new(),
            param_headers: HashMap::new(),
        }
    }

    /// The tools that the server listed in an earlier process.
    pub(crate) fn cached(server: &ServerName, elements: Vec<RawJson>, age: Duration) -> Self {
        let mut catalog = Self { cached: Some(age), ..Self::empty() };
        // Tools with bad annotations were left out when the list was written.
        catalog.add_all(server, elements, HeaderAnnotations::Ignored);
        catalog
    }

    /// Whether the server has listed its tools, in this process or in an earlier one.
    pub fn is_known(&self) -> bool {
        self.revision > 0 || self.cached.is_some()
    }

    /// Reads list elements one by one; a bad one is set aside.
    pub(crate) fn read(
        server: &ServerName,
        facts: Arc<ServerFacts>,
        elements: Vec<RawJson>,
        annotations: HeaderAnnotations,
    ) -> Self {
        let mut catalog = Self { facts: Some(facts), ..Self::empty() };
        catalog.add_all(server, elements, annotations);
        catalog
    }

    fn add_all(&mut self, server: &ServerName, elements: Vec<RawJson>, annotations: HeaderAnnotations) {
        self.contracts.reserve_exact(elements.len());
        for (position, raw) in elements.into_iter().enumerate() {
            match Contract::parse(raw.clone()) {
                Ok(contract) => self.add(server, position, contract, annotations),
                Err(error) => self.reject(server, position, None, error.to_string(), raw),
            }
        }
    }

    fn add(
        &mut self,
        server: &ServerName,
        position: usize,
        contract: Contract,
        annotations: HeaderAnnotations,
    ) {
        let name = contract.name.as_str().to_owned();
        if self.index.contains_key(&name) {
            let reason = format!("a tool named `{name}` was listed before");
            return self.reject(server, position, Some(name), reason, contract.raw);
        }
        if annotations == HeaderAnnotations::Used {
            match ParamHeaders::read(&contract) {
                Ok(headers) if headers.is_empty() => {}
                Ok(headers) => drop(self.param_headers.insert(name.clone(), headers)),
                Err(error) => {
                    return self.reject(server, position, Some(name), error.to_string(), contract.raw);
                }
            }
        }
        log_captured(server, &contract);
        self.index.insert(name, self.contracts.len());
        self.contracts.push(Arc::new(contract));
    }

    fn reject(
        &mut self,
        server: &ServerName,
        position: usize,
        name: Option<String>,
        reason: String,
        raw: RawJson,
    ) {
        tracing::warn!(%server, position, reason, "a list element is not a usable tool");
        self.rejected.push(RejectedTool { position, name, reason, raw });
    }

    pub(crate) fn param_headers(&self, name: &str) -> Option<&ParamHeaders> {
        self.param_headers.get(name)
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Contract>> {
        self.index.get(name).map(|position| &self.contracts[*position])
    }
}

/// Logs that a tool declares what it returns: the hash and the size of the schema, not the schema.
fn log_captured(server: &ServerName, contract: &Contract) {
    let tool = contract.name.as_str();
    let Some(schema) = contract.output_schema() else {
        match contract.unreadable_output() {
            Some(reason) => tracing::warn!(
                event = "mortise.output_schema.rejected", %server, tool, reason, "an output schema can't be read"
            ),
            None => {
                tracing::trace!(event = "mortise.output_schema.absent", %server, tool, "no output schema");
            }
        }
        return;
    };
    // The hash and the size cost a walk over the schema.
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let hash = contract.output_schema_hash().map(|hash| hash.as_str().to_owned()).unwrap_or_default();
    let dialect = Dialect::of(schema, Dialect::default()).map_or("unknown", Dialect::as_str);
    tracing::debug!(
        event = "mortise.output_schema.captured",
        %server,
        tool,
        hash,
        bytes = schema.to_string().len(),
        dialect,
        "captured an output schema"
    );
}

/// Logs which tools of a new list return something else than before, and the worst rule that the change breaks.
pub(crate) fn log_changed(server: &ServerName, old: &Catalog, new: &Catalog) {
    if !tracing::enabled!(tracing::Level::INFO) {
        return;
    }
    for contract in &new.contracts {
        let Some(before) = old.get(contract.name.as_str()) else { continue };
        let [old_hash, new_hash] =
            [before, contract].map(|contract| contract.output_schema_hash().map(|hash| hash.as_str()));
        if old_hash == new_hash {
            continue;
        }
        let worst = match (before.output_schema(), contract.output_schema()) {
            (Some(old), Some(new)) => {
                diff_schemas(old, new, Role::Output).into_iter().max_by_key(|change| change.level)
            }
            _ => None,
        };
        tracing::info!(
            event = "mortise.output_schema.changed",
            %server,
            tool = contract.name.as_str(),
            old_hash,
            new_hash,
            worst_rule = worst.map(|change| change.rule.id()),
            "an output schema changed"
        );
    }
}

/// Output schemas that can't be used, by tool and hash.
#[derive(Debug, Default)]
pub(crate) struct RejectedSchemas {
    known: Mutex<HashSet<(String, String)>>,
}

impl RejectedSchemas {
    /// The most that are remembered. Further ones are not logged.
    const MOST: usize = 1_000;

    /// Logs once that the results of a tool can't be checked.
    pub(crate) fn log(&self, server: &ServerName, contract: &Contract, error: &SchemaError) {
        let tool = contract.name.as_str();
        let hash = contract.output_schema_hash().map(|hash| hash.as_str()).unwrap_or_default();
        let mut known = self.known.lock();
        if known.len() >= Self::MOST || !known.insert((tool.to_owned(), hash.to_owned())) {
            return;
        }
        tracing::warn!(
            event = "mortise.output_schema.rejected",
            %server,
            tool,
            hash,
            reason = error.word(),
            pointer = error.pointer(),
            "an output schema can't be used"
        );
    }
}
