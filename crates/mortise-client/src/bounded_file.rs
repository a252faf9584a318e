//! Reading a file that may be a trap: bounded in size, and no wait to open it.
//!
//! `/dev/zero` never ends, and opening a FIFO waits for a writer. Every file whose name comes from
//! outside is read here.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The text of a regular file of at most `limit` bytes of UTF-8.
pub fn read(path: &Path, limit: u64) -> io::Result<String> {
    read_open(open(path)?, limit)
}

/// The text of a file that the user named on the command line: a regular file, or a pipe as the
/// shell's `<(command)` makes one.
pub fn read_named(path: &Path, limit: u64) -> io::Result<String> {
    let file = open_if(path, |kind| kind.is_file() || is_pipe(kind))?;
    if !is_pipe(file.metadata()?.file_type()) {
        return read_open(file, limit);
    }
    wait_for_data(&file)?;
    match read_open(file, limit)? {
        text if text.is_empty() => {
            Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is a pipe without a writer"))
        }
        text => Ok(text),
    }
}

/// Opens a regular file, for a caller that looks at its metadata before [`read_open`].
pub fn open(path: &Path) -> io::Result<File> {
    open_if(path, |kind| kind.is_file())
}

/// At most `limit` bytes of UTF-8 from what is open.
pub fn read_open(file: impl Read, limit: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than the limit of {limit} bytes"),
        ));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Judges the kind twice: opening a device can have effects, and another process may swap the file in between.
fn open_if(path: &Path, is_wanted: impl Fn(FileType) -> bool) -> io::Result<File> {
    let refuse = |kind| match is_wanted(kind) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    };
    refuse(std::fs::metadata(path)?.file_type())?;
    let file = without_waiting().open(path)?;
    refuse(file.metadata()?.file_type())?;
    Ok(file)
}

fn without_waiting() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options
}

fn wait_for_data(pipe: &File) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(pipe)?;
    Ok(rustix::fs::fcntl_setfl(pipe, flags - rustix::fs::OFlags::NONBLOCK)?)
}

fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(test)]
mod tests;
