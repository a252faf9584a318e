//! The command line as a whole; each command's own arguments are beside its code.

pub(crate) mod groups;
mod mistakes;
pub(crate) mod modes;
pub(crate) mod tool_options;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use mortise_client::environment::Environment;
use mortise_contract::Mode;
use tracing::Level;

use crate::commands::{
    add, approvals, auth, call, check, checker, completions, declare, diff, doctor, formats, help, import,
    init, inspect, install, kept, list, lock, login, man, mock, prompt, read, record, remove, replay, run,
    runs, sample, schema, serve, tester, tools, trust, wizards,
};
use crate::exit::Exit;
use crate::logging::{LogFormat, LogOptions};
use crate::terminal::{ColorChoice, Terminal, Verbosity};
use crate::version;

/// See what MCP tools promise, call them, and learn whether they keep it.
#[derive(Debug, Parser)]
#[command(
    name = "mortise",
    bin_name = "mortise",
    version = version::SHORT,
    long_version = version::LONG,
    max_term_width = 100,
    disable_help_subcommand = true,
    subcommand_value_name = "COMMAND",
    help_template = "{about}\n\n{usage-heading} {usage}{after-help}\n"
)]
pub(crate) struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// Options of the commands that connect to servers.
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// What to do; without it, [`crate::commands::home`] shows where to begin.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Which options have no effect on the command.
    #[arg(skip)]
    pub(crate) ignored: Option<String>,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Print the result as JSON
    #[arg(long, global = true, help_heading = OUTPUT)]
    pub(crate) json: bool,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", help_heading = OUTPUT)]
    pub(crate) color: ColorChoice,
    /// Say more; twice for details, three times for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = OUTPUT)]
    pub(crate) verbose: u8,
    /// Say only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = OUTPUT)]
    pub(crate) quiet: bool,
    /// Print long output at once, without a pager
    #[arg(long, global = true, help_heading = OUTPUT)]
    pub(crate) no_pager: bool,
    /// Write the log to a file instead of stderr
    #[arg(long, global = true, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) log_file: Option<PathBuf>,
    /// How log lines look
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub(crate) log_format: LogFormat,
}

/// Options of the commands that connect to servers.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ConnectArgs {
    /// Read servers from this file (repeatable); also reads the files of other MCP clients
    #[arg(long, global = true, value_name = "FILE", help_heading = SERVERS)]
    pub(crate) config: Vec<PathBuf>,
    /// Use this server (repeatable): a command, split into words but never run by a shell, or a URL
    #[arg(long, global = true, value_name = "NAME=COMMAND", help_heading = SERVERS)]
    pub(crate) server: Vec<String>,
    /// Use the server at this URL
    #[arg(long, global = true, value_name = "URL", help_heading = SERVERS)]
    pub(crate) url: Option<String>,
    /// Use the built-in sample servers, whose data is invented
    #[arg(long, global = true, help_heading = SERVERS)]
    pub(crate) samples: bool,
    /// Pass this variable on to the servers that are started (repeatable); in `add` also NAME=VALUE
    #[arg(long, global = true, value_name = "NAME", help_heading = SERVERS)]
    pub(crate) env: Vec<String>,
    /// Give up connecting, a call or a program after this time: 30, 500ms, 2m
    #[arg(long, global = true, value_name = "TIME", value_parser = parse_time, help_heading = SERVERS)]
    pub(crate) timeout: Option<Duration>,
    /// What to do about results that break their contract
    #[arg(long, global = true, value_name = "MODE", value_parser = modes::results(), help_heading = SERVERS)]
    pub(crate) mode: Option<Mode>,
    /// Short for --mode strict, in which an output schema that can't be used fails too (exit 7)
    #[arg(long, global = true, hide = true, conflicts_with = "mode", help_heading = SERVERS)]
    pub(crate) strict: bool,
}

