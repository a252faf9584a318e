//! The platforms that a release has packages for, and what each package manager calls them.

use anyhow::{Context, Result};

/// One platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReleasePlatform {
    /// Rust's name.
    pub(super) target: &'static str,
    /// Node's `process.platform`.
    pub(super) node_os: &'static str,
    /// Node's `process.arch`.
    pub(super) node_cpu: &'static str,
    /// The last part of a wheel's platform tag.
    pub(super) wheel_cpu: &'static str,
    /// What `uname -s` and `uname -m` print.
    pub(super) uname: [&'static str; 2],
    /// The blocks of a Homebrew formula.
    pub(super) brew: [&'static str; 2],
}

/// Every platform of a release. Each is built on itself: the interpreter's machine code is made at build time for the
/// machine that builds.
pub(super) const ALL: [ReleasePlatform; 4] = [
    ReleasePlatform {
        target: "x86_64-unknown-linux-gnu",
        node_os: "linux",
        node_cpu: "x64",
        wheel_cpu: "x86_64",
        uname: ["Linux", "x86_64"],
        brew: ["on_linux", "on_intel"],
    },
    ReleasePlatform {
        target: "aarch64-unknown-linux-gnu",
        node_os: "linux",
        node_cpu: "arm64",
        wheel_cpu: "aarch64",
        uname: ["Linux", "aarch64"],
        brew: ["on_linux", "on_arm"],
    },
    ReleasePlatform {
        target: "x86_64-apple-darwin",
        node_os: "darwin",
        node_cpu: "x64",
        wheel_cpu: "x86_64",
        uname: ["Darwin", "x86_64"],
        brew: ["on_macos", "on_intel"],
    },
    ReleasePlatform {
        target: "aarch64-apple-darwin",
        node_os: "darwin",
        node_cpu: "arm64",
        wheel_cpu: "arm64",
        uname: ["Darwin", "arm64"],
        brew: ["on_macos", "on_arm"],
    },
];

impl ReleasePlatform {
    /// The platform of this machine.
    pub(super) fn here() -> Result<Self> {
        let (os, cpu) = (std::env::consts::OS, std::env::consts::ARCH);
        let system = if os == "macos" { "apple-darwin" } else { "unknown-linux-gnu" };
        let target = format!("{cpu}-{system}");
        let known = ALL.into_iter().find(|platform| platform.target == target);
        known
            .filter(|_| os == "macos" || os == "linux")
            .with_context(|| format!("there are no packages for {os} on {cpu}"))
    }

    pub(super) fn is_linux(&self) -> bool {
        self.node_os == "linux"
    }

    /// The name of the archive, which unpacks into a folder of the same name without `.tar.gz`.
    pub(super) fn archive_name(&self, version: &str) -> String {
        format!("{}.tar.gz", self.archive_folder(version))
    }

    pub(super) fn archive_folder(&self, version: &str) -> String {
        format!("{}-{version}-{}", super::PACKAGE, self.target)
    }

    /// The npm package that holds the binary of this platform.
    pub(super) fn npm_package(&self) -> String {
        format!("{}-{}-{}", super::PACKAGE, self.node_os, self.node_cpu)
    }
}
