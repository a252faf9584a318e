//! Reproducible `.tar.gz` files: the same files give the same bytes on every machine.

use anyhow::Result;
use flate2::GzBuilder;
use tar::{Builder, EntryType, Header};

use super::contents::PackageContents;
use super::entry::{PackageEntry, Packing};
use super::platform::ReleasePlatform;

/// The archive of a release: everything in one folder.
pub(super) fn release(
    contents: &PackageContents,
    version: &str,
    platform: &ReleasePlatform,
    packing: Packing,
) -> Result<Vec<u8>> {
    tar_gz(&contents.archive_entries(&platform.archive_folder(version)), packing)
}

/// Packs entries in the given order, owned by root, without times.
pub(super) fn tar_gz(entries: &[PackageEntry], packing: Packing) -> Result<Vec<u8>> {
    // A system code of 255 means "unknown": the machine that packs does not show.
    let gz = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), packing.level());
    let mut tar = Builder::new(gz);
    for entry in entries {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(entry.mode());
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_size(entry.bytes.len() as u64);
        tar.append_data(&mut header, &entry.path, entry.bytes.as_slice())?;
    }
    Ok(tar.into_inner()?.finish()?)
}
