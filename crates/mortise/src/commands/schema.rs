//! `mortise schema`: JSON Schemas of our own formats.

use clap::{Args, ValueEnum};
use mortise_tester::changes::Comparison;
use mortise_tester::changes::waiver::Waivers;
use mortise_tester::lock::LockFile;
use mortise_upstream::config::Config;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::pretty;

/// Arguments of `mortise schema`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The format
    #[arg(value_enum)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// The configuration file, mortise.yaml
    Config,
    /// The lock file, mortise.lock.json
    Lock,
    /// The file with waivers, mortise.waivers.yaml
    Waivers,
    /// What `mortise diff --json` prints
    Diff,
}

/// Prints the schema.
pub(crate) fn run(app: &App, args: &SchemaArgs) -> Result<Exit, Failure> {
    let schema = match args.format {
        Format::Config => Config::json_schema(),
        Format::Lock => LockFile::json_schema(),
        Format::Waivers => Waivers::json_schema(),
        Format::Diff => Comparison::json_schema(),
    };
    app.print(&(pretty::indent(&schema.to_string()) + "\n"))?;
    Ok(Exit::Ok)
}
