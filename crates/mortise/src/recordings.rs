//! Recordings that the user names on the command line.

use std::path::Path;

use mortise_client::bounded_file;
use mortise_contract::limits::RECORDING_BYTES;
use mortise_contract::recording::Recording;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;

/// Reads a recording, and says what is missing in it.
pub(crate) fn read(app: &App, path: &Path) -> Result<Recording, Failure> {
    let text = bounded_file::read_named(path, RECORDING_BYTES as u64).map_err(|error| {
        input::unreadable(path, &error).hint("`mortise record FILE -- COMMAND` writes a recording")
    })?;
    let recording = Recording::parse(&text).map_err(|error| {
        Failure::new(Exit::Configuration, format!("`{}` can't be used as a recording", path.display()))
            .because(&error)
    })?;
    if let Some(line) = recording.cut_line {
        app.terminal.note(&format!("line {line} of `{}` is cut, and is left out", path.display()));
    }
    Ok(recording)
}
