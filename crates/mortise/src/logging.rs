//! Diagnostics: to stderr or a file, never to stdout.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

use mortise_client::environment::Environment;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::escape;

/// How log lines look: for people, or one JSON object per line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
}

/// Where and how much to log.
#[derive(Clone, Debug)]
pub(crate) struct LogOptions {
    /// The file; stderr if none.
    pub(crate) file: Option<PathBuf>,
    /// How lines look.
    pub(crate) format: LogFormat,
    /// The level asked for by `-v` and `-q`.
    pub(crate) level: Level,
}

/// Sets logging up for the whole process.
pub(crate) fn start(options: &LogOptions, environment: &Environment) -> Result<(), Failure> {
    let filter = filter(options.level, environment)?;
    let sink = match &options.file {
        None => LogSink::Stderr,
        Some(path) => LogSink::file(open(path)?, path),
    };
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(sink);
    let layer = match options.format {
        LogFormat::Text => layer.boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    // Fails only if a subscriber is set already, which nobody else in this process does.
    _ = tracing_subscriber::registry().with(layer.with_filter(filter)).try_init();
    Ok(())
}

/// `MORTISE_LOG` wins; else our own events at the level asked for, and of others' only warnings.
///
/// The protocol library logs parts of messages, arguments and all, at every level: it is silent unless
/// `MORTISE_LOG` names it.
fn filter(level: Level, environment: &Environment) -> Result<Targets, Failure> {
    match environment.variable("MORTISE_LOG").filter(|value| !value.is_empty()) {
        Some(value) => value.to_string_lossy().parse().map_err(|error| {
            Failure::new(Exit::Usage, format!("MORTISE_LOG is `{}`", value.to_string_lossy()))
                .because(&error)
                .hint("use a level or targets with levels, for example `debug` or `mortise=debug,rmcp=info`")
        }),
        None => {
            let others = if level >= Level::INFO { Level::WARN } else { Level::ERROR };
            // All our crates begin with the name of the first.
            let targets = Targets::new().with_default(others).with_target("mortise", level);
            Ok(targets.with_target("rmcp", LevelFilter::OFF))
        }
    }
}

fn open(path: &PathBuf) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot write the log file `{}`", path.display())).because(&error)
    })
}

/// Where events go; every event is one line and its text is escaped.
enum LogSink {
    Stderr,
    File {
        file: Mutex<File>,
        path: PathBuf,
        /// Warns of the first event that does not fit, on a full disk for example.
        warning: Once,
    },
}

impl LogSink {
    fn file(file: File, path: &Path) -> Self {
        Self::File { file: Mutex::new(file), path: path.to_owned(), warning: Once::new() }
    }
}

impl<'a> MakeWriter<'a> for LogSink {
    type Writer = LogLine<'a>;

    fn make_writer(&'a self) -> LogLine<'a> {
        LogLine(self)
    }
}

struct LogLine<'a>(&'a LogSink);

impl io::Write for LogLine<'_> {
    /// The formatter hands over one whole event at a time.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let escaped = escape::text(text.trim_end_matches('\n')).replace('\n', "\\n") + "\n";
        let LogSink::File { file, path, warning } = self.0 else {
            to_stderr(&escaped)?;
            return Ok(event.len());
        };
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Err(error) = file.write_all(escaped.as_bytes()) {
            warning.call_once(|| {
                let path = escape::line(&path.to_string_lossy());
                _ = to_stderr(&format!(
                    "warning: cannot write the log file `{path}`: {error}; what it has no room for follows here\n"
                ));
            });
            to_stderr(&escaped)?;
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn to_stderr(text: &str) -> io::Result<()> {
    io::Write::write_all(&mut io::stderr().lock(), text.as_bytes())
}

#[cfg(test)]
mod tests;
