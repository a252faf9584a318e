//! Questions to a person at a terminal.

use std::io::Write as _;

use crate::app::App;
use crate::failure::Failure;
use crate::input;

/// Shows `text`, which is escaped already, and asks for a yes. Anything else is a no.
pub(crate) fn is_yes(app: &App, text: &str) -> bool {
    means_yes(&line(app, &asked(text)))
}

/// [`is_yes`] for a command that can be interrupted meanwhile.
pub(crate) async fn is_yes_aside(app: &App, text: &str) -> Result<bool, Failure> {
    app.terminal.stderr(&asked(text));
    _ = std::io::stderr().flush();
    Ok(input::line().await?.is_some_and(|answer| means_yes(&answer)))
}

fn asked(text: &str) -> String {
    format!("{text} [y/N] ")
}

fn means_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Shows `prompt`, which is escaped already, and reads one line.
pub(crate) fn line(app: &App, prompt: &str) -> String {
    app.terminal.stderr(prompt);
    _ = std::io::stderr().flush();
    let mut answer = String::new();
    _ = std::io::stdin().read_line(&mut answer);
    answer.trim().to_owned()
}
