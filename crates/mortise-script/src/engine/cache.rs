//! The file from which the compiled interpreter is mapped.
//!
//! Mapping saves 50 ms and 70 MB over copying, but the file is machine code: it is used only if nobody else can
//! have written it and its bytes are those in the binary. Comparing 47 MB would cost what mapping saves, so a file
//! that was compared once gets a stamp with its identity; any change to the file makes the stamp stale.

use std::fs::File;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

/// One module's place in the cache directory.
pub(super) struct ModuleCache<'a> {
    directory: &'a Path,
    path: PathBuf,
    stamp: PathBuf,
    content: &'a [u8],
}

/// Why the cache can't be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum CacheError {
    /// The platform has no way to make sure of it.
    #[cfg_attr(unix, expect(dead_code, reason = "only built where files have no owner"))]
    #[error("mapping is not supported on this platform")]
    Unsupported,
    /// Somebody else could have written it.
    #[error("`{}` is not a private {kind} of this user", path.display())]
    NotPrivate {
        /// The file or directory.
        path: PathBuf,
        /// `file` or `directory`.
        kind: &'static str,
    },
    /// The file is not the module.
    #[error("`{}` does not hold what it should", path.display())]
    Different {
        /// The file.
        path: PathBuf,
    },
    /// The system refused something.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// How cache files begin, and how they end.
const PREFIX: &str = "python-";
const MODULE: &str = ".cwasm";
const STAMP: &str = ".stamp";

impl<'a> ModuleCache<'a> {
    /// The place for a module with this content.
    pub(super) fn new(directory: &'a Path, content: &'a [u8]) -> Self {
        let name = format!("{PREFIX}{}-{}", bashkit_cpython_wasm::PYTHON_VERSION, fingerprint(content));
        let path = directory.join(format!("{name}{MODULE}"));
        let stamp = directory.join(format!("{name}{STAMP}"));
        Self { directory, path, stamp, content }
    }

    /// The file itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file, sound and private; writes it first if it is missing or broken.
    #[cfg(unix)]
    pub(super) fn open(&self) -> Result<File, CacheError> {
        self.prepare_directory()?;
        match self.open_existing() {
            Ok(file) => Ok(file),
            Err(_) => {
                let written = self.write();
                if written.is_ok() {
                    self.remove_others();
                }
                // Another process may have written it meanwhile, and got in the way of ours.
                self.open_existing().map_err(|error| written.err().unwrap_or(error))
            }
        }
    }

    /// Nothing here tells us who can write a file.
    #[cfg(not(unix))]
    pub(super) fn open(&self) -> Result<File, CacheError> {
        let _ = (self.directory, &self.stamp, self.content, STAMP);
        Err(CacheError::Unsupported)
    }
}

#[cfg(unix)]
impl ModuleCache<'_> {
    fn prepare_directory(&self) -> Result<(), CacheError> {
        use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
        let failed =
            |action| move |source| CacheError::Io { action, path: self.directory.to_owned(), source };
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(self.directory).map_err(failed("create"))?;
        let metadata = std::fs::symlink_metadata(self.directory).map_err(failed("look at"))?;
        if !metadata.is_dir() || metadata.uid() != own_user() {
            return Err(CacheError::NotPrivate { path: self.directory.to_owned(), kind: "directory" });
        }
        if metadata.mode() & 0o077 != 0 {
            let private = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(self.directory, private).map_err(failed("make private"))?;
        }
        Ok(())
    }

    fn open_existing(&self) -> Result<File, CacheError> {
        use std::os::unix::fs::MetadataExt as _;
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::CLOEXEC;
        let file = rustix::fs::open(&self.path, flags, rustix::fs::Mode::empty())
            .map_err(|errno| self.failed("open")(errno.into()))?;
        let file = File::from(file);
        let metadata = file.metadata().map_err(self.failed("look at"))?;
        if !metadata.is_file() || metadata.uid() != own_user() || metadata.mode() & 0o077 != 0 {
            return Err(CacheError::NotPrivate { path: self.path.clone(), kind: "file" });
        }
        let identity = identity(&metadata);
        if std::fs::read_to_string(&self.stamp).is_ok_and(|stamp| stamp == identity) {
            return Ok(file);
        }
        self.compare(&file)?;
        // Without the stamp the next start compares again, and that is all.
        let _ = self.write_file(&self.stamp, identity.as_bytes());
        Ok(file)
    }

    /// Whether the file holds the module, byte for byte.
    fn compare(&self, file: &File) -> Result<(), CacheError> {
        use std::os::unix::fs::FileExt as _;
        let length = file.metadata().map_err(self.failed("look at"))?.len();
        let mut buffer = vec![0; 1 << 20];
        let mut same = length == self.content.len() as u64;
        let mut offset = 0;
        for expected in self.content.chunks(buffer.len()) {
            same = same && {
                let read = &mut buffer[..expected.len()];
                file.read_exact_at(read, offset).map_err(self.failed("read"))?;
                read == expected
            };
            offset += expected.len() as u64;
        }
        if same { Ok(()) } else { Err(CacheError::Different { path: self.path.clone() }) }
    }

    fn write(&self) -> Result<(), CacheError> {
        self.write_file(&self.path, self.content)
    }

    /// Writes beside the file and renames: whoever has the old file mapped keeps it, nobody sees half a file.
    fn write_file(&self, path: &Path, content: &[u8]) -> Result<(), CacheError> {
        use std::io::Write as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.new", std::process::id()));
        // What a killed process with our number left behind.
        let _ = std::fs::remove_file(&temporary);
        let mut options = File::options();
        let written = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .and_then(|mut file| {
                file.write_all(content)?;
                file.sync_all()
            })
            .and_then(|()| std::fs::rename(&temporary, path));
        if written.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        written.map_err(self.failed("write"))
    }

    /// Removes modules of other versions, and what killed processes left. A process that has one mapped keeps it.
    fn remove_others(&self) {
        let Ok(entries) = std::fs::read_dir(self.directory) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            let is_ours = name.to_str().is_some_and(|name| {
                name.starts_with(PREFIX) && [MODULE, STAMP, ".new"].iter().any(|end| name.ends_with(end))
            });
            if is_ours && path != self.path && path != self.stamp {
                // One that can't be removed takes space, and nothing else.
                let _ = std::fs::remove_file(path);
            }
        }
    }

    fn failed(&self, action: &'static str) -> impl Fn(std::io::Error) -> CacheError {
        let path = self.path.clone();
        move |source| CacheError::Io { action, path: path.clone(), source }
    }
}

/// What changes whenever a file is replaced or written to.
#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    format!(
        "{} {} {} {}.{} {}.{}",
        metadata.dev(),
        metadata.ino(),
        metadata.len(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec()
    )
}

#[cfg(unix)]
fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Tells modules apart by a sample: hashing all of one takes longer than copying it. Whether a file really holds
/// the module is decided by comparing.
fn fingerprint(content: &[u8]) -> String {
    const SAMPLES: usize = 64;
    const SAMPLE: usize = 1024;
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update(content.len().to_le_bytes());
    for index in 0..SAMPLES {
        let start = content.len() / SAMPLES * index;
        hash.update(&content[start..content.len().min(start + SAMPLE)]);
    }
    hash.update(&content[content.len().saturating_sub(SAMPLE)..]);
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
