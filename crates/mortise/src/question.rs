//! Questions to a person at a terminal.

use std::io::Write as _;

use crate::app::App;

/// Shows `text`, which is escaped already, and asks for a yes. Anything else is a no.
pub(crate) fn is_yes(app: &App, text: &str) -> bool {
    matches!(line(app, &format!("{text} [y/N] ")).to_lowercase().as_str(), "y" | "yes")
}

/// Shows `prompt`, which is escaped already, and reads one line.
pub(crate) fn line(app: &App, prompt: &str) -> String {
    app.terminal.stderr(prompt);
    _ = std::io::stderr().flush();
    let mut answer = String::new();
    _ = std::io::stdin().read_line(&mut answer);
    answer.trim().to_owned()
}
