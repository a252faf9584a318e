//! Loads the compiled interpreter: mapped from a cache file where that is safe, else copied out of the binary.
#![expect(unsafe_code, reason = "wasmtime trusts compiled modules; here is where we see to it that it can")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wasmtime::{Engine, Module};

use super::cache::{CacheError, ModuleCache};

/// Where the compiled interpreter came from.
#[derive(Clone, Debug)]
pub struct ModuleStatus {
    /// The cache file it is mapped from; `None` means it was copied out of the binary.
    pub mapped_from: Option<PathBuf>,
    /// Why the cache is not used, if it was wanted and can't be.
    pub problem: Option<String>,
    /// How long loading took.
    pub load_time: Duration,
    /// Size of the compiled interpreter.
    pub bytes: usize,
}

/// Loads the interpreter, through the cache in `directory` if there is one and it is sound.
pub(super) fn load(engine: &Engine, directory: Option<&Path>) -> wasmtime::Result<(Module, ModuleStatus)> {
    let start = Instant::now();
    let embedded = bashkit_cpython_wasm::cwasm_bytes();
    let mut status =
        ModuleStatus { mapped_from: None, problem: None, load_time: Duration::ZERO, bytes: embedded.len() };
    let cached = directory.map(|directory| map(engine, &ModuleCache::new(directory, embedded)));
    let module = match cached {
        Some(Ok((module, path))) => {
            status.mapped_from = Some(path);
            module
        }
        other => {
            status.problem = other.and_then(Result::err);
            bashkit_cpython_wasm::load_module(engine)?
        }
    };
    status.load_time = start.elapsed();
    Ok((module, status))
}

fn map(engine: &Engine, cache: &ModuleCache<'_>) -> Result<(Module, PathBuf), String> {
    let file = cache.open().map_err(|error| describe(&error))?;
    // SAFETY: the file is ours, in a directory that is ours alone, and it is byte for byte what the binary holds,
    // which this build compiled for this engine. Nobody else can write to it, and we only ever replace it.
    let module = unsafe { Module::deserialize_open_file(engine, file) };
    module.map(|module| (module, cache.path().to_owned())).map_err(|error| format!("{error:#}"))
}

fn describe(error: &CacheError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
