//! Where output goes: results to stdout, everything else to stderr.

pub(crate) mod escape;
pub(crate) mod json_view;
pub(crate) mod layout;
mod pager;
mod palette;
pub(crate) mod pretty;
pub(crate) mod spinner;
pub(crate) mod table;
pub(crate) mod units;

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

use mortise_client::environment::Environment;

use pager::PagerCommand;
use palette::Palette;

pub(crate) use layout::Mark;
pub(crate) use palette::Tint;

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

/// Whether the output still has a reader.
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
    /// Lines of stdout, where it is a terminal.
    height: Option<usize>,
    /// What shows output that is longer than that.
    pager: Option<PagerCommand>,
}

#[derive(Clone, Copy, Debug)]
struct OutputStream {
    is_terminal: bool,
    palette: Palette,
    width: Option<usize>,
}

impl Terminal {
    /// Looks at the streams of this process.
    pub(crate) fn new(environment: &Environment, color: ColorChoice, verbosity: Verbosity) -> Self {
        let columns = variable(environment, "COLUMNS").and_then(|columns| columns.parse().ok());
        let stream =
            |is_terminal, size: Option<(terminal_size::Width, terminal_size::Height)>| OutputStream {
                is_terminal,
                palette: palette(environment, color, is_terminal),
                width: size.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0).or(columns),
            };
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let size = terminal_size::terminal_size_of(&stdout);
        Self {
            stdout: stream(stdout.is_terminal(), size),
            stderr: stream(stderr.is_terminal(), terminal_size::terminal_size_of(&stderr)),
            verbosity,
            height: size.map(|(_, height)| usize::from(height.0)).filter(|height| *height > 0),
            pager: PagerCommand::of(environment),
        }
    }

    /// The same streams without a pager.
    pub(crate) fn without_pager(self) -> Self {
        Self { pager: None, ..self }
    }

    /// A terminal whose layouts and colours are those of stderr, for views that are written there.
    pub(crate) fn for_stderr(&self) -> Self {
        Self { stdout: self.stderr, ..self.clone() }
    }

    /// Lines of stdout, where it is a terminal.
    pub(crate) fn height(&self) -> Option<usize> {
        self.height
    }

    /// Columns of stdout; `None` when it is no terminal and lines may be as long as they are.
    pub(crate) fn width(&self) -> Option<usize> {
        self.stdout.width
    }

    /// Whether stdout shows colours.
    pub(crate) fn colors_stdout(&self) -> bool {
        self.stdout.palette != Palette::Plain
    }

    /// Whether a person reads stderr.
    pub(crate) fn stderr_is_terminal(&self) -> bool {
        self.stderr.is_terminal
    }

    /// Whether a person reads stdout.
    pub(crate) fn stdout_is_terminal(&self) -> bool {
        self.stdout.is_terminal
    }

    /// Whether a moving display on stderr makes sense.
    pub(crate) fn shows_progress(&self) -> bool {
        self.stderr.is_terminal
            && self.stderr.palette != Palette::Plain
            && self.verbosity >= Verbosity::Normal
    }

    /// Whether a person can be asked: all three streams are theirs.
    pub(crate) fn is_interactive(&self) -> bool {
        self.stderr.is_terminal && io::stdin().is_terminal()
    }

    /// Colours `text` for stdout.
    pub(crate) fn paint(&self, tint: Tint, text: &str) -> String {
        self.stdout.palette.paint(tint, text)
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

    /// Writes bytes that are not text.
    pub(crate) fn stdout_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        self.live_bytes(bytes).map(|_| ())
    }

    /// Writes a part of something that goes on, and says whether it still has a reader.
    pub(crate) fn live(&self, text: &str) -> io::Result<StdoutReader> {
        self.live_bytes(text.as_bytes())
    }

    fn live_bytes(&self, bytes: &[u8]) -> io::Result<StdoutReader> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(StdoutReader::Gone),
            written => written.map(|()| StdoutReader::There),
        }
    }

    /// Writes to stderr; a failure there can be reported nowhere.
    pub(crate) fn stderr(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        _ = stderr.write_all(text.as_bytes());
    }

    /// Says something useful on stderr, unless asked to be quiet.
    pub(crate) fn note(&self, text: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.labelled(Tint::Dim, "note:", text);
        }
    }

    /// Says something on stderr that is no note but the point, unless asked to be quiet.
    pub(crate) fn say(&self, text: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.stderr(&self.for_stderr().hang_unless_piped(&[], &escape::text(text)));
        }
    }

    /// Writes text to stderr that is escaped and coloured already, unless asked to be quiet.
    pub(crate) fn say_painted(&self, text: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.stderr(text);
        }
    }

    /// Warns on stderr.
    pub(crate) fn warn(&self, text: &str) {
        self.labelled(Tint::Warn, "warning:", text);
    }

    /// Writes text from outside behind a label to stderr; on a terminal, long lines hang below the first.
    pub(crate) fn labelled(&self, tint: Tint, label: &str, text: &str) {
        let indent = label.len() - label.trim_start().len();
        let lead = [(None, &label[..indent]), (Some(tint), label.trim_start()), (None, " ")];
        self.stderr(&self.for_stderr().hang_unless_piped(&lead, &escape::text(text)));
    }

    /// Wraps on a terminal; what a program reads keeps its lines.
    fn hang_unless_piped(&self, lead: &[layout::Piece<'_>], text: &str) -> String {
        match self.stdout.is_terminal {
            true => self.hang(lead, None, text),
            false => format!("{}{text}\n", self.pieces(lead)),
        }
    }
}

/// The colours of a stream: as many as its terminal shows.
fn palette(environment: &Environment, choice: ColorChoice, is_terminal: bool) -> Palette {
    let depth = variable(environment, "COLORTERM").unwrap_or_default();
    match wants_color(environment, choice, is_terminal) {
        false => Palette::Plain,
        true if matches!(depth, "truecolor" | "24bit") => Palette::Rgb,
        true => Palette::Indexed,
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
