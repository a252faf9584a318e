//! `mortise checker`: the process in which `run` and `serve` check programs. Not for people.

use std::path::PathBuf;

use clap::Args;
use mortise_client::environment::Environment;
use mortise_executor::checker::{CheckerCommand, serve};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::version;

/// Linux's name for the executable of a process: the file that it was started from, also when another was put in its
/// place since.
const SELF: &str = "/proc/self/exe";

/// Arguments of `mortise checker`.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckerArgs {
    /// The build that started it
    #[arg(long)]
    build: String,
}

/// What starts this executable as a checker.
pub(crate) fn command(environment: &Environment) -> CheckerCommand {
    let own = PathBuf::from(SELF);
    let program = match own.exists() {
        true => own,
        false => environment.executable.clone().unwrap_or_default(),
    };
    let arguments = ["checker".into(), "--build".into(), build().into()].into();
    CheckerCommand { program, name: "mortise".into(), arguments }
}

/// Checks programs until the process that started this one closes the pipe, or is gone.
pub(crate) fn run(args: &CheckerArgs) -> Result<Exit, Failure> {
    if args.build != build() {
        let message = format!("build `{}` can't check programs for build `{}`", build(), args.build);
        return Err(Failure::new(Exit::Usage, message).hint("the executable was replaced: restart mortise"));
    }
    serve(std::io::stdin().lock(), std::io::stdout())
        .map_err(|error| Failure::new(Exit::Bug, "cannot read what is to be checked").because(&error))?;
    Ok(Exit::Ok)
}

/// Two builds need not understand each other.
fn build() -> String {
    format!("{} {}", version::SHORT, version::COMMIT)
}
