//! `mortise check`: do servers keep their contracts.

mod draft;
mod suggest;
mod view;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use mortise_client::bounded_file;
use mortise_tester::check::{
    AnswerComparison, Calling, CaseFile, CheckReport, Class, FindingSeverity, Format, Plan,
    RecordedServerRun, ServerReport, check_against, check_server, unreachable_server,
};

use crate::app::App;
use crate::cli::parse_time;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::failure::upstream::Unusable;
use crate::find::{self, nearest};
use crate::input;
use crate::json_text::{self, JsonObject};
use crate::recordings;
use crate::servers::{self, AdHocArgs, ChosenServers, IfNone, SameServers};
use crate::session::{self, Connected, ServerSession, StartFirst};
use crate::terminal::spinner;
use crate::watching::{self, WatchedEnd};
use suggest::SuggestedSchemas;
use view::CheckDetail;

/// Largest case file.
const CASE_FILE_BYTES: u64 = 1024 * 1024;

/// Arguments of `mortise check`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Only this server: its name, or a URL
    #[arg(value_name = "SERVER")]
    only: Option<String>,
    /// Run the cases in this YAML file (repeatable)
    #[arg(long, value_name = "FILE")]
    cases: Vec<PathBuf>,
    /// Send the requests of this recording again and report what differs; `mortise record` writes one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cases", "write_cases"])]
    against: Option<PathBuf>,
    /// With --against: values must be the same too, not only their shape
    #[arg(long, requires = "against")]
    exact: bool,
    /// Look at and call only this tool (repeatable)
    #[arg(long, value_name = "TOOL")]
    tool: Vec<String>,
    /// Call this tool though it does not say that it only reads (repeatable)
    #[arg(long, value_name = "TOOL", conflicts_with = "call_all")]
    call: Vec<String>,
    /// Call every tool, also those that may change or delete something
    #[arg(long)]
    call_all: bool,
    /// Calls made up for each tool, and up to eight more to find arguments that work; 0 looks at the declarations only
    #[arg(long, value_name = "COUNT", default_value_t = 12)]
    calls: usize,
    /// Where made-up arguments come from; the same seed gives the same ones
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Report answers that take longer
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "5s")]
    slow: Duration,
    /// The least severity that makes the check fail
    #[arg(long, value_name = "SEVERITY", value_parser = severity_parser(), default_value = "error")]
    fail_on: FailOn,
    /// Write a report (repeatable): json=FILE, junit=FILE, sarif=FILE or html=FILE, or a name that ends so
    #[arg(long, value_name = "FORMAT=FILE", value_parser = parse_report)]
    report: Vec<(Format, PathBuf)>,
    /// Write a case for each verified tool to this new file; with several servers, one file each
    #[arg(long, value_name = "FILE")]
    write_cases: Option<PathBuf>,
    /// Show an output schema for each tool that declares none, from the results of this check and of programs before
    #[arg(long)]
    suggest: bool,
    /// Write the suggested output schemas to this file too, as JSON
    #[arg(long, value_name = "FILE", requires = "suggest")]
    write: Option<PathBuf>,
    /// Check again whenever a case file or the configuration changes
    #[arg(long, conflicts_with = "write_cases")]
    watch: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// What makes a check fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailOn {
    At(FindingSeverity),
    Never,
}

/// Checks servers, once or whenever what the check reads changes.
pub(crate) fn run(app: &App, args: &CheckArgs) -> Result<Exit, Failure> {
    match args.watch {
        true => {
            let read = args.cases.iter().chain(&args.against);
            let read: Vec<PathBuf> = read.map(|path| app.environment.absolute(path)).collect();
            // A check is about a server as it starts, so each one starts it anew.
            watching::run_again_on_change(app, &read, |_| run_once(app, args).map(WatchedEnd::Ran))
        }
        false => run_once(app, args),
    }
}

