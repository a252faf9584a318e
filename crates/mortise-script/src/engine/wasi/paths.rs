//! The functions on paths: finding and opening; everything that would change something is refused.

use wasmtime::{Caller, Linker};

use super::WASI;
use super::descriptors::{DIRECTORY, REGULAR, write_stat};
use crate::engine::errno::Errno;
use crate::engine::files::FileNode;
use crate::engine::guest::{Guest, with};

/// Create, exclusive, truncate: what opening for writing asks for.
const OPEN_CHANGING: u32 = 1 | 4 | 8;
/// The file must be a directory.
const OPEN_DIRECTORY: u32 = 2;
/// The rights to write and to change the size.
const RIGHTS_CHANGING: u64 = (1 << 6) | (1 << 22);

pub(super) fn link(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(
        WASI,
        "path_open",
        |mut caller: Caller<'_, Guest>,
         from: u32,
         _lookup: u32,
         path: u32,
         length: u32,
         open: u32,
         rights: u64,
         _inherited: u64,
         _flags: u32,
         to: u32| {
            with(&mut caller, |memory, guest| {
                let path = memory.text(path, length)?;
                let found = guest.files.find(from, path);
                let changes = open & OPEN_CHANGING != 0 || rights & RIGHTS_CHANGING != 0;
                let node = match found {
                    Ok(FileNode::File(_)) if open & OPEN_DIRECTORY != 0 => return Err(Errno::NOTDIR),
                    Ok(FileNode::Directory(_)) if changes => return Err(Errno::ISDIR),
                    _ if changes => return Err(Errno::ROFS),
                    found => found?,
                };
                let descriptor = guest.files.open(node)?;
                memory.write_u32(to, descriptor)
            })
        },
    )?;
    linker.func_wrap(
        WASI,
        "path_filestat_get",
        |mut caller: Caller<'_, Guest>, from: u32, _lookup: u32, path: u32, length: u32, to: u32| {
            with(&mut caller, |memory, guest| {
                let (kind, size) = match guest.files.find(from, memory.text(path, length)?)? {
                    FileNode::File(content) => (REGULAR, content.len()),
                    FileNode::Directory(_) => (DIRECTORY, 0),
                };
                write_stat(memory, to, kind, size)
            })
        },
    )?;
    linker.func_wrap(
        WASI,
        "path_readlink",
        |mut caller: Caller<'_, Guest>, from: u32, path: u32, length: u32, _: u32, _: u32, _: u32| {
            // Nothing is a link.
            with(&mut caller, |memory, guest| {
                guest.files.find(from, memory.text(path, length)?).and(Err(Errno::INVAL))
            })
        },
    )?;
    refuse_changes(linker)
}

fn refuse_changes(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    let read_only = || i32::from(Errno::ROFS.0);
    linker.func_wrap(WASI, "path_create_directory", move |_: u32, _: u32, _: u32| read_only())?;
    linker.func_wrap(
        WASI,
        "path_filestat_set_times",
        move |_: u32, _: u32, _: u32, _: u32, _: u64, _: u64, _: u32| read_only(),
    )?;
    linker.func_wrap(WASI, "path_link", move |_: u32, _: u32, _: u32, _: u32, _: u32, _: u32, _: u32| {
        read_only()
    })?;
    linker.func_wrap(WASI, "path_remove_directory", move |_: u32, _: u32, _: u32| read_only())?;
    linker
        .func_wrap(WASI, "path_rename", move |_: u32, _: u32, _: u32, _: u32, _: u32, _: u32| read_only())?;
    linker.func_wrap(WASI, "path_symlink", move |_: u32, _: u32, _: u32, _: u32, _: u32| read_only())?;
    linker.func_wrap(WASI, "path_unlink_file", move |_: u32, _: u32, _: u32| read_only())?;
    Ok(())
}
