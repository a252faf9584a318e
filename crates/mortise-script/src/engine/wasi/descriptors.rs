//! The functions on open descriptors: reading, output, and what there is to know about them.

use wasmtime::{Caller, Linker};

use super::WASI;
use crate::engine::errno::Errno;
use crate::engine::files::{Files, OpenFile, ROOT};
use crate::engine::guest::{Guest, Stop, burnt, with};
use crate::engine::memory::GuestMemory;
use crate::output::Stream;

/// Kinds of file, as WASI numbers them.
const UNKNOWN: u8 = 0;
pub(super) const DIRECTORY: u8 = 3;
pub(super) const REGULAR: u8 = 4;

/// The right to read and to seek, to read directories and to look at files: all that there is.
const READING: u64 = (1 << 1) | (1 << 2) | (1 << 5) | (1 << 13) | (1 << 14) | (1 << 18) | (1 << 21);
/// The right to write, which only the two output streams have.
const WRITING: u64 = 1 << 6;

pub(super) fn link(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    link_reading(linker)?;
    link_writing(linker)?;
    link_knowing(linker)?;
    linker.func_wrap(WASI, "fd_close", |mut caller: Caller<'_, Guest>, descriptor: u32| {
        with(&mut caller, |_, guest| if descriptor < ROOT { Ok(()) } else { guest.files.close(descriptor) })
    })?;
    linker.func_wrap(
        WASI,
        "fd_readdir",
        |mut caller: Caller<'_, Guest>, fd: u32, to: u32, length: u32, cookie: u64, used: u32| {
            with(&mut caller, |memory, guest| list(memory, &guest.files, fd, (to, length), cookie, used))
        },
    )?;
    Ok(())
}

fn link_reading(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(
        WASI,
        "fd_read",
        |mut caller: Caller<'_, Guest>, fd: u32, buffers: u32, count: u32, read: u32| {
            with(&mut caller, |memory, guest| {
                if fd == 0 {
                    // Standard input is empty.
                    return memory.write_u32(read, 0);
                }
                let OpenFile::File { content, position } = guest.files.get_mut(fd)? else {
                    return Err(Errno::ISDIR);
                };
                let total =
                    read_buffers(memory, buffers, count, *position, |at, to| content.read_at(at, to))?;
                *position += u64::from(total);
                memory.write_u32(read, total)
            })
        },
    )?;
    linker.func_wrap(
        WASI,
        "fd_pread",
        |mut caller: Caller<'_, Guest>, fd: u32, buffers: u32, count: u32, offset: u64, read: u32| {
            with(&mut caller, |memory, guest| {
                let OpenFile::File { content, .. } = guest.files.get(fd)? else { return Err(Errno::ISDIR) };
                let total = read_buffers(memory, buffers, count, offset, |at, to| content.read_at(at, to))?;
                memory.write_u32(read, total)
            })
        },
    )?;
    linker.func_wrap(
        WASI,
        "fd_seek",
        |mut caller: Caller<'_, Guest>, fd: u32, offset: i64, whence: u32, to: u32| {
            with(&mut caller, |memory, guest| {
                if fd < ROOT {
                    return Err(Errno::SPIPE);
                }
                let OpenFile::File { content, position } = guest.files.get_mut(fd)? else {
                    return Err(Errno::ISDIR);
                };
                let base = match whence {
                    0 => 0,
                    1 => *position,
                    2 => content.len(),
                    _ => return Err(Errno::INVAL),
                };
                *position = base.checked_add_signed(offset).ok_or(Errno::INVAL)?;
                memory.write_u64(to, *position)
            })
        },
    )?;
    linker.func_wrap(WASI, "fd_tell", |mut caller: Caller<'_, Guest>, fd: u32, to: u32| {
        with(&mut caller, |memory, guest| match guest.files.get(fd)? {
            OpenFile::File { position, .. } => memory.write_u64(to, *position),
            OpenFile::Directory(_) => Err(Errno::ISDIR),
        })
    })?;
    Ok(())
}

fn read_buffers(
    memory: &mut GuestMemory<'_>,
    buffers: u32,
    count: u32,
    mut position: u64,
    read_at: impl Fn(u64, &mut [u8]) -> std::io::Result<usize>,
) -> Result<u32, Errno> {
    let mut total = 0_u32;
    for (pointer, length) in memory.buffers(buffers, count)? {
        let read = read_at(position, memory.bytes_mut(pointer, length)?).map_err(|_| Errno::IO)?;
        position = position.saturating_add(read as u64);
        total = total.checked_add(u32::try_from(read).map_err(|_| Errno::IO)?).ok_or(Errno::INVAL)?;
        if read < length as usize {
            break;
        }
    }
    Ok(total)
}