/// Checks all servers, or one, prints the report, then writes the others that are asked for.
fn run_once(app: &App, args: &CheckArgs) -> Result<Exit, Failure> {
    args.write_cases.as_deref().map_or(Ok(()), draft::refuse_existing)?;
    let cases = args.cases.iter().map(|path| case_file(path)).collect::<Result<Vec<_>, _>>()?;
    let recorded = args.against.as_ref().map(|path| recorded_run(app, path, args.exact)).transpose()?;
    let asked = args.only.as_deref();
    let url = asked.and_then(|server| find::noted_address(app, server));
    let mut servers = servers::choose(app, &args.ad_hoc, url.as_deref(), IfNone::Refuse)?;
    if let Some(name) = asked.filter(|_| url.is_none()) {
        let known: Vec<&str> = servers.configs.iter().map(|config| config.name.as_str()).collect();
        let is_near = nearest(name, known).is_some();
        let not_tool = |failure: Failure| match is_near {
            true => failure,
            false => failure.hint(format!("if it is a tool: mortise check --tool {name}")),
        };
        servers.keep_only(&[name.to_owned()]).map_err(not_tool)?;
    }
    if let Some(recorded) = &recorded {
        keep_recorded(&mut servers, &recorded.recording.server)?;
    }
    let mut suggested = args.suggest.then(|| SuggestedSchemas::new(app, servers.observe));
    let report = session::run(app, servers, StartFirst::All, async |session| {
        let running = CheckReport::begin(args.seed);
        let checked = check(app, args, session, &cases, recorded.as_ref(), suggested.as_mut()).await?;
        Ok(running.finish(checked))
    })?;
    unused(app, &cases, &report);
    let printed = match app.global.json {
        true => app.print_json(&json(&report, suggested.as_ref())),
        false => {
            let same = SameServers::of(app, &args.ad_hoc, url.as_deref());
            let detail = if app.global.verbose > 0 { CheckDetail::All } else { CheckDetail::Usual };
            let shown = suggested.as_ref().map(|suggested| suggested.view(app)).unwrap_or_default();
            app.print(&(view::view(&app.terminal, &report, &same, detail) + &shown))
        }
    };
    let all_written = write_reports(app, &args.report, &report);
    let all_written =
        args.write_cases.as_ref().is_none_or(|path| draft::write(app, path, &report)) && all_written;
    let all_written = match (&suggested, &args.write) {
        (Some(suggested), Some(path)) => suggested.write(app, path) && all_written,
        _ => all_written,
    };
    printed?;
    let found = match args.fail_on {
        FailOn::Never => Exit::Ok,
        FailOn::At(severity) => exit(report.class(severity)),
    };
    // What was found says more than a report that is missing.
    Ok(if found == Exit::Ok && !all_written { Exit::Usage } else { found })
}

/// The report, with the suggested schemas as one more member where they are asked for.
fn json(report: &CheckReport, suggested: Option<&SuggestedSchemas>) -> String {
    let report = report.render(Format::Json);
    match suggested {
        Some(suggested) => {
            json_text::extend(&report, JsonObject::default().value("suggested", &suggested.json()))
        }
        None => report,
    }
}

/// Writes all that can be written, and says what can't; whether all could.
fn write_reports(app: &App, wanted: &[(Format, PathBuf)], report: &CheckReport) -> bool {
    let mut all_written = true;
    for (format, path) in wanted {
        if let Err(error) = std::fs::write(path, report.render(*format)) {
            let message = format!("cannot write `{}`", path.display());
            Failure::new(Exit::Usage, message).because(&error).print(&app.terminal);
            all_written = false;
        }
    }
    all_written
}

fn exit(class: Class) -> Exit {
    match class {
        Class::Ok => Exit::Ok,
        Class::Failed => Exit::ToolFailed,
        Class::SchemaUnusable => Exit::SchemaUnusable,
        Class::TimedOut => Exit::TimedOut,
        Class::ContractViolated => Exit::ContractViolated,
        Class::Unreachable => Exit::Unreachable,
        Class::AuthorizationRequired => Exit::Authentication,
    }
}

async fn check(
    app: &App,
    args: &CheckArgs,
    session: &ServerSession<'_>,
    cases: &[CaseFile],
    recorded: Option<&RecordedServerRun>,
    mut suggested: Option<&mut SuggestedSchemas>,
) -> Result<Vec<ServerReport>, Failure> {
    let connected = session.connected().await;
    refuse_unknown(args, &connected)?;
    let doing = Arc::new(Mutex::new(String::new()));
    let told = doing.clone();
    let mut plan = Plan {
        seed: args.seed,
        calls_per_tool: args.calls,
        calling: match (args.call_all, args.call.is_empty()) {
            (true, _) => Calling::All,
            (false, true) => Calling::ReadOnly,
            (false, false) => Calling::ReadOnlyAnd(args.call.clone()),
        },
        slow: args.slow,
        progress: Some(Arc::new(move |what: &str| {
            what.clone_into(&mut told.lock().unwrap_or_else(PoisonError::into_inner));
        })),
        results: suggested.as_ref().map(|suggested| suggested.listener()),
        ..Plan::default()
    };
    if let Some(timeout) = app.connect.timeout {
        plan.timeout = timeout;
    }
    let mut reports = Vec::new();
    for Connected { upstream, error, .. } in connected {
        if let Some(Unusable::NotConnected(error)) = &error {
            reports.push(unreachable_server(&upstream, error));
            continue;
        }
        let has = |tool: &&String| upstream.catalog().get(tool).is_some();
        let only: Vec<String> = args.tool.iter().filter(has).cloned().collect();
        // A server without the tool that was asked for has nothing to answer for.
        if only.is_empty() && !args.tool.is_empty() && error.is_none() {
            continue;
        }
        plan.only = if only.is_empty() { args.tool.clone() } else { only };
        let message =
            || format!("{}: {}", upstream.name(), doing.lock().unwrap_or_else(PoisonError::into_inner));
        let work = async {
            match recorded {
                Some(recorded) => check_against(&upstream, &plan, recorded).await,
                None => check_server(&upstream, &plan, cases).await,
            }
        };
        reports.push(spinner::during(&app.terminal, message, Box::pin(work)).await);
        if let Some(suggested) = &mut suggested {
            suggested.add_server(&upstream, &args.tool);
        }
    }
    Ok(reports)
}

