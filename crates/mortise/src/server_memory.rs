//! What is known about configured servers from the last time, without starting or contacting them.
//!
//! Lists of tools are those that `mortise serve` keeps too. Beside them is a list of addresses that wanted a login.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use mortise_client::server_config::{ServerConfig, Transport};
use mortise_client::{
    CatalogCache, ConnectError, ContentHash, PoolOptions, SeenCatalog, Upstream, private_file,
};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::failure::upstream::Unusable;
use crate::known_tools;

/// A list that is younger than this and as long as before is not written again.
const FRESH: Duration = Duration::from_secs(3_600);
/// Addresses that are kept.
const KEPT: usize = 256;

/// The files in the cache directory.
#[derive(Debug)]
pub(crate) struct ServerMemory {
    catalogs: CatalogCache,
    options: PoolOptions,
    refused: PathBuf,
}

/// Addresses that wanted a login the last time, by their hash.
#[derive(Default, Serialize, Deserialize)]
struct RefusedFile {
    version: u32,
    refused: BTreeSet<String>,
}

impl ServerMemory {
    const VERSION: u32 = 1;

    /// The memory of this user; `None` without a cache directory.
    pub(crate) fn open(app: &App) -> Option<Self> {
        let cache = app.environment.cache_directory.as_ref()?;
        Some(Self {
            catalogs: known_tools::cache(&app.environment)?,
            options: PoolOptions::new(app.environment.clone()),
            refused: cache.join("logins-wanted.json"),
        })
    }

    /// What a server listed the last time.
    pub(crate) fn seen(&self, config: &ServerConfig) -> Option<SeenCatalog> {
        self.catalogs.seen(config, &self.options)
    }

    /// Whether a server wanted a login the last time.
    pub(crate) fn wants_login(&self, config: &ServerConfig) -> bool {
        address(config).is_some_and(|address| self.read().refused.contains(&address))
    }

    /// Writes down what came of connecting to a server. What can't be written is not missed.
    pub(crate) fn remember(&self, upstream: &Upstream, error: Option<&Unusable>) {
        let config = upstream.config();
        let is_refused = matches!(error, Some(Unusable::NotConnected(ConnectError::AuthRequired { .. })));
        if is_refused || error.is_none() {
            self.note_login(config, is_refused);
        }
        if error.is_none() {
            let catalog = upstream.catalog();
            let count = catalog.contracts.len();
            let is_fresh = |seen: SeenCatalog| seen.tools == count && seen.age < FRESH;
            if !self.seen(config).is_some_and(is_fresh) {
                self.catalogs.remember(config, &self.options, &catalog);
            }
        }
    }

    /// Writes down whether an address wants a login.
    pub(crate) fn note_login(&self, config: &ServerConfig, is_wanted: bool) {
        let Some(address) = address(config) else { return };
        let mut file = self.read();
        let is_changed = match is_wanted {
            true => file.refused.len() < KEPT && file.refused.insert(address),
            false => file.refused.remove(&address),
        };
        if is_changed && let Ok(text) = serde_json::to_string(&RefusedFile { version: Self::VERSION, ..file })
        {
            _ = private_file::write(&self.refused, &text);
        }
    }

    fn read(&self) -> RefusedFile {
        let text = private_file::read_secret(&self.refused).ok().flatten();
        let file: Option<RefusedFile> = text.and_then(|text| serde_json::from_str(&text).ok());
        file.filter(|file| file.version == Self::VERSION).unwrap_or_default()
    }
}

fn address(config: &ServerConfig) -> Option<String> {
    match &config.transport {
        Transport::Http(http) => Some(ContentHash::of(http.url.as_bytes()).to_string()),
        _ => None,
    }
}
