//! How far a program is, to show while it runs.

use std::collections::BTreeMap;

use mortise_client::ProgressReport;
use mortise_contract::text::cut;

use crate::inspect;

/// Characters of what a server says about a call.
const SAID: usize = 200;

/// How far a program is: what to show while it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Calls that have ended.
    pub done: usize,
    /// Calls under way, by name.
    pub running: BTreeMap<String, usize>,
    /// What a server said last about a call under way.
    pub said: Option<String>,
    /// What has happened since the last call ended.
    steps: u32,
}

impl RunProgress {
    /// A number that grows with everything that happens: whole when a call ends, a part of one in between.
    pub fn value(&self) -> f64 {
        let steps = f64::from(self.steps);
        self.done as f64 + steps / (steps + 1.0)
    }

    pub(crate) fn started(&mut self, tool: &str) {
        *self.running.entry(tool.to_owned()).or_default() += 1;
        self.steps += 1;
    }

    pub(crate) fn reported(&mut self, tool: &str, report: &ProgressReport) {
        let amount = match report.total {
            Some(total) => format!("{} of {total}", report.progress),
            None => report.progress.to_string(),
        };
        let message = report.message.as_deref().map(|message| format!(", {message}")).unwrap_or_default();
        self.said = Some(cut(inspect::first_line(&format!("{tool}: {amount}{message}")), SAID));
        self.steps += 1;
    }

    /// Says which servers the program waits for before it starts; `None` once it starts.
    pub(crate) fn waits_for(&mut self, servers: Option<&str>) {
        self.said = servers.map(|servers| format!("waiting for {servers} to start"));
        self.steps += 1;
    }

    pub(crate) fn ended(&mut self, tool: &str) {
        self.done += 1;
        self.steps = 0;
        self.said = None;
        if let Some(running) = self.running.get_mut(tool) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(tool);
            }
        }
    }
}
