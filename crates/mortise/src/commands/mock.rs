//! `mortise mock`: a server that misbehaves in the way you choose, or answers as a recorded one did.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use mortise_samples::mock::{self, MockError, MockOptions, ScenarioError};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::recordings;
use crate::serving;
use crate::serving::access::{Access, TokenArgs};
use crate::terminal::Tint;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};

/// Arguments of `mortise mock`.
#[derive(Clone, Debug, Args)]
pub(crate) struct MockArgs {
    /// What it does, for example `lie-mismatch` or `slow=500`; --list names all
    scenario: Vec<String>,
    /// List the scenarios
    #[arg(long)]
    list: bool,
    /// Read scenarios, tools and answers from this file, YAML or JSON
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Answer as the server of this recording did; `mortise record` writes one
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    from: Option<PathBuf>,
    /// Decides everything that is left to chance
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Listen on this loopback address instead of stdio; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", value_parser = serving::parse_address)]
    http: Option<SocketAddr>,
    #[command(flatten)]
    token: TokenArgs,
}

/// Serves until the client goes or a scenario ends it.
pub(crate) fn run(app: &App, args: &MockArgs) -> Result<Exit, Failure> {
    if args.list {
        app.print(&list(app))?;
        return Ok(Exit::Ok);
    }
    let script = match &args.script {
        Some(path) => Some(input::read(path).map_err(|error| input::unreadable(path, &error))?),
        None => None,
    };
    let mut options = MockOptions {
        scenarios: args.scenario.clone(),
        script,
        recording: args.from.as_ref().map(|path| recordings::read(app, path)).transpose()?,
        seed: args.seed,
        http: args.http,
        token: None,
    };
    if args.http.is_some() {
        let access = Access::choose(app, &args.token)?;
        options.token = access.token().cloned();
        access.explain(&app.terminal);
    } else {
        serving::say_waiting(app, "mock");
    }
    // Signals stay as they are: whether SIGTERM ends it is up to the scenario.
    let end = interrupt::block_on_plainly(async {
        mock::run_mock(&options, tokio::io::stdin(), tokio::io::stdout(), tokio::io::stderr())
            .await
            .map_err(|e| wrong(&e))
    })?;
    Ok(Exit::Scripted(end.carry_out()))
}

fn wrong(error: &MockError) -> Failure {
    let failure = Failure::from_error(Exit::Usage, error);
    match error {
        MockError::Scenario(ScenarioError::Unknown { similar: Some(similar), .. }) => {
            failure.hint(format!("did you mean `{similar}`?"))
        }
        MockError::Scenario(ScenarioError::Unknown { .. }) => {
            failure.hint("`mortise serve mock --list` names all")
        }
        _ => failure,
    }
}

fn list(app: &App) -> String {
    let columns = [
        TableColumn { title: "Scenario", tint: Some(Tint::Name), fit: Fit::Fixed },
        TableColumn { title: "What it does", tint: None, fit: Fit::Wraps },
    ];
    let mut out = String::new();
    let mut group = "";
    let mut table = TerminalTable::new(&columns, 2);
    for scenario in mock::scenarios() {
        if scenario.group != group {
            if !table.is_empty() {
                out.push_str(
                    &std::mem::replace(&mut table, TerminalTable::new(&columns, 2)).render(&app.terminal),
                );
                out.push('\n');
            }
            group = scenario.group;
            _ = writeln!(out, "{}", app.terminal.paint(Tint::Heading, group));
        }
        table.row([scenario.usage(), scenario.about.to_owned()]);
    }
    out + &table.render(&app.terminal)
}
