//! A reproducible zip file, as wheels need it: deflated entries with permissions, the time of 1980.
//!
//! The `zip` crate is in the workspace for the type checker, without deflate. Asking for that here would build the
//! type checker's crates a second time, for the hundred lines below.

use std::io::Write;

use anyhow::{Context, Result};
use flate2::Crc;
use flate2::write::DeflateEncoder;

use super::entry::{PackageEntry, Packing};

const LOCAL_HEADER: u32 = 0x0403_4b50;
const CENTRAL_HEADER: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// Version 2.0: deflate.
const NEEDED: u16 = 20;
/// Made by Unix, so that readers take the permissions.
const MADE_BY: u16 = (3 << 8) | NEEDED;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
const DEFLATED: u16 = 8;
/// 1980-01-01, the first day that a zip file knows.
const DATE: u16 = (1 << 5) | 1;
const REGULAR_FILE: u32 = 0o100_000;

/// Packs entries in the given order.
pub(super) fn zip(entries: &[PackageEntry], packing: Packing) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let start = small(file.len())?;
        let mut crc = Crc::new();
        crc.update(&entry.bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), packing.level());
        encoder.write_all(&entry.bytes)?;
        let deflated = encoder.finish()?;
        let mut common = Vec::new();
        for value in [NEEDED, FLAGS, DEFLATED, 0, DATE] {
            common.extend(value.to_le_bytes());
        }
        for value in [crc.sum(), small(deflated.len())?, small(entry.bytes.len())?] {
            common.extend(value.to_le_bytes());
        }
        let length = u16::try_from(entry.path.len()).context("a path is too long for a zip file")?;
        common.extend(length.to_le_bytes());
        common.extend(0_u16.to_le_bytes()); // no extra field

        file.extend(LOCAL_HEADER.to_le_bytes());
        file.extend(&common);
        file.extend(entry.path.as_bytes());
        file.extend(deflated);

        directory.extend(CENTRAL_HEADER.to_le_bytes());
        directory.extend(MADE_BY.to_le_bytes());
        directory.extend(&common);
        directory.extend([0_u8; 6]); // no comment, first disk, no internal attributes
        directory.extend(((REGULAR_FILE | entry.mode()) << 16).to_le_bytes());
        directory.extend(start.to_le_bytes());
        directory.extend(entry.path.as_bytes());
    }
    let (start, size) = (small(file.len())?, small(directory.len())?);
    let count = u16::try_from(entries.len()).context("too many files for a zip file")?;
    file.extend(directory);
    file.extend(END.to_le_bytes());
    file.extend([0_u8; 4]); // one disk
    file.extend(count.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend(0_u16.to_le_bytes()); // no comment
    Ok(file)
}

fn small(length: usize) -> Result<u32> {
    u32::try_from(length).context("a zip file of this form holds at most 4 GiB")
}
