//! Compiled schemas, kept by content.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::{CompiledSchema, SchemaError, SchemaHash, SchemaOptions};

/// Compiled schemas by hash and options, bounded; the least recently used goes first.
///
/// A schema that can't be compiled is remembered with its error, so that it
/// costs once. Safe to share between threads; a lookup does not wait for a
/// compilation on another thread, and nothing is compiled before it is asked for.
///
/// ```
/// use mortise_contract::SchemaCache;
/// use mortise_contract::schema::SchemaOptions;
/// use serde_json::json;
///
/// let cache = SchemaCache::default();
/// let options = SchemaOptions::default();
/// cache.get(&json!({"type": "object", "title": "T"}), &options)?;
/// cache.get(&json!({"title": "T", "type": "object"}), &options)?;
/// assert_eq!(cache.compilations(), 1);
/// # Ok::<(), mortise_contract::schema::SchemaError>(())
/// ```
#[derive(Debug)]
pub struct SchemaCache {
    capacity: usize,
    state: Mutex<CacheState>,
}

#[derive(Debug, Default)]
struct CacheState {
    entries: HashMap<CacheKey, CacheEntry>,
    /// Counts lookups; an entry's stamp says when it was last used.
    clock: u64,
    compilations: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct CacheKey(SchemaHash, SchemaOptions);

impl Hash for CacheKey {
    /// The schema's hash is as good as any; its beginning is enough to find the place.
    fn hash<H: Hasher>(&self, state: &mut H) {
        const BEGINNING: usize = 16;
        let hash = self.0.as_str();
        state.write(hash.as_bytes().get(..BEGINNING).unwrap_or(hash.as_bytes()));
    }
}

#[derive(Debug)]
struct CacheEntry {
    compiled: Result<Arc<CompiledSchema>, SchemaError>,
    stamp: u64,
}

impl Default for SchemaCache {
    fn default() -> Self {
        Self::new(crate::limits::SCHEMAS_CACHED)
    }
}

impl SchemaCache {
    /// A cache for `capacity` schemas, at least one.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), state: Mutex::default() }
    }

    /// The compiled form of `schema`, compiled now if it is not here.
    pub fn get(&self, schema: &Value, options: &SchemaOptions) -> Result<Arc<CompiledSchema>, SchemaError> {
        self.get_hashed(&SchemaHash::of(schema), schema, options)
    }

    /// Compiles or finds a schema whose hash is known, which saves most of the cost of a lookup.
    pub(crate) fn get_hashed(
        &self,
        hash: &SchemaHash,
        schema: &Value,
        options: &SchemaOptions,
    ) -> Result<Arc<CompiledSchema>, SchemaError> {
        if let Some(found) = self.known(hash, options) {
            return found;
        }
        let key = CacheKey(hash.clone(), options.clone());
        let compiled = CompiledSchema::compile_hashed(schema, options, hash.clone()).map(Arc::new);
        self.with_state(|state| state.insert(key, compiled.clone(), self.capacity));
        compiled
    }

    /// A schema that was compiled before, or why it could not be; `None` for one that is not here.
    pub(crate) fn known(
        &self,
        hash: &SchemaHash,
        options: &SchemaOptions,
    ) -> Option<Result<Arc<CompiledSchema>, SchemaError>> {
        let key = CacheKey(hash.clone(), options.clone());
        self.with_state(|state| state.touch(&key))
    }

    /// How many schemas were compiled since the cache was made, failures included.
    pub fn compilations(&self) -> u64 {
        self.with_state(|state| state.compilations)
    }

    /// How many schemas are here.
    pub fn len(&self) -> usize {
        self.with_state(|state| state.entries.len())
    }

    /// Whether nothing is here.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn with_state<T>(&self, action: impl FnOnce(&mut CacheState) -> T) -> T {
        // The state is whole between any two statements, so a poisoned lock is still good.
        action(&mut self.state.lock())
    }
}

impl CacheState {
    fn touch(&mut self, key: &CacheKey) -> Option<Result<Arc<CompiledSchema>, SchemaError>> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.stamp = self.clock;
        Some(entry.compiled.clone())
    }

    fn insert(&mut self, key: CacheKey, compiled: Result<Arc<CompiledSchema>, SchemaError>, capacity: usize) {
        self.compilations += 1;
        if self.entries.len() >= capacity && !self.entries.contains_key(&key) {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.stamp).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.entries.remove(&oldest);
            }
        }
        self.entries.insert(key, CacheEntry { compiled, stamp: self.clock });
    }
}
