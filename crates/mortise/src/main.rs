//! The `mortise` program: reads the command line, runs one command, prints what came of it.

mod against_lock;
mod allocator;
mod app;
mod arguments;
mod cli;
mod commands;
mod completion;
mod crash;
mod descriptors;
mod editing;
mod exit;
mod failure;
mod find;
mod input;
mod interrupt;
mod journal;
mod json_text;
mod known_tools;
mod locking;
mod logging;
mod overview;
mod programs;
mod question;
mod recordings;
mod server_memory;
mod servers;
mod serving;
mod session;
mod shell_word;
mod snapshots;
mod surroundings;
mod terminal;
mod version;
mod watching;

use std::process::ExitCode;

use tracing::Level;

use crate::app::App;
use crate::exit::Exit;

fn main() -> ExitCode {
    descriptors::keep_from_children();
    if surroundings::is_warden() {
        return warden();
    }
    allocator::keep_little();
    crash::install_hook();
    interrupt::survive_file_size_limit();
    crash::guard(run).into()
}

fn run() -> Exit {
    let environment = surroundings::read();
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(exit) = completion::answer(&environment, &arguments) {
        return exit;
    }
    let cli = match cli::parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            return cli::explain(&error, &arguments, &cli::terminal_before_options(&environment, &arguments));
        }
    };
    let app = App::new(environment, cli.global, cli.connect);
    if let Some(ignored) = &cli.ignored {
        app.terminal.warn(ignored);
    }
    // TLS by ring everywhere; the first choice stays, and nobody else makes one.
    _ = rustls::crypto::ring::default_provider().install_default();
    let level = cli.command.as_ref().map_or(Level::ERROR, cli::Command::usual_log_level);
    match app.start_logging(level).and_then(|()| commands::run(&app, cli.command)) {
        Ok(exit) => exit,
        Err(failure) => {
            failure.print(&app.terminal);
            failure.exit
        }
    }
}

/// Watches over one server for another mortise. Nothing else is set up: every server waits for its warden.
fn warden() -> ExitCode {
    match mortise_client::warden::run(std::env::args_os().skip(2)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => Exit::Usage.into(),
    }
}
