//! Lists of tools on disk: what a server listed the last time, for the seconds in which it starts.
//!
//! A file is found by the hash of the server's configuration, so that another command, address or token means another
//! file. It holds the tools and nothing of the configuration; a list in which the server repeats a secret is not
//! written.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::{Contract, RawJson, ServerName};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::json;

use crate::catalog::Catalog;
use crate::content_hash::ContentHash;
use crate::limits;
use crate::pool::PoolOptions;
use crate::private_file::{self, PrivateFileError};
use crate::secret::Secrets;
use crate::server_config::ServerConfig;
use crate::server_key::server_key;
use crate::wall_clock::seconds_since_1970;

/// The version of the files.
const VERSION: u64 = 1;
const _: () = assert!(limits::CACHED_LIST_BYTES as u64 <= private_file::MAX_BYTES);

/// A directory with one private file for each configured server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogCache {
    directory: PathBuf,
}

impl CatalogCache {
    /// A cache in this directory, which is made when the first list is written.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The file of a server; `None` for a server inside this process that does not say which it is, or that can't be
    /// used.
    pub(crate) fn entry(&self, config: &ServerConfig, options: &PoolOptions) -> Option<CachedCatalog> {
        let key = server_key(config, options)?;
        let (directory, server) = (self.directory.clone(), config.name.clone());
        Some(CachedCatalog { path: directory.join(format!("{key}.json")), server, written: Mutex::default() })
    }
}

/// What is known about a server from the last time that its tools were listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenCatalog {
    /// How many tools it listed.
    pub tools: usize,
    /// The time since the list was read.
    pub age: Duration,
}

impl CatalogCache {
    /// What a server listed the last time, without starting it; `None` where that is not known.
    pub fn seen(&self, config: &ServerConfig, options: &PoolOptions) -> Option<SeenCatalog> {
        let entry = self.entry(config, options)?;
        let file = RawJson::parse(&private_file::read_secret(&entry.path).ok()??).ok()?;
        let tools = file.member("tools")?.elements().ok()?.len();
        let read_at = file.member("read_at")?.value().ok()?.as_u64()?;
        Some(SeenCatalog { tools, age: Duration::from_secs(seconds_since_1970().saturating_sub(read_at)) })
    }

    /// The tools that a server listed the last time, without starting it; `None` where they are not known.
    pub fn tools(&self, config: &ServerConfig, options: &PoolOptions) -> Option<Vec<Arc<Contract>>> {
        Some(self.entry(config, options)?.read()?.contracts)
    }

    /// Writes down what a server lists, for a process that does not use the cache itself. Blocks.
    pub fn remember(&self, config: &ServerConfig, options: &PoolOptions, catalog: &Catalog) {
        if let Some(entry) = self.entry(config, options) {
            entry.write(catalog, &Secrets::of(config));
        }
    }
}

/// The cached list of one server.
#[derive(Debug)]
pub(crate) struct CachedCatalog {
    path: PathBuf,
    server: ServerName,
    /// The digest of what this process wrote last.
    written: Mutex<Option<ContentHash>>,
}

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
enum CacheError {
    #[error(transparent)]
    File(#[from] PrivateFileError),
    #[error("`{}` is not a list of tools that this version wrote", path.display())]
    Damaged { path: PathBuf },
    #[error("the list can't be written as JSON")]
    Encode(#[source] serde_json::Error),
}

/// What a file holds, as it is written.
#[derive(Serialize)]
struct CacheFile<'a> {
    version: u64,
    server: &'a str,
    read_at: u64,
    digest: &'a str,
    tools: &'a RawJson,
}

impl CachedCatalog {
    /// The tools as they were listed the last time; `None` where they are not known. A file that can't be used is
    /// logged and left to be overwritten.
    pub(crate) fn read(&self) -> Option<Catalog> {
        match self.read_file() {
            Ok(catalog) => catalog,
            Err(error) => {
                let (server, error) = (&self.server, &error as &dyn std::error::Error);
                tracing::warn!(event = "mortise.catalog_cache.ignored", %server, error, "a cached list is not used");
                None
            }
        }
    }

    fn read_file(&self) -> Result<Option<Catalog>, CacheError> {
        let Some(text) = private_file::read_secret(&self.path)? else { return Ok(None) };
        let damaged = || CacheError::Damaged { path: self.path.clone() };
        let file = RawJson::parse(&text).map_err(|_| damaged())?;
        let member = |name: &str| file.member(name).and_then(|member| member.value().ok());
        let tools = file.member("tools").ok_or_else(damaged)?;
        let is_complete = member("version") == Some(json!(VERSION))
            && member("server") == Some(json!(self.server.as_str()))
            && member("digest") == Some(json!(ContentHash::of(tools.text().as_bytes()).as_str()));
        let read_at = member("read_at").and_then(|seconds| seconds.as_u64());
        let (true, Some(read_at), Ok(elements)) = (is_complete, read_at, tools.elements()) else {
            return Err(damaged());
        };
        let age = Duration::from_secs(seconds_since_1970().saturating_sub(read_at));
        Ok(Some(Catalog::cached(&self.server, elements, age)))
    }

    /// Writes a list down, unless it was written already, repeats a secret or is too large. Blocks.
    pub(crate) fn write(&self, catalog: &Catalog, secrets: &Secrets) {
        if let Err(error) = self.write_file(catalog, secrets) {
            let (server, error) = (&self.server, &error as &dyn std::error::Error);
            tracing::warn!(event = "mortise.catalog_cache.unwritten", %server, error, "a list is not cached");
        }
    }

    fn write_file(&self, catalog: &Catalog, secrets: &Secrets) -> Result<(), CacheError> {
        let tools = RawJson::array(catalog.contracts.iter().map(|contract| &contract.raw));
        let digest = ContentHash::of(tools.text().as_bytes());
        let mut written = self.written.lock();
        if written.as_ref() == Some(&digest) {
            return Ok(());
        }
        let file = CacheFile {
            version: VERSION,
            server: self.server.as_str(),
            read_at: seconds_since_1970(),
            digest: digest.as_str(),
            tools: &tools,
        };
        let text = serde_json::to_string(&file).map_err(CacheError::Encode)? + "\n";
        let is_secret = matches!(secrets.hide(tools.text()), Cow::Owned(_));
        if is_secret || text.len() > limits::CACHED_LIST_BYTES {
            let (server, bytes) = (&self.server, text.len());
            tracing::debug!(%server, bytes, is_secret, "a list is not cached");
            private_file::remove(&self.path)?;
        } else {
            private_file::write(&self.path, &text)?;
            private_file::keep_newest(&self.path, limits::CACHED_LISTS);
        }
        *written = Some(digest);
        Ok(())
    }
}

#[cfg(test)]
#[cfg(feature = "http")]
mod tests;
