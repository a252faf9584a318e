//! An entry of `servers` that can't be used: it is listed with its reason, and everything else goes on.

use mortise_client::server_config::{ServerConfig, Transport, UnusableEntry};
use mortise_contract::ServerName;

use crate::error::{self, Finding};
use crate::located::ConfigPlace;

/// One entry and what is wrong with it.
pub(super) struct LeftOut {
    /// Its name as written; empty where it has none.
    pub(super) name: String,
    pub(super) place: ConfigPlace,
    entry: UnusableEntry,
}

impl LeftOut {
    pub(super) fn new(name: String, place: ConfigPlace, mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| finding.place.position);
        let reasons: Vec<String> =
            findings.iter().map(|finding| format!("{}: {}", finding.place, finding.problem)).collect();
        let entry = UnusableEntry { reason: reasons.join("; "), hints: error::hints(&findings) };
        Self { name, place, entry }
    }

    /// The server that stands for it.
    pub(super) fn server(self, name: ServerName) -> ServerConfig {
        ServerConfig::new(name, Transport::Unusable(self.entry))
    }
}