fn link_writing(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(
        WASI,
        "fd_write",
        |mut caller: Caller<'_, Guest>,
         fd: u32,
         buffers: u32,
         count: u32,
         written: u32|
         -> wasmtime::Result<i32> {
            let mut flooded = false;
            let burnt = burnt(&caller);
            caller.data().trace.has_burnt(burnt);
            let code = with(&mut caller, |memory, guest| {
                let stream = match fd {
                    1 => Stream::Stdout,
                    2 => Stream::Stderr,
                    0 => return Err(Errno::BADF),
                    _ => return guest.files.get(fd).and(Err(Errno::ROFS)),
                };
                let mut record = guest.trace.record();
                let mut total = 0_u32;
                for (pointer, length) in memory.buffers(buffers, count)? {
                    flooded |= record.capture.write(stream, memory.bytes(pointer, length)?).is_err();
                    total = total.checked_add(length).ok_or(Errno::INVAL)?;
                }
                memory.write_u32(written, total)
            });
            if flooded { Err(Stop::Flood.into()) } else { Ok(code) }
        },
    )?;
    let read_only = || i32::from(Errno::ROFS.0);
    linker.func_wrap(WASI, "fd_pwrite", move |_: u32, _: u32, _: u32, _: u64, _: u32| read_only())?;
    linker.func_wrap(WASI, "fd_filestat_set_size", move |_: u32, _: u64| read_only())?;
    linker.func_wrap(WASI, "fd_filestat_set_times", move |_: u32, _: u64, _: u64, _: u32| read_only())?;
    linker.func_wrap(WASI, "fd_datasync", |_: u32| 0_i32)?;
    linker.func_wrap(WASI, "fd_sync", |_: u32| 0_i32)?;
    linker.func_wrap(WASI, "fd_advise", |_: u32, _: u64, _: u64, _: u32| 0_i32)?;
    linker.func_wrap(WASI, "fd_fdstat_set_flags", |_: u32, _: u32| 0_i32)?;
    Ok(())
}

fn link_knowing(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(WASI, "fd_fdstat_get", |mut caller: Caller<'_, Guest>, fd: u32, to: u32| {
        with(&mut caller, |memory, guest| {
            let (kind, rights) = match fd {
                // Not a terminal: no colours, no line editing.
                0 => (UNKNOWN, READING),
                1 | 2 => (UNKNOWN, WRITING),
                _ => (kind_of(guest.files.get(fd)?), READING),
            };
            let mut status = [0_u8; 24];
            status[0] = kind;
            status[8..16].copy_from_slice(&rights.to_le_bytes());
            // The right to open for writing must be there, so that such an open reaches us and is refused.
            status[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
            memory.write(to, &status)
        })
    })?;
    linker.func_wrap(WASI, "fd_filestat_get", |mut caller: Caller<'_, Guest>, fd: u32, to: u32| {
        with(&mut caller, |memory, guest| {
            let (kind, size) = match fd {
                0..=2 => (UNKNOWN, 0),
                _ => match guest.files.get(fd)? {
                    OpenFile::File { content, .. } => (REGULAR, content.len()),
                    OpenFile::Directory(_) => (DIRECTORY, 0),
                },
            };
            write_stat(memory, to, kind, size)
        })
    })?;
    linker.func_wrap(WASI, "fd_prestat_get", |mut caller: Caller<'_, Guest>, fd: u32, to: u32| {
        with(&mut caller, |memory, _| {
            if fd != ROOT {
                return Err(Errno::BADF);
            }
            // A directory whose name has one character.
            memory.write_u32(to, 0)?;
            memory.write_u32(to.wrapping_add(4), 1)
        })
    })?;
    linker.func_wrap(
        WASI,
        "fd_prestat_dir_name",
        |mut caller: Caller<'_, Guest>, fd: u32, to: u32, length: u32| {
            with(&mut caller, |memory, _| match (fd, length) {
                (ROOT, 1..) => memory.write(to, b"/"),
                _ => Err(Errno::BADF),
            })
        },
    )?;
    Ok(())
}

fn kind_of(open: &OpenFile) -> u8 {
    match open {
        OpenFile::File { .. } => REGULAR,
        OpenFile::Directory(_) => DIRECTORY,
    }
}

/// What there is to know about a file: kind and size. All dates are 1970.
pub(super) fn write_stat(memory: &mut GuestMemory<'_>, to: u32, kind: u8, size: u64) -> Result<(), Errno> {
    let mut stat = [0_u8; 64];
    stat[16] = kind;
    stat[24..32].copy_from_slice(&1_u64.to_le_bytes());
    stat[32..40].copy_from_slice(&size.to_le_bytes());
    memory.write(to, &stat)
}

/// Writes directory entries from `cookie` on, the last one cut off if it does not fit, as WASI wants it.
fn list(
    memory: &mut GuestMemory<'_>,
    files: &Files,
    fd: u32,
    (to, length): (u32, u32),
    cookie: u64,
    used: u32,
) -> Result<(), Errno> {
    let OpenFile::Directory(path) = files.get(fd)? else { return Err(Errno::NOTDIR) };
    let mut entries = Vec::new();
    let names = files.list(path).into_iter().zip(1_u64..);
    for ((name, is_directory), next) in names.skip(usize::try_from(cookie).unwrap_or(usize::MAX)) {
        if entries.len() >= length as usize {
            break;
        }
        let mut head = [0_u8; 24];
        head[..8].copy_from_slice(&next.to_le_bytes());
        head[8..16].copy_from_slice(&next.to_le_bytes());
        head[16..20].copy_from_slice(&u32::try_from(name.len()).map_err(|_| Errno::IO)?.to_le_bytes());
        head[20] = if is_directory { DIRECTORY } else { REGULAR };
        entries.extend_from_slice(&head);
        entries.extend_from_slice(name.as_bytes());
    }
    entries.truncate(length as usize);
    memory.write(to, &entries)?;
    memory.write_u32(used, u32::try_from(entries.len()).map_err(|_| Errno::IO)?)
}
