//! The file from which the compiled interpreter is mapped.
//!
//! Mapping saves the time and the memory of inflating, but the file is machine code: it is used only if no other user
//! can have written it and its bytes are those of the image in the binary. Comparing 47 MB would cost what mapping
//! saves. So a file that was written or compared gets a stamp with its identity; any change to the file makes the stamp
//! stale.

use std::fs::File;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(unix)]
use mortise_contract::file_access::FileAccess;

use super::interpreter::{InterpreterImage, PYTHON_VERSION};

/// One module's place in the cache directory.
pub(super) struct ModuleCache<'a> {
    directory: &'a Path,
    path: PathBuf,
    stamp: PathBuf,
    image: &'a InterpreterImage<'a>,
}

/// Why the cache can't be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ImageCacheError {
    /// The platform does not say who can write a file.
    #[cfg_attr(unix, expect(dead_code, reason = "only built where files have no owner"))]
    #[error("mapping is not supported on this platform")]
    Unsupported,
    /// Another user could have written it.
    #[error("`{}` is not a private {kind} of this user", path.display())]
    NotPrivate { path: PathBuf, kind: &'static str },
    #[error("`{}` does not hold what it should", path.display())]
    Different { path: PathBuf },
    #[error("cannot load `{}`: {reason}", path.display())]
    Refused { path: PathBuf, reason: String },
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// How cache files begin, and how they end.
const PREFIX: &str = "python-";
const MODULE: &str = ".cwasm";
const STAMP: &str = ".stamp";
/// Digits of the image's digest in the names: they tell images apart, and comparing decides whether a file holds one.
const DIGITS: usize = 16;

impl<'a> ModuleCache<'a> {
    pub(super) fn new(directory: &'a Path, image: &'a InterpreterImage<'a>) -> Self {
        let name = format!("{PREFIX}{PYTHON_VERSION}-{}", &image.digest[..DIGITS]);
        let path = directory.join(format!("{name}{MODULE}"));
        let stamp = directory.join(format!("{name}{STAMP}"));
        Self { directory, path, stamp, image }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file, sound and private; writes it first if it is missing or broken.
    #[cfg(unix)]
    pub(super) fn open(&self) -> Result<File, ImageCacheError> {
        self.prepare_directory()?;
        match self.open_existing() {
            Ok(file) => Ok(file),
            Err(_) => {
                let written = self.write_module();
                if written.is_ok() {
                    self.remove_others();
                }
                // Another process may have written it meanwhile, and got in the way of ours.
                self.open_existing().map_err(|error| written.err().unwrap_or(error))
            }
        }
    }

    /// This system does not say who can write a file.
    #[cfg(not(unix))]
    pub(super) fn open(&self) -> Result<File, ImageCacheError> {
        let _ = (self.directory, &self.stamp, self.image);
        Err(ImageCacheError::Unsupported)
    }
}

#[cfg(unix)]
impl ModuleCache<'_> {
    fn prepare_directory(&self) -> Result<(), ImageCacheError> {
        use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
        let failed =
            |action| move |source| ImageCacheError::Io { action, path: self.directory.to_owned(), source };
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(self.directory).map_err(failed("create"))?;
        let metadata = std::fs::symlink_metadata(self.directory).map_err(failed("look at"))?;
        let access = access(&metadata);
        if !metadata.is_dir() || access.is_foreign_to(own_user()) {
            return Err(ImageCacheError::NotPrivate { path: self.directory.to_owned(), kind: "directory" });
        }
        if access.is_open_to_others() {
            let private = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(self.directory, private).map_err(failed("make private"))?;
        }
        Ok(())
    }

    fn open_existing(&self) -> Result<File, ImageCacheError> {
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::CLOEXEC;
        let file = rustix::fs::open(&self.path, flags, rustix::fs::Mode::empty())
            .map_err(|errno| self.failed("open")(errno.into()))?;
        let file = File::from(file);
        let metadata = file.metadata().map_err(self.failed("look at"))?;
        let access = access(&metadata);
        if !metadata.is_file() || access.is_foreign_to(own_user()) || access.is_open_to_others() {
            return Err(ImageCacheError::NotPrivate { path: self.path.clone(), kind: "file" });
        }
        let identity = identity(&metadata);
        if std::fs::read_to_string(&self.stamp).is_ok_and(|stamp| stamp == identity) {
            return Ok(file);
        }
        self.compare(&file)?;
        self.write_stamp(&metadata);
        Ok(file)
    }

    /// Whether the file holds the module, byte for byte.
    fn compare(&self, file: &File) -> Result<(), ImageCacheError> {
        use std::io::Read as _;
        let read = || {
            let mut image = self.image.reader()?;
            let (mut expected, mut found) = (vec![0; CHUNK], vec![0; CHUNK]);
            let mut left = self.image.length;
            while left > 0 {
                let length = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
                image.read_exact(&mut expected[..length])?;
                (&*file).read_exact(&mut found[..length])?;
                if expected[..length] != found[..length] {
                    return Ok(false);
                }
                left -= length as u64;
            }
            Ok(true)
        };
        let length = file.metadata().map_err(self.failed("look at"))?.len();
        let is_same = length == self.image.length && read().map_err(self.failed("read"))?;
        if is_same { Ok(()) } else { Err(ImageCacheError::Different { path: self.path.clone() }) }
    }

    fn write_module(&self) -> Result<(), ImageCacheError> {
        let file = self.write_file(&self.path, |file| self.image.inflate(file))?;
        let metadata = file.metadata().map_err(self.failed("look at"))?;
        self.write_stamp(&metadata);
        Ok(())
    }

    /// Without the stamp the next start compares again, and that is all.
    fn write_stamp(&self, metadata: &std::fs::Metadata) {
        use std::io::Write as _;
        let identity = identity(metadata);
        let _ = self.write_file(&self.stamp, |file| file.write_all(identity.as_bytes()));
    }

    /// Writes beside the file and renames: a process that has the old file mapped keeps it, and none sees half a file.
    fn write_file(
        &self,
        path: &Path,
        write: impl FnOnce(&mut File) -> std::io::Result<()>,
    ) -> Result<File, ImageCacheError> {
        use std::os::unix::fs::OpenOptionsExt as _;
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.new", std::process::id()));
        // What a killed process with our number left behind.
        let _ = std::fs::remove_file(&temporary);
        let mut options = File::options();
        let written =
            options.write(true).create_new(true).mode(0o600).open(&temporary).and_then(|mut file| {
                write(&mut file)?;
                file.sync_all()?;
                std::fs::rename(&temporary, path)?;
                Ok(file)
            });
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

    fn failed(&self, action: &'static str) -> impl Fn(std::io::Error) -> ImageCacheError {
        let path = self.path.clone();
        move |source| ImageCacheError::Io { action, path: path.clone(), source }
    }
}

/// Bytes that are compared at once.
#[cfg(unix)]
const CHUNK: usize = 1 << 20;

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
fn access(metadata: &std::fs::Metadata) -> FileAccess {
    use std::os::unix::fs::MetadataExt as _;
    FileAccess { owner: metadata.uid(), mode: metadata.mode() }
}

#[cfg(unix)]
fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
