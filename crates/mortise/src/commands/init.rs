//! `mortise init`: a configuration from those of other MCP clients.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use mortise_config::import;
use mortise_config::trust::{Fingerprint, TrustStore};
use mortise_config::{Config, ConfigError};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::servers;

/// Arguments of `mortise init`.
#[derive(Clone, Debug, Args)]
pub(crate) struct InitArgs {
    /// Take over the servers of these files: Claude, Cursor, VS Code, Codex and others
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Where to write it; - for stdout
    #[arg(long, value_name = "FILE", default_value = Config::FILE_NAME)]
    out: PathBuf,
}

/// Writes the file; one that is there is never overwritten.
pub(crate) fn run(app: &App, args: &InitArgs) -> Result<Exit, Failure> {
    let init = import::init(&app.environment, &args.from).map_err(|error| refused(&error))?;
    for note in &init.notes {
        app.terminal.note(&note.to_string());
    }
    if args.out == Path::new("-") {
        app.print(&init.text)?;
        return Ok(Exit::Ok);
    }
    let path = app.environment.absolute(&args.out);
    write(&path, &init.text)?;
    // The user wrote this file by this very command, which is as good as `mortise trust`.
    let trusted = TrustStore::open(&app.environment)
        .and_then(|store| store.trust(&path, Fingerprint::of(&app.environment, &path, &init.text)));
    if let Err(error) = trusted {
        app.terminal.warn(&format!("the file is not trusted yet: {error}"));
    }
    let count = match init.servers {
        0 => "no servers".to_owned(),
        1 => "1 server".to_owned(),
        count => format!("{count} servers"),
    };
    app.terminal.note(&format!("wrote `{}` with {count}", path.display()));
    Ok(Exit::Ok)
}

/// A file that the user named and that can't be read is a mistake of the command line.
fn refused(error: &ConfigError) -> Failure {
    match error {
        ConfigError::Read { .. } => Failure::from_error(Exit::Usage, error)
            .hint("`mortise import` lists what other programs have, and takes it"),
        error => servers::refused(error),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    // It can hold secrets that were written out in the other files.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let failure =
            Failure::new(Exit::Configuration, format!("cannot write `{}`", path.display())).because(&error);
        match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                failure.hint("remove it first, or choose another name with --out")
            }
            _ => failure,
        }
    })
}
