//! The address to log in at, shown and opened.

use std::fmt::Display;
use std::process::{Command, Stdio};

use crate::app::App;
use crate::terminal::escape;

/// The program that opens an address in the user's browser.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Prints the address and opens it, unless `--no-browser` says otherwise.
///
/// It comes from the server's authorization metadata: it goes to the opener as
/// one argument, never through a shell, and only if it is a web address.
pub(super) fn show(app: &App, url: &impl Display, no_browser: bool) {
    let url = url.to_string();
    app.terminal.stderr(&format!("Open this address to log in:\n  {}\n", escape::text(&url)));
    if no_browser || !(url.starts_with("https://") || url.starts_with("http://")) {
        return;
    }
    let opened = Command::new(OPENER)
        .arg(&url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if opened.is_err() {
        app.terminal.note(&format!("no browser was opened: there is no `{OPENER}`"));
    }
}
