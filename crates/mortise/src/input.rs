//! What the user names on the command line to be read: a file, a pipe, or stdin.

use std::io;
use std::path::PathBuf;

use mortise_client::bounded_file;
use mortise_client::limits::FRAME_BYTES;

/// The largest input: what fits one message.
const LIMIT: u64 = FRAME_BYTES as u64;

/// The text of a file, or of stdin where the name is `-`.
pub(crate) fn read(name: impl Into<PathBuf>) -> io::Result<String> {
    let path = name.into();
    match path.as_os_str() == "-" {
        true => bounded_file::read_open(io::stdin().lock(), LIMIT),
        false => bounded_file::read_named(&path, LIMIT),
    }
}

/// [`read`] for a command that can be interrupted meanwhile.
pub(crate) async fn read_aside(name: impl Into<PathBuf>) -> io::Result<String> {
    let path = name.into();
    tokio::task::spawn_blocking(move || read(path)).await.map_err(io::Error::other)?
}
