//! A file in a package. Packages of the same files have the same bytes: no times, no owners, a fixed order.

use flate2::Compression;

/// One file to pack.
pub(super) struct PackageEntry {
    /// The path inside the package, with `/`.
    pub(super) path: String,
    pub(super) kind: EntryKind,
    pub(super) bytes: Vec<u8>,
}

/// Whether a file can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Plain,
    Program,
}

impl PackageEntry {
    pub(super) fn plain(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), kind: EntryKind::Plain, bytes: bytes.into() }
    }

    pub(super) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), kind: EntryKind::Program, bytes: bytes.into() }
    }

    /// The permissions after unpacking.
    pub(super) fn mode(&self) -> u32 {
        match self.kind {
            EntryKind::Plain => 0o644,
            EntryKind::Program => 0o755,
        }
    }
}

/// How much work goes into making packages small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Stored,
    Best,
}

impl Packing {
    pub(super) fn new(is_stored: bool) -> Self {
        if is_stored { Self::Stored } else { Self::Best }
    }

    pub(super) fn level(self) -> Compression {
        match self {
            Self::Stored => Compression::none(),
            Self::Best => Compression::best(),
        }
    }
}
