//! What a binary needs of the system: the newest glibc and the libraries, read from the file itself.
//!
//! A package promises a system in its name. A binary that needs more than its package promises would be installed and
//! then not start, so that is an error here.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, StringTable};

use super::platform::ReleasePlatform;

/// The oldest macOS that Rust builds for on both architectures.
pub(super) const MACOS: &str = "11.0";

/// Libraries that every glibc system has, by the list that PyPI's tags stand for.
const LIBRARIES: [&str; 9] = [
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "librt.so.1",
    "libutil.so.1",
    "libpthread.so.0",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];

/// A version of glibc: `2.28`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glibc {
    major: u32,
    minor: u32,
}

impl Glibc {
    /// What packages promise: Debian 10, Ubuntu 20.04, RHEL 8 and everything later.
    pub(super) const PROMISED: Self = Self { major: 2, minor: 28 };
    /// The first that reads packed relocations, which the linker asks for under a name instead of a number.
    const PACKED_RELOCATIONS: Self = Self { major: 2, minor: 36 };
}

impl fmt::Display for Glibc {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Glibc {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers = text.split_once('.').and_then(|(major, minor)| {
            Some(Self { major: major.parse().ok()?, minor: minor.split('.').next()?.parse().ok()? })
        });
        numbers.with_context(|| format!("`{text}` is not a version of glibc, such as 2.28"))
    }
}

/// The system that packages say they run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SystemPromise {
    Glibc(Glibc),
    MacOs,
}

impl SystemPromise {
    /// The platform tag of a wheel.
    pub(super) fn wheel_tag(&self, platform: &ReleasePlatform) -> String {
        match self {
            Self::Glibc(glibc) => format!("manylinux_{}_{}_{}", glibc.major, glibc.minor, platform.wheel_cpu),
            Self::MacOs => format!("macosx_{}_{}", MACOS.replace('.', "_"), platform.wheel_cpu),
        }
    }
}

impl fmt::Display for SystemPromise {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Glibc(glibc) => write!(out, "glibc {glibc} or newer"),
            Self::MacOs => write!(out, "macOS {MACOS} or newer"),
        }
    }
}

/// The promise that a package of this binary can make: `wanted`, or without one exactly what the binary needs.
pub(super) fn promise(
    binary: &[u8],
    platform: &ReleasePlatform,
    wanted: Option<Glibc>,
) -> Result<SystemPromise> {
    if !platform.is_linux() {
        return Ok(SystemPromise::MacOs);
    }
    let needs = SystemNeeds::read(binary)?;
    let strange: Vec<&str> =
        needs.libraries.iter().map(String::as_str).filter(|name| !LIBRARIES.contains(name)).collect();
    ensure!(
        strange.is_empty(),
        "the binary needs libraries that not every system has: {}",
        strange.join(", ")
    );
    match wanted {
        Some(wanted) if needs.glibc > wanted => bail!(
            "the binary needs glibc {}, but its packages shall run with {wanted}: let `cargo xtask dist` build it, \
             or say `--glibc {}`",
            needs.glibc,
            needs.glibc
        ),
        Some(wanted) => Ok(SystemPromise::Glibc(wanted)),
        None => Ok(SystemPromise::Glibc(needs.glibc)),
    }
}

/// What the loader would look for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SystemNeeds {
    pub(super) glibc: Glibc,
    pub(super) libraries: BTreeSet<String>,
}

impl SystemNeeds {
    /// Reads the needed libraries and symbol versions of a 64-bit ELF file.
    pub(super) fn read(binary: &[u8]) -> Result<Self> {
        let header =
            FileHeader64::<Endianness>::parse(binary).context("the binary is not a 64-bit ELF file")?;
        let endian = header.endian()?;
        let sections = header.sections(endian, binary)?;
        let mut libraries = BTreeSet::new();
        if let Some((entries, link)) = sections.dynamic(endian, binary)? {
            let strings = sections.strings(endian, binary, link)?;
            let is_needed =
                |entry: &&elf::Dyn64<_>| entry.tag32(endian).map(i64::from) == Some(elf::DT_NEEDED);
            for entry in entries.iter().filter(is_needed) {
                libraries.insert(string(strings, entry.val32(endian).unwrap_or_default())?);
            }
        }
        // Without any version: a static file, or one that asks for nothing newer than the oldest.
        let mut glibc = Glibc { major: 2, minor: 17 };
        if let Some((mut needed, link)) = sections.gnu_verneed(endian, binary)? {
            let strings = sections.strings(endian, binary, link)?;
            while let Some((_, mut versions)) = needed.next()? {
                while let Some(version) = versions.next()? {
                    // The loader only notes the absence of a weak one.
                    if version.vna_flags.get(endian) & elf::VER_FLG_WEAK == 0 {
                        let name = string(strings, version.vna_name.get(endian))?;
                        glibc = glibc.max(needed_glibc(&name)?.unwrap_or(glibc));
                    }
                }
            }
        }
        Ok(Self { glibc, libraries })
    }
}

/// The glibc that a symbol version stands for; `None` for versions of other libraries.
fn needed_glibc(version: &str) -> Result<Option<Glibc>> {
    match version.strip_prefix("GLIBC_") {
        None => Ok(None),
        Some("ABI_DT_RELR") => Ok(Some(Glibc::PACKED_RELOCATIONS)),
        Some(number) => number.parse().map(Some),
    }
}

fn string(strings: StringTable<'_>, offset: u32) -> Result<String> {
    let bytes = strings.get(offset).ok().context("a name of the ELF file lies outside of its strings")?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
