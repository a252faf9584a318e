//! This test program started again as another process, with one thing to do.

use std::path::Path;
use std::process::{Command, Stdio};

/// The variable that names the folder of the journal. Without it, the test of a child does nothing.
const DIRECTORY: &str = "MORTISE_JOURNAL_TEST_DIRECTORY";

/// A command that runs the test `name` in another process, through a shell that first does `limits`.
pub(crate) fn command(name: &str, directory: &Path, limits: &str) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{limits} exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(DIRECTORY, directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// The folder that the parent named.
pub(crate) fn directory() -> Option<std::path::PathBuf> {
    std::env::var_os(DIRECTORY).map(Into::into)
}
