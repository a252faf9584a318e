//! What every command has at hand.

use mortise_client::environment::Environment;
use tracing::Level;

use crate::cli::{ConnectArgs, GlobalArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::logging;
use crate::terminal::{StdoutReader, Terminal, json_view};

/// The environment, the streams and the options of every command.
#[derive(Debug)]
pub(crate) struct App {
    /// What the process was started with.
    pub(crate) environment: Environment,
    /// The output streams.
    pub(crate) terminal: Terminal,
    /// Options of every command.
    pub(crate) global: GlobalArgs,
    /// Options about servers.
    pub(crate) connect: ConnectArgs,
}

impl App {
    /// Looks at the streams; nothing else happens yet.
    pub(crate) fn new(environment: Environment, global: GlobalArgs, connect: ConnectArgs) -> Self {
        let terminal = Terminal::new(&environment, global.color, global.verbosity());
        let terminal = if global.no_pager { terminal.without_pager() } else { terminal };
        Self { environment, terminal, global, connect }
    }

    /// Starts logging as the options say; without any, at the level `usual`.
    pub(crate) fn start_logging(&self, usual: Level) -> Result<(), Failure> {
        logging::start(&self.global.logging(usual), &self.environment)
    }

    /// Prints a result.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        self.terminal.stdout(text).map_err(|error| not_written(&error))
    }

    /// Prints a result that may be longer than the screen: through a pager, if a person reads it.
    pub(crate) fn print_paged(&self, text: &str) -> Result<(), Failure> {
        self.terminal.page(text).map(|_| ()).map_err(|error| not_written(&error))
    }

    /// Prints bytes that are not text, for a program or a file.
    pub(crate) fn print_bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.terminal.stdout_bytes(bytes).map_err(|error| not_written(&error))
    }

    /// Prints a part of something that goes on, and says whether it still has a reader.
    pub(crate) fn print_live(&self, text: &str) -> Result<StdoutReader, Failure> {
        self.terminal.live(text).map_err(|error| not_written(&error))
    }

    /// Prints a JSON result: as it is for programs, indented, coloured and escaped for a person.
    pub(crate) fn print_json(&self, json: &str) -> Result<(), Failure> {
        match self.terminal.stdout_is_terminal() {
            true => self.print(&json_view::show(&self.terminal, json, &[]).text),
            false => self.print(&format!("{json}\n")),
        }
    }
}

fn not_written(error: &std::io::Error) -> Failure {
    Failure::new(Exit::Usage, "cannot write to stdout").because(error)
}