impl ConnectArgs {
    /// The mode of every tool, by `--mode` or `--strict`.
    pub(crate) fn mode(&self) -> Option<Mode> {
        match self.strict {
            true => Some(Mode::Strict),
            false => self.mode,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List tools, or show what one takes and returns
    Tools(tools::ToolsArgs),
    /// Call a tool and check what it returns
    Call(call::CallArgs),
    /// Check that servers keep their contracts, by declarations, made-up calls and cases
    Check(check::CheckArgs),
    /// Record what servers declare, or check that they still do
    Lock(lock::LockArgs),
    /// Show what changed between two states of servers, and what it breaks
    Diff(diff::DiffArgs),
    /// Run a Python program over the tools of all servers
    Run(run::RunArgs),
    /// List what programs did; show, compare, export or remove runs
    Runs(runs::RunsArgs),
    /// Go on with a run where it stopped, without making a call twice
    Resume(run::ResumeArgs),
    /// Repeat a recorded run offline, and compare
    Replay(replay::ReplayArgs),
    /// Answer questions of programs that wait for approval
    Approvals(approvals::ApprovalsArgs),
    /// List values that programs keep for later ones; show or remove them
    Kept(kept::KeptArgs),
    /// Run the gateway: an agent calls all your servers' tools from one Python program
    Serve(serve::ServeArgs),
    /// Declare tools to LLM providers, in TypeScript or in Python
    #[command(alias = "declare")]
    Export(declare::DeclareArgs),
    /// From a folder of files to typed tables, here or served to an assistant
    #[command(alias = "wizards")]
    Data(wizards::WizardsArgs),
    /// Add a server to mortise.yaml
    Add(add::AddArgs),
    /// Take a server out of mortise.yaml
    Remove(remove::RemoveArgs),
    /// List the configured servers and what is known about them; nothing is started
    List(list::ListArgs),
    /// Take servers from the files of Claude, Codex, Cursor, VS Code and others
    Import(import::ImportArgs),
    /// Write mortise into the file of an agent's program; you see the change first
    Install(install::InstallArgs),
    /// Log in to a server that asks for it
    Login(login::LoginArgs),
    /// Forget the login of a server
    Logout(login::LogoutArgs),
    /// Show what is configured, what can be reached and what is wrong
    Doctor(doctor::DoctorArgs),
    /// Read a resource of a server
    Read(read::ReadArgs),
    /// Fill in a prompt of a server
    Prompt(prompt::PromptArgs),
    /// Record what passes between a client and a server
    Record(record::RecordArgs),
    /// Print a JSON Schema of one of our own formats
    Schema(schema::SchemaArgs),
    /// Check results of tools against the rules of the output formats
    Formats(formats::FormatsArgs),
    /// Print the licences of everything inside this program
    Licenses,
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write a page for each command
    Man(man::ManArgs),
    /// Allow the configuration of a project to start its servers
    Trust(trust::TrustArgs),
    /// Explain a command
    Help(help::HelpArgs),
    /// Print the version
    Version,
    /// Show what one tool takes and returns
    #[command(hide = true)]
    Inspect(inspect::InspectArgs),
    /// Serve the tester: tools with which an assistant tests other MCP servers
    #[command(hide = true)]
    Tester(tester::TesterArgs),
    /// Serve a built-in sample server
    #[command(hide = true)]
    Sample(sample::SampleArgs),
    /// Serve a server that misbehaves in the way you choose
    #[command(hide = true)]
    Mock(mock::MockArgs),
    /// Write a mortise.yaml from the files of other MCP clients
    #[command(hide = true)]
    Init(init::InitArgs),
    /// Log in to servers that ask for it
    #[command(hide = true)]
    Auth(auth::AuthArgs),
    /// Check programs for the process that started this one
    #[command(hide = true)]
    Checker(checker::CheckerArgs),
    /// Print this reference as Markdown
    #[command(hide = true)]
    HelpMarkdown,
}

impl Command {
    /// What is logged without `-v` or `-q`.
    ///
    /// A server has only its log to speak with; other commands report what went wrong themselves.
    pub(crate) fn usual_log_level(&self) -> Level {
        match self {
            Self::Serve(_)
            | Self::Tester(_)
            | Self::Data(_)
            | Self::Sample(_)
            | Self::Mock(_)
            | Self::Record(_) => Level::WARN,
            _ => Level::ERROR,
        }
    }
}

const OUTPUT: &str = "Output";
const SERVERS: &str = "Servers";

/// Commands for which the options under [`SERVERS`] mean something.
const CONNECTING: &[&str] = &[
    "run", "resume", "serve", "tools", "inspect", "call", "lock", "diff", "check", "export", "doctor",
    "auth", "read", "prompt", "record",
];

/// Options under [`SERVERS`] that mean something for other commands too.
const ALSO: &[(&str, &[&str])] = &[
    ("add", &["config", "env"]),
    ("remove", &["config"]),
    ("list", &["config"]),
    ("import", &["config"]),
    ("install", &["config"]),
    ("login", &["config", "timeout"]),
    ("logout", &["config"]),
    ("prune", &["config"]),
];

/// Commands for which the mode of a tool means something: they call tools, or say how calls would be judged.
const JUDGING: &[&str] = &["run", "resume", "serve", "tools", "inspect", "call", "export"];

/// The whole command line, with options hidden where they mean nothing.
pub(crate) fn command() -> clap::Command {
    let command = Cli::command();
    let (short, long) = (groups::short(&command), groups::long(&command));
    let mut command = command.after_help(short).after_long_help(long);
    command.build();
    command.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        let (is_connecting, is_judging) =
            (CONNECTING.contains(&name.as_str()), JUDGING.contains(&name.as_str()));
        // What is below `serve` serves something of our own.
        let below = is_connecting && name != "serve";
        hide_unused(command, is_connecting, is_judging)
            .mut_subcommands(|command| hide_unused(command, below, below && is_judging))
    })
}

