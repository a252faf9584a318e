//! Why a command failed: an exit code, what happened, and what to do about it.

pub(crate) mod upstream;

use std::borrow::Cow;
use std::error::Error;

use mortise_client::secret::Secrets;

use crate::exit::Exit;
use crate::terminal::{Terminal, Tint};

/// Characters of one message or cause: a server may send any amount.
const SHOWN: usize = 4_000;

/// A failure as the operator sees it on stderr.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The class of failure.
    pub(crate) exit: Exit,
    message: String,
    /// The end of the message that repeats what was typed. It can be a secret, so only a terminal shows it.
    typed: String,
    causes: Vec<String>,
    hints: Vec<FailureHint>,
}

/// Something that the reader can do now.
#[derive(Debug, PartialEq, Eq)]
struct FailureHint {
    text: String,
    /// The same with what was typed, which can be a secret, so only a terminal shows it.
    typed: Option<String>,
}

impl Failure {
    /// A failure with its own words.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), typed: String::new(), causes: Vec::new(), hints: Vec::new() }
    }

    /// A failure in the words of an error and its sources.
    pub(crate) fn from_error(exit: Exit, error: &(dyn Error + 'static)) -> Self {
        let mut failure = Self::new(exit, error.to_string());
        failure.add_sources(error);
        failure
    }

    /// Adds what was typed to the end of the message, where only a person sees it.
    pub(crate) fn typed(mut self, typed: impl Into<String>) -> Self {
        self.typed = typed.into();
        self
    }

    /// The message for a person at a terminal.
    pub(crate) fn on_terminal(&self) -> String {
        format!("{}{}", self.message, self.typed)
    }

    /// Adds an error as the cause.
    pub(crate) fn because(mut self, error: &(dyn Error + 'static)) -> Self {
        self.causes.push(error.to_string());
        self.add_sources(error);
        self
    }

    /// Adds a cause in its own words.
    pub(crate) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds something the reader can do now.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(FailureHint { text: hint.into(), typed: None });
        self
    }

    /// Adds a hint that repeats what was typed where only a person sees it, and says `elsewhere` in other places.
    pub(crate) fn typed_hint(mut self, typed: impl Into<String>, elsewhere: impl Into<String>) -> Self {
        self.hints.push(FailureHint { text: elsewhere.into(), typed: Some(typed.into()) });
        self
    }

    /// Adds a hint where there is none yet.
    pub(crate) fn or_hint(self, hint: impl Into<String>) -> Self {
        if self.hints.is_empty() { self.hint(hint) } else { self }
    }

    /// Adds several hints.
    pub(crate) fn hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints.into_iter().map(|text| FailureHint { text, typed: None }));
        self
    }

    /// Leaves out what must not reach a log, and adds `hint` if there was any of it.
    pub(crate) fn without(mut self, secrets: &Secrets, hint: &str) -> Self {
        let mut is_hidden = false;
        for text in std::iter::once(&mut self.message).chain(&mut self.causes) {
            if let Cow::Owned(hidden) = secrets.hide(text) {
                *text = hidden;
                is_hidden = true;
            }
        }
        if is_hidden { self.hint(hint) } else { self }
    }

    /// What the reader can do now.
    pub(crate) fn advice(&self) -> impl Iterator<Item = &str> {
        self.hints.iter().map(|hint| hint.text.as_str())
    }

    /// The message and its causes on one line, for a place that has no room for more.
    pub(crate) fn one_line(&self) -> String {
        [std::slice::from_ref(&self.message), &self.causes].concat().join(": ")
    }

    fn add_sources(&mut self, error: &(dyn Error + 'static)) {
        let mut source = error.source();
        while let Some(error) = source {
            let text = error.to_string();
            // Many errors repeat their source in their own text.
            let said = self.causes.last().unwrap_or(&self.message).contains(&text);
            if !said {
                self.causes.push(text);
            }
            source = error.source();
        }
    }

    /// Prints the failure on stderr.
    pub(crate) fn print(&self, terminal: &Terminal) {
        let is_person = terminal.stderr_is_terminal();
        let message = if is_person { self.on_terminal() } else { self.message.clone() };
        terminal.labelled(Tint::Bad, "error:", &shown(&message));
        for cause in &self.causes {
            terminal.labelled(Tint::Dim, "  cause:", &shown(cause));
        }
        for hint in &self.hints {
            let typed = hint.typed.as_ref().filter(|_| is_person);
            terminal.labelled(Tint::Name, "hint:", &shown(typed.unwrap_or(&hint.text)));
        }
    }
}

/// Cut to a bound.
fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}… and {} bytes more", &text[..end], text.len() - end)),
        None => Cow::Borrowed(text),
    }
}
