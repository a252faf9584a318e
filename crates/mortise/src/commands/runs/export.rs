//! A run as one JSON file.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use mortise_executor::journal::KeptRun;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;

/// Writes the run.
pub(super) fn run(app: &App, run: &KeptRun, case: Option<&Path>) -> Result<Exit, Failure> {
    let document = run.to_document().map_err(|error| Failure::from_error(Exit::Bug, &error))?;
    let Some(case) = case else {
        app.print(&document)?;
        return Ok(Exit::Ok);
    };
    let path = app.environment.absolute(case);
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        // It has what tools answered.
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| file.write_all(document.as_bytes()));
    written.map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot write `{}`", path.display())).because(&error)
    })?;
    app.terminal.note(&format!("`{}` has run {}", path.display(), run.id));
    if !run.is_complete {
        app.terminal.warn("entries of this run are missing, so it can't be replayed");
    }
    Ok(Exit::Ok)
}
