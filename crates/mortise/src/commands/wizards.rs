//! `mortise wizards`: the data wizards as an MCP server, and as commands.

mod calling;
mod highlight;
mod introduction;
mod people;
mod view;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use mortise_config::{Config, Decision};
use mortise_wizards::data::files::{DataFiles, FileError, default_output};
use mortise_wizards::paths::{DecisionLayers, DecisionLimits, DecisionSensitivity};
use mortise_wizards::{WizardOptions, Wizards, server};

use self::people::{BacktestArgs, DescribeArgs, ExtractArgs, ParserArgs, ScanArgs, WizardRunArgs};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt;
use crate::servers;
use crate::serving::{self, ServingArgs};

/// Arguments of `mortise wizards`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, subcommand_negates_reqs = true)]
pub(crate) struct WizardsArgs {
    /// What to do; without it the wizards are served to an assistant, or listed at a terminal
    #[command(subcommand)]
    command: Option<WizardCommand>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Also give the old field code_preview, which goes away with the next minor release
    #[arg(long)]
    enable_legacy_output: bool,
    #[command(flatten)]
    serving: ServingArgs,
}

/// What may be read and written.
#[derive(Clone, Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Read files only below this folder (repeatable) [default: the working directory; for a command, what it names]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Files")]
    root: Vec<PathBuf>,
    /// Write only below this folder [default: mortise-out in the first root]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Files")]
    output: Option<PathBuf>,
    /// Use only ASCII in texts for people
    #[arg(long, global = true)]
    ascii: bool,
}

/// The wizards as commands.
#[derive(Clone, Debug, Subcommand)]
enum WizardCommand {
    /// List the files of a folder
    Scan(ScanArgs),
    /// Show what is in files: columns, types, and how sure that is
    Describe(DescribeArgs),
    /// Write a rule that extracts data from paths
    Extract(ExtractArgs),
    /// Write a Python parser for a file and run it
    Parser(ParserArgs),
    /// Run a parser on all files
    Backtest(BacktestArgs),
    /// Write the rows of files as tables
    Run(WizardRunArgs),
}

/// Serves the wizards, or runs one.
pub(crate) fn run(app: &App, args: &WizardsArgs) -> Result<Exit, Failure> {
    match &args.command {
        None if !args.serving.is_http() && std::io::stdin().is_terminal() => introduction::show(app),
        None => serve(app, args),
        Some(WizardCommand::Scan(command)) => people::scan(app, &args.place, command),
        Some(WizardCommand::Describe(command)) => people::describe(app, &args.place, command),
        Some(WizardCommand::Extract(command)) => people::extract(app, &args.place, command),
        Some(WizardCommand::Parser(command)) => people::parser(app, &args.place, command),
        Some(WizardCommand::Backtest(command)) => people::backtest(app, &args.place, command),
        Some(WizardCommand::Run(command)) => people::run(app, &args.place, command),
    }
}

fn serve(app: &App, args: &WizardsArgs) -> Result<Exit, Failure> {
    let mut options = options(app, &args.place, None)?;
    options.legacy_output = args.enable_legacy_output;
    let wizards = Arc::new(Wizards::start(options));
    let server = server::server(&wizards).map_err(|error| Failure::from_error(Exit::Bug, &error))?;
    let served = interrupt::block_on_many_threads(async |stop| {
        serving::until_asked(app, &server, &args.serving, stop).await
    });
    wizards.legacy.log();
    served
}

/// What the wizards may read and write; `named` are the folders that a command names.
fn options(app: &App, place: &PlaceArgs, named: Option<Vec<PathBuf>>) -> Result<WizardOptions, Failure> {
    let environment = &app.environment;
    let absolute = |path: &PathBuf| environment.absolute(path);
    // A link that was named is meant; one that was merely found is not.
    let named_output = |path: &PathBuf| {
        let path = absolute(path);
        path.canonicalize().unwrap_or(path)
    };
    let output = place.output.as_ref().map(named_output);
    let roots: Vec<PathBuf> = place.root.iter().map(absolute).collect();
    let refused = |error: FileError| {
        let hint = match error {
            FileError::Linked { .. } => "remove the link, or name the folder for results with --output",
            _ => "name the folder with --root",
        };
        Failure::from_error(Exit::Usage, &error).hint(hint)
    };
    let (roots, output) = match (roots.is_empty(), named) {
        (false, _) => (roots, output),
        // A command reads what it names, and writes where it is run.
        (true, Some(named)) => {
            let here = || default_output(&environment.working_directory).map_err(refused);
            (named, Some(output.map_or_else(here, Ok)?))
        }
        (true, None) => {
            let directory = &environment.working_directory;
            DataFiles::in_working_directory(directory, environment.home.as_deref(), output.as_deref())
                .map_err(refused)?;
            (vec![directory.clone()], output)
        }
    };
    let files = DataFiles::new(&roots, output.as_deref()).map_err(refused)?;
    let mut options = WizardOptions::below(roots.first().cloned().unwrap_or_default());
    options.output = files.output().to_owned();
    options.state = options.output.join(".state");
    options.roots = roots;
    options.cache_directory = environment.cache_directory.clone();
    options.ascii = place.ascii;
    configure(app, &mut options)?;
    Ok(options)
}

/// What files and variables say about paths.
fn configure(app: &App, options: &mut WizardOptions) -> Result<(), Failure> {
    let environment = &app.environment;
    let variable = |name: &str| environment.variable(name).map(|value| value.to_string_lossy().into_owned());
    let set = DecisionLimits::from_variables(variable)
        .map_err(|error| Failure::from_error(Exit::Usage, &error).hint("change the variable, or unset it"))?;
    let file = Config::wizards(environment, &app.connect.config).map_err(|error| servers::refused(&error))?;
    let sources = file.sources.into_iter().map(|(source, decision)| (source, limits(&decision)));
    options.decision =
        DecisionLayers { global: limits(&file.decision), sources: sources.collect(), environment: set };
    options.words = file.words;
    options.long_time = file.timeout.unwrap_or(options.long_time);
    options.output_bytes = file.max_output_bytes.unwrap_or(options.output_bytes);
    Ok(())
}

fn limits(decision: &Decision) -> DecisionLimits {
    DecisionLimits {
        recommend_regex_chars: decision.recommend_regex_chars,
        recommend_groups: decision.recommend_groups,
        force_regex_chars: decision.force_regex_chars,
        force_groups: decision.force_groups,
        prefer_yaml: decision.prefer_yaml,
        sensitivity: decision.sensitivity.map(|sensitivity| match sensitivity {
            mortise_config::Sensitivity::Strict => DecisionSensitivity::Strict,
            mortise_config::Sensitivity::Loose => DecisionSensitivity::Loose,
        }),
    }
}

const EXAMPLES: &str = "\
Examples:
  claude mcp add data -- mortise data --root ./data
  mortise data scan data
  mortise data describe data/orders.csv
  mortise data parser data/orders.csv > parser.py
  mortise data run data/*.csv --parser parser.py --format parquet";
