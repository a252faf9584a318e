//! Loads the compiled interpreter: mapped from a cache file where that is safe, else inflated into memory.
#![expect(unsafe_code, reason = "wasmtime trusts compiled modules; here is where we see to it that it can")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mortise_contract::text::error_chain;
use wasmtime::{Engine, Module};

use super::cache::{ImageCacheError, ModuleCache};
use super::interpreter::IMAGE;

/// Where the compiled interpreter came from.
#[derive(Clone, Debug)]
pub struct ModuleStatus {
    /// The cache file it is mapped from; `None` means that it was inflated into memory.
    pub mapped_from: Option<PathBuf>,
    /// Why the cache is not used, if it was wanted and can't be.
    pub problem: Option<String>,
    /// How long loading took.
    pub load_time: Duration,
    /// Size of the compiled interpreter.
    pub bytes: u64,
}

/// Loads the interpreter, through the cache in `directory` if there is one and it is sound.
pub(super) fn load_module(
    engine: &Engine,
    directory: Option<&Path>,
) -> wasmtime::Result<(Module, ModuleStatus)> {
    let start = Instant::now();
    let mut status =
        ModuleStatus { mapped_from: None, problem: None, load_time: Duration::ZERO, bytes: IMAGE.length };
    let cached = directory.map(|directory| map_cached(engine, &ModuleCache::new(directory, &IMAGE)));
    let module = match cached {
        Some(Ok((module, path))) => {
            status.mapped_from = Some(path);
            module
        }
        other => {
            status.problem = other.and_then(Result::err).map(|error| error_chain(&error));
            inflate_module(engine)?
        }
    };
    status.load_time = start.elapsed();
    Ok((module, status))
}

fn map_cached(engine: &Engine, cache: &ModuleCache<'_>) -> Result<(Module, PathBuf), ImageCacheError> {
    let file = cache.open()?;
    let path = cache.path().to_owned();
    // SAFETY: the file is ours, in a directory that is ours alone, and it is byte for byte what the binary holds,
    // which this build compiled for this engine. Nobody else can write to it, and we only ever replace it.
    match unsafe { Module::deserialize_open_file(engine, file) } {
        Ok(module) => Ok((module, path)),
        Err(error) => Err(ImageCacheError::Refused { path, reason: format!("{error:#}") }),
    }
}

/// Loads the interpreter without a cache file.
fn inflate_module(engine: &Engine) -> wasmtime::Result<Module> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = memory_file() {
        // SAFETY: the file has no name, was inflated from what this build compiled for this engine, and is sealed:
        // nothing can write to it any more.
        if let Ok(module) = unsafe { Module::deserialize_open_file(engine, file) } {
            return Ok(module);
        }
    }
    let mut bytes = Vec::with_capacity(usize::try_from(IMAGE.length).unwrap_or_default());
    IMAGE.inflate(&mut bytes)?;
    // SAFETY: these bytes are what this build compiled for this engine.
    unsafe { Module::deserialize(engine, &bytes) }
}

/// The inflated interpreter in a file without a name, the same for all engines of the process. wasmtime maps its parts
/// instead of copying them.
#[cfg(target_os = "linux")]
fn memory_file() -> std::io::Result<std::fs::File> {
    use parking_lot::Mutex;
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    static INFLATED: Mutex<Option<std::fs::File>> = Mutex::new(None);
    let mut inflated = INFLATED.lock();
    if let Some(file) = &*inflated {
        return file.try_clone();
    }
    let file = memfd_create("mortise-python", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = std::fs::File::from(file);
    IMAGE.inflate(&mut file)?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    inflated.insert(file).try_clone()
}
