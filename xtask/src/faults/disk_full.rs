//! No room for any file.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::figures::Figure;
use super::http_session::HttpSession;
use super::lab::{Lab, Listener};
use super::load::{Outcome, Session, for_a_time, judge};
use super::stdio_session::warm_up;
use crate::process;

pub(super) const TEXT: &str = "The gateway may write no file (`ulimit -f 0`), or its log goes to `/dev/full`. It must \
    start, run programs and serve calls. Where the file of the compiled interpreter was never written, programs can't \
    start under such a limit, since their memory counts as a file too; they must fail with an error that says so.";

const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let server = lab.mock_option("m", "");
    let fixed = ["--http", "127.0.0.1:0", "--expose", "mcp__*", "--server", &server];
    let mut figures = Vec::new();
    let limited = |words: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 0 && exec \"$0\" \"$@\""]).arg(&lab.program).args(words);
        lab.surround(&mut command);
        command
    };
    let mut no_files = limited(&[&["serve"], &fixed[..]].concat());
    figures.extend(served(lab, "no file may ever grow", Listener::start(&mut no_files), Programs::MayFail)?);
    process::run_ok(&mut lab.mortise(&["run", "-c", "print('written')"]), PATIENCE)?;
    figures.extend(served(lab, "no file may grow", Listener::start(&mut no_files), Programs::MustRun)?);
    let mut no_log = lab.mortise(&[&["--log-file", "/dev/full", "-vv", "serve"], &fixed[..]].concat());
    figures.extend(served(lab, "log to `/dev/full`", Listener::start(&mut no_log), Programs::MustRun)?);
    let run = process::run(&mut limited(&["run", "-c", "print('ran')"]), PATIENCE)?;
    let printed = format!("{} {}", run.stdout.trim(), run.status);
    figures.push(Figure::is("no file may grow: `mortise run`", printed, "ran exit status: 0".to_owned()));
    Ok(figures)
}

/// What must come of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Programs {
    MustRun,
    MayFail,
}

fn served(lab: &Lab, name: &str, listener: Result<Listener>, programs: Programs) -> Result<Vec<Figure>> {
    let mut gateway = match listener {
        Ok(gateway) => gateway,
        Err(error) => {
            return Ok(vec![Figure::none(format!("{name}: failed starts"), 1, &[format!("{error:#}")])]);
        }
    };
    let mut sessions = [HttpSession::open(&gateway, PATIENCE)?];
    warm_up(&mut sessions[0], "m__echo", PATIENCE)?;
    let program = judge(sessions[0].run_program("print(40 + 2)").as_ref(), "42\\n");
    let is_fine = match program {
        Outcome::Typed(_) => programs == Programs::MayFail,
        _ => program == Outcome::Right,
    };
    let time = Duration::from_secs(lab.choose(3, 30));
    let tally = for_a_time(&mut sessions, time, |session, _, number| {
        session.echo("m__echo", &format!("full-{number}-end"))
    });
    let failed = tally.calls() - tally.times.len();
    Ok(vec![
        Figure::plain(format!("{name}: a program"), excerpt(&program)),
        Figure::is(format!("{name}: a program ended as it must"), is_fine, true),
        Figure::none(format!("{name}: failed of {} calls", tally.calls()), failed, &tally.examples),
        Figure::is(format!("{name}: gateway alive"), gateway.is_alive(), true),
    ])
}

/// What an outcome says, shortened to its message.
fn excerpt(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Right => "ran".to_owned(),
        Outcome::Typed(answer) | Outcome::Misrouted(answer) | Outcome::Lost(answer) => {
            let message = answer.split("\"text\":\"").nth(1).unwrap_or(answer);
            message.split('"').next().unwrap_or_default().to_owned()
        }
    }
}
