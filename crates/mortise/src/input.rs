//! What the user names on the command line to be read: a file, a pipe, or stdin.

use std::io::{self, BufRead as _};
use std::path::{Path, PathBuf};

use mortise_client::bounded_file;
use mortise_client::limits::FRAME_BYTES;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::find;

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

/// A line that a person types, without its end; `None` when there is no more.
pub(crate) async fn line() -> Result<Option<String>, Failure> {
    let read = || {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map(|length| (length > 0).then_some(line))
    };
    let read = tokio::task::spawn_blocking(read).await.map_err(io::Error::other).flatten();
    let line = read.map_err(|error| Failure::new(Exit::Usage, "cannot read the answer").because(&error))?;
    Ok(line.map(|line| line.trim_end_matches(['\n', '\r']).to_owned()))
}

/// That a file or folder which the user named can't be read, and why.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let path = as_typed(path);
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            let failure = Failure::new(Exit::Usage, format!("there is no file or folder `{shown}`"));
            match beside(path) {
                Some(near) => failure.hint(format!("did you mean `{}`?", near.display())),
                None if path.is_relative() => match std::env::current_dir() {
                    Ok(here) => failure.hint(format!("it was looked for in {}", here.display())),
                    Err(_) => failure,
                },
                None => failure,
            }
        }
        io::ErrorKind::PermissionDenied => {
            Failure::new(Exit::Usage, format!("cannot read `{shown}`: permission denied"))
        }
        _ if path.is_dir() => Failure::new(Exit::Usage, format!("`{shown}` is a folder, not a file")),
        _ => Failure::new(Exit::Usage, format!("cannot read `{shown}`")).because(error),
    }
}

/// A path below the working directory as the user would write it.
pub(crate) fn as_typed(path: &Path) -> &Path {
    let below = std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok());
    below.filter(|below| !below.as_os_str().is_empty()).unwrap_or(path)
}

/// Files of a folder that are looked at for a name like the one that was typed.
const LOOKED_AT: usize = 1_000;

/// A file in the same folder whose name is nearly this one.
fn beside(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.take(LOOKED_AT).flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let near = find::nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near))
}