/// Commands whose output may be longer than the screen, and goes through a pager then.
const PAGED: &[&str] = &["tools", "inspect", "doctor", "licenses", "runs"];

/// Hides the options about servers and pagers that change nothing.
fn hide_unused(command: clap::Command, is_connecting: bool, is_judging: bool) -> clap::Command {
    let name = command.get_name().to_owned();
    let also = ALSO.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, options)| *options);
    let is_paged = PAGED.contains(&name.as_str());
    command.mut_args(|argument| {
        let is_used = match (argument.get_help_heading(), argument.get_id().as_str()) {
            // There `--mode` is an old way to say `--fail-on`.
            (Some(SERVERS), "mode") => is_judging && name != "export",
            (Some(SERVERS), "strict") => false,
            (Some(SERVERS), id) => is_connecting || also.contains(&id),
            (_, "no_pager") => is_paged,
            _ => return argument,
        };
        argument.hide(!is_used)
    })
}

/// Reads the process's arguments.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let command = command().color(help_color(arguments));
    let words = tool_options::mark(&command, arguments);
    let ours = tool_options::ours_after_tool(&command, arguments);
    let matches = command.try_get_matches_from(words)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Some(Command::Call(call)) = &mut cli.command {
        call.ours_after_tool = ours;
    }
    let unused = matches.subcommand_name().filter(|name| !JUDGING.contains(name));
    if let (Some(name), Some(_)) = (unused, cli.connect.mode()) {
        cli.ignored = Some(format!(
            "`mortise {name}` judges no results by mode, so `--mode` and `--strict` change nothing"
        ));
    }
    Ok(cli)
}

/// The long names of a command's options.
pub(crate) fn option_names(name: &str) -> Vec<String> {
    let command = command();
    let sub = command.find_subcommand(name);
    sub.into_iter()
        .flat_map(clap::Command::get_arguments)
        .filter(|argument| !argument.is_hide_set())
        .filter_map(|argument| argument.get_long().map(str::to_owned))
        .collect()
}

/// `--color` for clap's own messages, which come before the options are read.
fn help_color(arguments: &[OsString]) -> clap::ColorChoice {
    let mut words = arguments.iter().take_while(|word| *word != "--").filter_map(|word| word.to_str());
    let choice = words.find_map(|word| word.strip_prefix("--color=").map(str::to_owned)).or_else(|| {
        let at = arguments.iter().position(|word| word == "--color")?;
        arguments.get(at + 1)?.to_str().map(str::to_owned)
    });
    match choice.as_deref() {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

/// Prints what clap has to say: help and version to stdout, a mistake to stderr in our words.
pub(crate) fn explain(error: &clap::Error, arguments: &[OsString], terminal: &Terminal) -> Exit {
    if !error.use_stderr() {
        // A reader that went away has read enough.
        _ = error.print();
        return Exit::Ok;
    }
    let failure = mistakes::explain(error, &mistakes::TypedCommand::read(&command(), arguments));
    failure.print(terminal);
    failure.exit
}

/// The streams of a process whose options can't be read.
pub(crate) fn terminal_before_options(environment: &Environment, arguments: &[OsString]) -> Terminal {
    let color = match help_color(arguments) {
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
        clap::ColorChoice::Auto => ColorChoice::Auto,
    };
    Terminal::new(environment, color, Verbosity::Normal)
}

impl GlobalArgs {
    /// What is said besides results and errors.
    pub(crate) fn verbosity(&self) -> Verbosity {
        match self.quiet {
            true => Verbosity::Quiet,
            false => Verbosity::Normal,
        }
    }

    /// Where and how much to log; `usual` without `-v` or `-q`.
    pub(crate) fn logging(&self, usual: Level) -> LogOptions {
        let level = match (self.quiet, self.verbose) {
            (true, _) => Level::ERROR,
            (false, 0) => usual,
            (false, 1) => Level::INFO,
            (false, 2) => Level::DEBUG,
            (false, _) => Level::TRACE,
        };
        LogOptions { file: self.log_file.clone(), format: self.log_format, level }
    }
}

/// `30`, `1.5`, `500ms`, `30s` or `2m`.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        _ => return Err(format!("`{unit}` is not a unit of time; use ms, s or m")),
    };
    let seconds: f64 =
        number.parse().map_err(|_| "use a number of seconds, for example 30 or 500ms".to_owned())?;
    match Duration::try_from_secs_f64(seconds * factor) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("the time must be more than zero".to_owned()),
    }
}

#[cfg(test)]
mod tests;
