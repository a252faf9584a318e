//! A configuration that changes under load, sometimes for the worse.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::figures::{Figure, number};
use super::http_session::HttpSession;
use super::lab::{Lab, Listener, until};
use super::load::{Session, while_so};
use super::stdio_session::warm_up;

pub(super) const TEXT: &str = "A configuration with one server that stays and one that changes is written again and \
    again while four sessions call the one that stays. Every fourth version is not valid; it must be refused and the \
    one before kept.";

const PATIENCE: Duration = Duration::from_secs(30);
const TAKEN: &str = "the configuration was read again";
/// Tools of the changing server in the first version.
const TOOLS: usize = 3;
const REFUSED: &str = "the changed configuration is not used";

pub(super) fn run(lab: &Lab) -> Result<Vec<Figure>> {
    let path = lab.folder.join("faults.yaml");
    let version = |number: usize| {
        let program = lab.program.display();
        let broken = if number % 4 == 3 { "\nservers: [" } else { "" };
        format!(
            "servers:\n  - name: stays\n    command: {program}\n    args: [mock]\n  - name: changes\n    command: \
             {program}\n    args: [mock, tools={}]{broken}\n",
            TOOLS + number
        )
    };
    fs::write(&path, version(0))?;
    let mut gateway = lab.gateway(&["--config", &path.to_string_lossy()])?;
    let mut sessions = HttpSession::open_many(&gateway, 4, PATIENCE)?;
    warm_up(&mut sessions[0], "stays__echo", PATIENCE)?;
    let rounds: usize = lab.choose(16, 100);
    let done = AtomicBool::new(false);
    let (tally, changed) = thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let changed = change(&path, version, rounds, &gateway);
            done.store(true, Ordering::Relaxed);
            changed
        });
        let tally = while_so(
            &mut sessions,
            || !done.load(Ordering::Relaxed),
            |session, place, number| session.echo("stays__echo", &format!("reload-{place}-{number}-end")),
        );
        (tally, writing.join())
    });
    let (taken, refused) = changed.ok().context("the writer ended")??;
    let last = (1..=rounds).rev().find(|number| number % 4 != 3).unwrap_or_default();
    let wanted = format!("{}\n", TOOLS + 2 + last);
    let mut listed = String::new();
    // The server of the last version may still be starting; without its tools in the end, the figure says so.
    _ = until(PATIENCE, || {
        let answer = sessions[0].run_program("print(len(await list_callable_tools()))").unwrap_or_default();
        listed =
            answer["result"]["_meta"]["mortise/answer"]["output"].as_str().unwrap_or_default().to_owned();
        listed == wanted
    });
    let failed = tally.calls() - tally.times.len();
    Ok(vec![
        Figure::plain("versions taken", number(taken as f64)),
        Figure::plain("versions refused", number(refused as f64)),
        Figure::none(
            format!("failed of {} calls to the server that stays", number(tally.calls() as f64)),
            failed,
            &tally.examples,
        ),
        Figure::is("tools in the end", listed.trim().to_owned(), wanted.trim().to_owned()),
        Figure::is("gateway alive", gateway.is_alive(), true),
    ])
}

/// Writes one version after another, each when the gateway has spoken about the one before.
fn change(
    path: &Path,
    version: impl Fn(usize) -> String,
    rounds: usize,
    gateway: &Listener,
) -> Result<(usize, usize)> {
    let (mut taken, mut refused) = (0, 0);
    for number in 1..=rounds {
        fs::write(path, version(number))?;
        let (words, count) = if number % 4 == 3 { (REFUSED, &mut refused) } else { (TAKEN, &mut taken) };
        *count += 1;
        gateway.wait_until_said(words, *count, PATIENCE)?;
    }
    Ok((taken, refused))
}
