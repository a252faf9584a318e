//! `cargo xtask faults`: load and faults against the real binary, kept in `docs/faults.md`.
//!
//! A run starts `mortise serve` and servers of `mortise mock`, does harm, and returns figures. A figure with a pass
//! line that does not hold fails the run. Nothing but the binary is needed, and every run is bounded in time.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::bench::page;
use crate::process;
use crate::report::{Report, say};
use crate::workspace::Workspace;

mod baseline;
mod disk_full;
mod figures;
mod freeze;
mod http_session;
mod kill_gateway;
mod kill_server;
mod lab;
mod load;
mod network;
mod programs;
mod proxy;
mod registry;
mod reload;
mod sessions;
mod soak;
mod stdio_session;
mod stop;

use figures::Figure;
use lab::Lab;

/// A run that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Run {
    /// Calls through the gateway beside the same calls without it.
    Baseline,
    /// A thousand sessions that run programs, ten thousand that wait.
    Sessions,
    /// Ten servers with a thousand tools each, then five thousand.
    Registry,
    /// Servers killed under load.
    KillServer,
    /// The gateway killed at random points of its start.
    KillGateway,
    /// No room for any file.
    DiskFull,
    /// A network that delays, cuts, swallows, resets and trickles.
    Network,
    /// Hostile programs, shuffled, over four sessions.
    Programs,
    /// Mixed faults for a while; what grows?
    Soak,
    /// SIGTERM with 200 calls in flight.
    Stop,
    /// A configuration that changes under load, sometimes for the worse.
    Reload,
    /// The server, then the gateway, stopped and continued.
    Freeze,
}

/// How long runs take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Less than three minutes each.
    Usual,
    /// As long as it takes to see what grows slowly.
    Full,
}

const BUILD_LIMIT: Duration = Duration::from_secs(3600);

/// Runs the named runs, or all; each writes its section of `docs/faults.md`.
pub fn run(workspace: &Workspace, runs: &[Run], length: Length, program: Option<PathBuf>) -> Result<()> {
    let all = Run::value_variants();
    let chosen = all.iter().filter(|run| runs.is_empty() || runs.contains(run)).copied();
    let program = match program {
        Some(program) => fs::canonicalize(&program).with_context(|| format!("no `{}`", program.display()))?,
        None => build(workspace)?,
    };
    allow_many_files()?;
    let mut report = Report::new("faults");
    let mut sections = Vec::new();
    for run in chosen {
        let name = run.name();
        report.step(&name, &format!("cargo xtask faults {name}"), || {
            let lab = Lab::prepare(workspace.target().join("faults").join(&name), program.clone(), length)?;
            let figures = run.start(&lab)?;
            let section = section(run, length, &figures);
            say(&section);
            sections.push((run.title(), section));
            let failed = figures.iter().filter(|figure| !figure.holds).count();
            if failed > 0 {
                bail!("{failed} of {} figures are beyond their pass lines", figures.len());
            }
            Ok(format!("{} figures", figures.len()))
        });
    }
    let path = workspace.root().join("docs/faults.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let titles: Vec<&str> = all.iter().map(|run| run.title()).collect();
    fs::write(&path, page::page(HEAD, &old, &sections, &titles))
        .with_context(|| format!("writing {}", path.display()))?;
    report.finish()
}

fn build(workspace: &Workspace) -> Result<PathBuf> {
    let mut command = workspace.cargo("build");
    process::run_shown(command.args(["--locked", "--release", "--package", "mortise"]), BUILD_LIMIT)?;
    Ok(workspace.target().join("release/mortise"))
}

/// Thousands of connections need as many descriptors; what we start inherits the limit.
fn allow_many_files() -> Result<()> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).context("raising the number of open files")
}

impl Run {
    /// The name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn start(self, lab: &Lab) -> Result<Vec<Figure>> {
        match self {
            Self::Baseline => baseline::run(lab),
            Self::Sessions => sessions::run(lab),
            Self::Registry => registry::run(lab),
            Self::KillServer => kill_server::run(lab),
            Self::KillGateway => kill_gateway::run(lab),
            Self::DiskFull => disk_full::run(lab),
            Self::Network => network::run(lab),
            Self::Programs => programs::run(lab),
            Self::Soak => soak::run(lab),
            Self::Stop => stop::run(lab),
            Self::Reload => reload::run(lab),
            Self::Freeze => freeze::run(lab),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Baseline => "Calls through the gateway",
            Self::Sessions => "Many sessions",
            Self::Registry => "Many tools",
            Self::KillServer => "Killed servers",
            Self::KillGateway => "A killed gateway",
            Self::DiskFull => "No room for files",
            Self::Network => "A bad network",
            Self::Programs => "Hostile programs",
            Self::Soak => "Mixed faults for a while",
            Self::Stop => "SIGTERM under load",
            Self::Reload => "A changing configuration",
            Self::Freeze => "Stopped processes",
        }
    }

    /// What the run does, for the page.
    fn text(self) -> &'static str {
        match self {
            Self::Baseline => baseline::TEXT,
            Self::Sessions => sessions::TEXT,
            Self::Registry => registry::TEXT,
            Self::KillServer => kill_server::TEXT,
            Self::KillGateway => kill_gateway::TEXT,
            Self::DiskFull => disk_full::TEXT,
            Self::Network => network::TEXT,
            Self::Programs => programs::TEXT,
            Self::Soak => soak::TEXT,
            Self::Stop => stop::TEXT,
            Self::Reload => reload::TEXT,
            Self::Freeze => freeze::TEXT,
        }
    }
}

const HEAD: &str = "# Faults\n\n\
    Written by `cargo xtask faults`, which holds load and faults against the release build and servers of \
    `mortise mock`, all on one machine. `cargo xtask faults NAME` runs one of them, `--full` runs longer. The command \
    fails when a figure is beyond its pass line.\n\n\
    An answer is *right* when it carries the text that its call sent. It is *typed* when it is an error that says what \
    happened. A call is *lost* when no answer comes, and *misrouted* when the answer belongs to another call.\n\n\
    Not here: hostile inputs to parsers are the fuzz targets (`cargo xtask fuzz`). Jumps of the wall clock can't \
    matter to time limits, since only the modules listed in `xtask/src/tidy/walls.rs` read it; the tidy test holds \
    that. Gateways don't work together yet, so no run kills members of a cluster.\n";

fn section(run: Run, length: Length, figures: &[Figure]) -> String {
    let full = if length == Length::Full { " --full" } else { "" };
    format!(
        "## {}\n\n{}\n\n{}\n`cargo xtask faults {}{full}` on {}.\n",
        run.title(),
        run.text(),
        figures::table(figures),
        run.name(),
        page::machine()
    )
}