/// A tool that no server has is a slip of the pen, and would leave nothing to look at.
fn refuse_unknown(args: &CheckArgs, connected: &[Connected]) -> Result<(), Failure> {
    // It may be on a server that can't be asked, which is told as what it is.
    if connected.iter().any(|server| server.error.is_some()) {
        return Ok(());
    }
    let catalogs: Vec<_> = connected.iter().map(|server| server.upstream.catalog()).collect();
    let known: Vec<&str> = catalogs
        .iter()
        .flat_map(|catalog| &catalog.contracts)
        .map(|contract| contract.name.as_str())
        .collect();
    let options =
        args.tool.iter().map(|tool| ("--tool", tool)).chain(args.call.iter().map(|tool| ("--call", tool)));
    for (option, tool) in options {
        if !known.contains(&tool.as_str()) {
            let failure = Failure::new(Exit::Usage, format!("{option}: there is no tool `{tool}`"));
            return Err(match nearest(tool, known.iter().copied()) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure.hint("`mortise tools` lists what there is"),
            });
        }
    }
    Ok(())
}

/// Says which case files no server took.
fn unused(app: &App, cases: &[CaseFile], report: &CheckReport) {
    let ran = |file: &CaseFile| {
        report.servers.iter().any(|server| server.cases.iter().any(|case| case.file == file.path))
    };
    for file in cases.iter().filter(|file| !ran(file)) {
        app.terminal.note(&format!("no case of `{}` was run: its server is not among these", file.path));
    }
}

fn recorded_run(app: &App, path: &Path, exact: bool) -> Result<RecordedServerRun, Failure> {
    let comparison = if exact { AnswerComparison::Exact } else { AnswerComparison::Shape };
    let recording = recordings::read(app, path)?;
    Ok(RecordedServerRun { path: path.display().to_string(), recording, comparison })
}

/// A recording is of one server: the only one, or the one of its name.
fn keep_recorded(servers: &mut ChosenServers, name: &str) -> Result<(), Failure> {
    if servers.configs.len() == 1 {
        return Ok(());
    }
    servers.keep_only(&[name.to_owned()]).map_err(|failure| {
        failure.hint("say which server to compare with the recording: mortise check SERVER --against FILE")
    })
}

fn case_file(path: &Path) -> Result<CaseFile, Failure> {
    let shown = path.display().to_string();
    let text = bounded_file::read_named(path, CASE_FILE_BYTES).map_err(|error| {
        input::unreadable(path, &error).hint("`mortise check --write-cases FILE` writes one to begin with")
    })?;
    CaseFile::parse(&text, &shown).map_err(|error| Failure::from_error(Exit::Configuration, &error))
}

fn severity_parser() -> impl TypedValueParser<Value = FailOn> {
    PossibleValuesParser::new(["error", "warning", "info", "never"]).map(|word| match word.as_str() {
        "warning" => FailOn::At(FindingSeverity::Warning),
        "info" => FailOn::At(FindingSeverity::Info),
        "never" => FailOn::Never,
        _ => FailOn::At(FindingSeverity::Error),
    })
}

/// `html=FILE`, or a file whose name ends as the format wants.
fn parse_report(text: &str) -> Result<(Format, PathBuf), String> {
    let wanted = "write json=FILE, junit=FILE, sarif=FILE or html=FILE";
    let Some((word, path)) = text.split_once('=') else {
        let word = match text.rsplit('.').next().unwrap_or_default() {
            "xml" => "junit",
            "htm" => "html",
            ending => ending,
        };
        let format = Format::parse(word).filter(|_| text.contains('.')).ok_or(wanted)?;
        return Ok((format, PathBuf::from(text)));
    };
    let format = Format::parse(word).ok_or_else(|| format!("`{word}` is not a format; {wanted}"))?;
    match path.is_empty() {
        true => Err(wanted.to_owned()),
        false => Ok((format, PathBuf::from(path))),
    }
}

const EXAMPLES: &str = "\
Examples:
  mortise check
  mortise check --cases weather.yaml --report junit=check.xml -- npx -y some-weather-server
  mortise check --against weather.recording.jsonl -- npx -y some-weather-server
  mortise check --suggest --call-all weather
  mortise check --write-cases cases.yaml -- npx -y some-weather-server
  mortise check https://example.com/mcp --fail-on warning --report html=check.html";
