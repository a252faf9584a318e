//! Where output goes: results to stdout, everything else to stderr.

pub(crate) mod escape;
pub(crate) mod pretty;
pub(crate) mod spinner;
pub(crate) mod table;

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

use mortise_client::environment::Environment;
use owo_colors::{OwoColorize as _, Style};

/// When to use colour; `auto` means on a terminal, unless NO_COLOR, CLICOLOR=0 or TERM=dumb say otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

/// What is said besides results and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Only results and errors.
    Quiet,
    /// Notes and progress too.
    Normal,
}

/// Whether anybody reads what we write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StdoutReader {
    /// Somebody does.
    There,
    /// The other end of the pipe is closed.
    Gone,
}

/// The two output streams and what they can show.
#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    stdout: OutputStream,
    stderr: OutputStream,
    verbosity: Verbosity,
}

#[derive(Clone, Copy, Debug)]
struct OutputStream {
    is_terminal: bool,
    color: bool,
    width: Option<usize>,
}

/// What a colour means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tint {
    /// A heading.
    Heading,
    /// The name of a thing.
    Name,
    /// A type.
    Type,
    /// Beside the point.
    Dim,
    /// All is well.
    Good,
    /// Something to look at.
    Warn,
    /// Something is wrong.
    Bad,
}

impl Tint {
    fn style(self) -> Style {
        match self {
            Self::Heading => Style::new().bold(),
            Self::Name => Style::new().cyan(),
            Self::Type => Style::new().blue(),
            Self::Dim => Style::new().dimmed(),
            Self::Good => Style::new().green(),
            Self::Warn => Style::new().yellow(),
            Self::Bad => Style::new().red().bold(),
        }
    }
}

impl Terminal {
    /// Looks at the streams of this process.
    pub(crate) fn new(environment: &Environment, color: ColorChoice, verbosity: Verbosity) -> Self {
        let columns = variable(environment, "COLUMNS").and_then(|columns| columns.parse().ok());
        let stream =
            |is_terminal, size: Option<(terminal_size::Width, terminal_size::Height)>| OutputStream {
                is_terminal,
                color: wants_color(environment, color, is_terminal),
                width: size.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0).or(columns),
            };
        let (stdout, stderr) = (io::stdout(), io::stderr());
        Self {
            stdout: stream(stdout.is_terminal(), terminal_size::terminal_size_of(&stdout)),
            stderr: stream(stderr.is_terminal(), terminal_size::terminal_size_of(&stderr)),
            verbosity,
        }
    }

    /// Columns of stdout; `None` when it is no terminal and lines may be as long as they are.
    pub(crate) fn width(&self) -> Option<usize> {
        self.stdout.width
    }

    /// Whether stdout shows colours.
    pub(crate) fn colors_stdout(&self) -> bool {
        self.stdout.color
    }

    /// Whether a person reads stdout.
    pub(crate) fn stdout_is_terminal(&self) -> bool {
        self.stdout.is_terminal
    }

    /// Whether a moving display on stderr makes sense.
    pub(crate) fn shows_progress(&self) -> bool {
        self.stderr.is_terminal && self.stderr.color && self.verbosity >= Verbosity::Normal
    }

    /// Whether a person can be asked: all three streams are theirs.
    pub(crate) fn is_interactive(&self) -> bool {
        self.stderr.is_terminal && io::stdin().is_terminal()
    }

    /// Colours `text` for stdout.
    pub(crate) fn paint(&self, tint: Tint, text: &str) -> String {
        paint(self.stdout, tint, text)
    }

    /// Colours `text` for stderr.
    pub(crate) fn paint_stderr(&self, tint: Tint, text: &str) -> String {
        paint(self.stderr, tint, text)
    }

    /// A result's own text: verbatim for programs, escaped for a terminal.
    pub(crate) fn verbatim<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.stdout.is_terminal {
            true => escape::text(text),
            false => Cow::Borrowed(text),
        }
    }

    /// Writes a result. A reader that went away is no error: whatever it wanted, it has.
    pub(crate) fn stdout(&self, text: &str) -> io::Result<()> {
        self.live(text).map(|_| ())
    }

    /// Writes a part of something that goes on, and says whether anybody still reads it.
    pub(crate) fn live(&self, text: &str) -> io::Result<StdoutReader> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(StdoutReader::Gone),
            written => written.map(|()| StdoutReader::There),
        }
    }

    /// Writes to stderr; there is nobody to tell when that fails.
    pub(crate) fn stderr(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        _ = stderr.write_all(text.as_bytes());
    }

    /// Says something useful on stderr, unless asked to be quiet.
    pub(crate) fn note(&self, text: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.stderr(&format!("{} {}\n", self.paint_stderr(Tint::Dim, "note:"), escape::text(text)));
        }
    }

    /// Says something on stderr that is no note but the point, unless asked to be quiet.
    pub(crate) fn say(&self, text: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.stderr(&format!("{}\n", escape::text(text)));
        }
    }

    /// The same with text that is escaped and coloured already.
    pub(crate) fn say_painted(&self, text: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.stderr(text);
        }
    }

    /// Warns on stderr.
    pub(crate) fn warn(&self, text: &str) {
        self.stderr(&format!("{} {}\n", self.paint_stderr(Tint::Warn, "warning:"), escape::text(text)));
    }
}

fn paint(stream: OutputStream, tint: Tint, text: &str) -> String {
    match stream.color && !text.is_empty() {
        true => text.style(tint.style()).to_string(),
        false => text.to_owned(),
    }
}

fn wants_color(environment: &Environment, choice: ColorChoice, is_terminal: bool) -> bool {
    let is_set = |name| variable(environment, name).is_some_and(|value| !value.is_empty());
    let is_zero = |name| variable(environment, name).is_some_and(|value| value == "0");
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if is_set("NO_COLOR") => false,
        ColorChoice::Auto if is_set("CLICOLOR_FORCE") && !is_zero("CLICOLOR_FORCE") => true,
        ColorChoice::Auto if variable(environment, "TERM").is_some_and(|term| term == "dumb") => false,
        ColorChoice::Auto => is_terminal && !is_zero("CLICOLOR"),
    }
}

fn variable<'a>(environment: &'a Environment, name: &str) -> Option<&'a str> {
    environment.variable(name)?.to_str()
}

#[cfg(test)]
mod tests;
