//! What the lock file decides about tools.

use std::collections::HashMap;
use std::sync::Arc;

use mortise_client::Upstream;
use mortise_client::lock_record::LockRecorder;
use mortise_contract::Contract;
use mortise_contract::LockMode;
use mortise_contract::lock::{Deviation, RecordedTools};

use crate::registry::ToolSnapshot;

/// Log lines about tools of one rebuild; the rest are counted.
const LOGGED: usize = 20;

/// What the lock file records, and what happens to tools that are not like that.
#[derive(Clone, Debug)]
pub struct LockPolicy {
    mode: LockMode,
    recorded: RecordedTools,
}

impl Default for LockPolicy {
    /// No tool is compared with anything.
    fn default() -> Self {
        Self { mode: LockMode::Off, recorded: RecordedTools::default() }
    }
}

impl LockPolicy {
    /// Compares tools with `recorded`, unless the mode is [`LockMode::Off`].
    pub fn new(mode: LockMode, recorded: RecordedTools) -> Self {
        Self { mode, recorded }
    }

    /// Compares the tools of the server `called` with the entry of `recorded`: the file has the name that is
    /// configured, and an agent may read another.
    pub fn rename(&mut self, recorded: &str, called: &str) {
        self.recorded.rename(recorded, called);
    }

    /// Whether tools that differ are held back.
    pub fn is_enforced(&self) -> bool {
        self.mode == LockMode::Enforce
    }

    /// How each of these tools of one server differs from its record.
    pub fn deviations(&self, upstream: &Upstream, tools: &[Arc<Contract>]) -> Vec<Option<Arc<Deviation>>> {
        if self.mode == LockMode::Off {
            return vec![None; tools.len()];
        }
        let mut recorder = LockRecorder::new(upstream.secrets());
        let server = upstream.name().as_str();
        let mut deviation = |contract: &Arc<Contract>| {
            let declared = recorder.tool(contract);
            self.recorded.deviation(server, contract.name.as_str(), &declared).map(Arc::new)
        };
        tools.iter().map(&mut deviation).collect()
    }

    /// Why a tool is held back that its server declares like this.
    pub(crate) fn held_now(&self, upstream: &Upstream, declared: &Arc<Contract>) -> Option<Arc<Deviation>> {
        if !self.is_enforced() {
            return None;
        }
        self.deviations(upstream, std::slice::from_ref(declared)).pop().flatten()
    }
}

/// What a model reads about a tool that is held back.
pub(crate) fn held_back(name: &str, deviation: &Deviation) -> String {
    format!(
        "'{name}' is held back: {}. The operator can look at it with `mortise diff` and accept it with `mortise lock`.",
        deviation.sentence()
    )
}

/// Says which tools deviate that did not, or not like this, before.
pub(crate) fn log_deviations(old: &ToolSnapshot, new: &ToolSnapshot) {
    let known: HashMap<&str, &Arc<Deviation>> = old.deviations().collect();
    let mut logged = 0;
    for (callable, deviation) in new.deviations() {
        if known.get(callable).is_some_and(|known| *known == deviation) {
            continue;
        }
        logged += 1;
        if logged > LOGGED {
            continue;
        }
        let detail = deviation.detail();
        match new.held(callable) {
            Some(_) => tracing::warn!(
                event = "mortise.lock.held",
                tool = callable,
                detail,
                "a tool is held back until `mortise lock` records it"
            ),
            None => tracing::warn!(
                event = "mortise.lock.changed",
                tool = callable,
                detail,
                "a tool is not as the lock file records it"
            ),
        }
    }
    if let Some(more @ 1..) = usize::checked_sub(logged, LOGGED) {
        tracing::warn!(event = "mortise.lock.more", more, "more tools are not as the lock file records them");
    }
}
