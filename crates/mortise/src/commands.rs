//! One module per command: its arguments and what it does.

pub(crate) mod add;
pub(crate) mod approvals;
pub(crate) mod auth;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod checker;
pub(crate) mod completions;
pub(crate) mod declare;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod formats;
pub(crate) mod help;
pub(crate) mod help_markdown;
pub(crate) mod home;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod install;
pub(crate) mod kept;
pub(crate) mod licenses;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod login;
pub(crate) mod man;
pub(crate) mod mock;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod remove;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod sample;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod tester;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod wizards;

use crate::app::App;
use crate::cli::Command;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::version;

/// Runs one command to its end.
pub(crate) fn run(app: &App, command: Option<Command>) -> Result<Exit, Failure> {
    let Some(command) = command else { return home::run(app) };
    match command {
        Command::Run(args) => run::run(app, &args),
        Command::Runs(args) => runs::run(app, &args),
        Command::Resume(args) => run::resume(app, &args),
        Command::Replay(args) => replay::run(app, &args),
        Command::Approvals(args) => approvals::run(app, &args),
        Command::Kept(args) => kept::run(app, &args),
        Command::Serve(args) => serve::run(app, &args),
        Command::Tools(args) => tools::run(app, &args),
        Command::Inspect(args) => inspect::run(app, &args),
        Command::Call(args) => call::run(app, &args),
        Command::Lock(args) => lock::run(app, &args),
        Command::Diff(args) => diff::run(app, &args),
        Command::Check(args) => check::run(app, &args),
        Command::Checker(args) => checker::run(&args),
        Command::Tester(args) => tester::run(app, &args),
        Command::Data(args) => wizards::run(app, &args),
        Command::Export(args) => declare::run(app, &args),
        Command::Sample(args) => sample::run(app, &args),
        Command::Mock(args) => mock::run(app, &args),
        Command::Init(args) => init::run(app, &args),
        Command::Trust(args) => trust::run(app, &args),
        Command::Auth(args) => auth::run(app, &args),
        Command::Add(args) => add::run(app, &args),
        Command::Remove(args) => remove::run(app, &args),
        Command::List(args) => list::run(app, &args),
        Command::Import(args) => import::run(app, &args),
        Command::Install(args) => install::run(app, &args),
        Command::Login(args) => login::login(app, &args),
        Command::Logout(args) => login::logout(app, &args),
        Command::Doctor(args) => doctor::run(app, &args),
        Command::Read(args) => read::run(app, &args),
        Command::Record(args) => record::run(app, &args),
        Command::Prompt(args) => prompt::run(app, &args),
        Command::Schema(args) => schema::run(app, &args),
        Command::Formats(args) => formats::run(app, &args),
        Command::Licenses => licenses::run(app),
        Command::Completions(args) => completions::run(app, &args),
        Command::Man(args) => man::run(app, &args),
        Command::Help(args) => help::run(app, &args),
        Command::Version => version(app),
        Command::HelpMarkdown => help_markdown::run(app),
    }
}

/// Prints what `--version` prints.
fn version(app: &App) -> Result<Exit, Failure> {
    app.print(&format!("mortise {}\n", version::LONG))?;
    Ok(Exit::Ok)
}
