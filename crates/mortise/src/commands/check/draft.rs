//! `--write-cases`: cases drafted from calls that succeeded.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use mortise_tester::check::CheckReport;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;

/// Refuses a file that is there already, before any server is called.
pub(super) fn refuse_existing(path: &Path) -> Result<(), Failure> {
    match path.exists() {
        true => Err(existing(path)),
        false => Ok(()),
    }
}

/// Writes one file for each server that has a verified tool; whether all could be written.
pub(super) fn write(app: &App, path: &Path, report: &CheckReport) -> bool {
    let drafts: Vec<_> =
        report.servers.iter().filter_map(|server| Some((&server.server, server.drafted_cases()?))).collect();
    if drafts.is_empty() {
        app.terminal.note("no case was drafted: no tool is verified");
    }
    let is_alone = drafts.len() == 1;
    let mut all_written = true;
    for (server, text) in &drafts {
        let path = if is_alone { path.to_owned() } else { beside(path, server) };
        if let Err(failure) = create(&path, text) {
            failure.print(&app.terminal);
            all_written = false;
        }
    }
    all_written
}

/// `cases.yaml` of one of several servers: `cases-weather.yaml`.
fn beside(path: &Path, server: &str) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let server: String = server
        .chars()
        .map(|letter| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' })
        .collect();
    let stem = part(path.file_stem()).unwrap_or_default();
    let extension = part(path.extension()).map(|extension| format!(".{extension}")).unwrap_or_default();
    path.with_file_name(format!("{stem}-{server}{extension}"))
}

fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => existing(path),
        _ => Failure::new(Exit::Usage, format!("cannot write `{}`", path.display())).because(&error),
    })
}

fn existing(path: &Path) -> Failure {
    Failure::new(Exit::Usage, format!("--write-cases: `{}` exists already", path.display()))
        .hint("name another file, or remove this one")
}
