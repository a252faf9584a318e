//! Installs every package in a home that has nothing, and runs the first lines of the README.
//!
//! Nothing is published and nothing is downloaded but the installers: `uv` works offline, npm asks a registry on
//! loopback, the install script reads a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process, test_kill_process_group};

use super::platform::ReleasePlatform;
use super::{collect, npm, registry, version};
use crate::packages::Packages;
use crate::process::{self, Running};
use crate::report::Report;
use crate::workspace::Workspace;

/// A first start inflates the interpreter; a development build takes its time for it.
const RUN_LIMIT: Duration = Duration::from_secs(300);
const STOP_LIMIT: Duration = Duration::from_secs(20);
const RERUN: &str = "cargo xtask dist --smoke";

/// Where the packages lie, what installs them, and what they must do.
struct Smoke<'a> {
    workspace: &'a Workspace,
    packages: Packages,
    out: &'a Path,
    platform: ReleasePlatform,
    version: String,
    homes: PathBuf,
}

/// Runs every step.
pub(super) fn run(workspace: &Workspace, out: &Path, report: &mut Report) {
    let smoke = match Smoke::prepare(workspace, out) {
        Ok(smoke) => smoke,
        Err(error) => return report.step("smoke", RERUN, || Err(error)),
    };
    report.step("hashes", RERUN, || smoke.hashes());
    report.step("archive", RERUN, || smoke.archive());
    report.step("uvx", RERUN, || smoke.uvx());
    report.step("npx", RERUN, || smoke.npx());
    report.step("install.sh", RERUN, || smoke.install_script());
    report.step("docker", RERUN, || smoke.docker());
}

impl<'a> Smoke<'a> {
    fn prepare(workspace: &'a Workspace, out: &'a Path) -> Result<Self> {
        let packages = Packages::install(workspace, "dist-tools")?;
        let homes = workspace.target().join("dist-homes");
        if homes.exists() {
            fs::remove_dir_all(&homes).with_context(|| format!("cannot remove {}", homes.display()))?;
        }
        let (platform, version) = (ReleasePlatform::here()?, version(workspace)?);
        Ok(Self { workspace, packages, out, platform, version, homes })
    }

    fn hashes(&self) -> Result<String> {
        let program = if self.platform.is_linux() { "sha256sum" } else { "shasum" };
        let mut command = Command::new(program);
        if !self.platform.is_linux() {
            command.args(["-a", "256"]);
        }
        let checked =
            process::run_ok(command.args(["--check", collect::SUMS]).current_dir(self.out), RUN_LIMIT)?;
        Ok(format!("{} files are what {} says", checked.stdout.lines().count(), collect::SUMS))
    }

    fn archive(&self) -> Result<String> {
        let home = self.home("archive")?;
        let archive = self.out.join(self.platform.archive_name(&self.version));
        process::run_ok(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&home), RUN_LIMIT)?;
        let folder = home.join(self.platform.archive_folder(&self.version));
        for file in ["LICENSE-MIT", "THIRD_PARTY.md", "man/man1/mortise.1", "completions/mortise.bash"] {
            ensure!(folder.join(file).is_file(), "the archive has no {file}");
        }
        self.first_lines(|| self.command(&folder.join("mortise"), &home))
    }

    /// The wheel as a file, then by the name of the package.
    fn uvx(&self) -> Result<String> {
        let home = self.home("uvx")?;
        let wheel = self.wheel()?;
        let uvx = |arguments: &[&str]| {
            let mut command = self.command(&self.packages.python_program("uvx"), &home);
            // Everything is there: whatever uv would download is missing in the package.
            command.args(["--offline", "--no-config", "--no-python-downloads"]).args(arguments);
            command.env("PATH", self.packages.python_path());
            command
        };
        let from = wheel.to_string_lossy();
        let said = self.first_lines(|| uvx(&["--from", &from, "mortise"]))?;
        let folder = self.out.to_string_lossy();
        self.says_version(uvx(&["--no-index", "--find-links", &folder, "mortise-mcp"]))?;
        Ok(said)
    }

    /// The npm package as a file, then by its name; then what a launcher must pass on.
    fn npx(&self) -> Result<String> {
        let home = self.home("npx")?;
        let registry = registry::serve(self.out, &self.version, &self.platform)?;
        let node = |script: &str| -> Result<Command> {
            let mut command = self.packages.npm_program(script)?;
            self.set_home(&mut command, &home);
            command.env("npm_config_registry", &registry).current_dir(&home);
            Ok(command)
        };
        let file = self.out.join(npm::main_file_name(&self.version));
        let npx = |package: &str| -> Result<Command> {
            let mut command = node("npx-cli.js")?;
            command.args(["--yes", package]);
            Ok(command)
        };
        // npx takes an absolute path for a program.
        let name = npm::main_file_name(&self.version);
        fs::copy(&file, home.join(&name))?;
        let said = self.first_lines_of(|| npx(&format!("./{name}")))?;
        self.says_version(npx("mortise-mcp")?)?;
        let mut install = node("npm-cli.js")?;
        process::run_ok(install.args(["install", "--no-audit", "--no-fund"]).arg(&file), RUN_LIMIT)?;
        self.launcher(&home)?;
        Ok(said)
    }

    /// Exit codes and signals go through the launcher, and nothing is left running.
    fn launcher(&self, home: &Path) -> Result<()> {
        let launcher = home.join("node_modules/.bin/mortise");
        let node = self.packages.node()?;
        let command = || {
            let mut command = self.command(&node, home);
            command.arg(&launcher);
            command
        };
        let missing = process::run(command().args(["run", "--samples", "missing.py"]), RUN_LIMIT)?;
        ensure!(missing.status.code() == Some(1), "a missing file ends the launcher with {}", missing.status);

        let mut serve = command();
        serve.args(["serve", "--samples"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = Running::start(&mut serve)?;
        let pid = Pid::from_child(running.child());
        self.wait_for_server(&mut running)?;
        kill_process(pid, Signal::TERM).context("the launcher ended before it was stopped")?;
        let started = Instant::now();
        while running.child().try_wait()?.is_none() {
            ensure!(started.elapsed() < STOP_LIMIT, "the launcher did not end after SIGTERM");
            thread::sleep(Duration::from_millis(20));
        }
        ensure!(test_kill_process_group(pid).is_err(), "the launcher ended, but not the program it started");
        Ok(())
    }

    /// Sends the first request and waits for its answer: from then on signals are handled.
    fn wait_for_server(&self, running: &mut Running) -> Result<()> {
        use std::io::{BufRead as _, BufReader, Write as _};
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"smoke","version":"1"}}}"#;
        let child = running.child();
        writeln!(child.stdin.as_mut().context("no pipe to the launcher")?, "{request}")?;
        let mut answer = String::new();
        let stdout = child.stdout.as_mut().context("no pipe from the launcher")?;
        BufReader::new(stdout).read_line(&mut answer)?;
        ensure!(answer.contains("\"serverInfo\""), "the launcher's server answered `{}`", answer.trim());
        Ok(())
    }

    /// The script, then the same with an archive that was changed and with an address without TLS.
    fn install_script(&self) -> Result<String> {
        let home = self.home("script")?;
        let script = self.out.join(collect::INSTALL_SCRIPT);
        let installed = process::run_ok(self.command(Path::new("sh"), &home).arg(&script), RUN_LIMIT)?;
        let program = home.join(".local/bin/mortise");
        let said = self.first_lines(|| self.command(&program, &home))?;
        ensure!(installed.stdout.contains("mortise"), "the script says nothing");

        let changed = self.homes.join("changed");
        fs::create_dir_all(&changed)?;
        let name = self.platform.archive_name(&self.version);
        let mut bytes = fs::read(self.out.join(&name))?;
        if let Some(last) = bytes.last_mut() {
            *last ^= 1;
        }
        fs::write(changed.join(&name), bytes)?;
        for (from, word) in [
            (format!("file://{}", changed.display()), "checksum"),
            ("http://127.0.0.1:1".to_owned(), "https"),
        ] {
            let home = self.home(&format!("script-{word}"))?;
            let mut command = self.command(Path::new("sh"), &home);
            let refused = process::run(command.arg(&script).env("MORTISE_DOWNLOAD", &from), RUN_LIMIT)?;
            ensure!(!refused.status.success(), "the script installed from {from}");
            ensure!(refused.stderr.contains(word), "the script does not name the {word}: {}", refused.stderr);
            ensure!(!home.join(".local").exists(), "the script left files though it failed");
        }
        Ok(said)
    }

    fn docker(&self) -> Result<String> {
        if !process::run(Command::new("docker").arg("info"), RUN_LIMIT)
            .is_ok_and(|info| info.status.success())
        {
            return Ok("not checked: docker is not running here".to_owned());
        }
        let tag = format!("mortise-smoke:{}", self.version);
        process::run_ok(Command::new("docker").args(["build", "--tag", &tag]).arg(self.out), RUN_LIMIT)?;
        let mut command = Command::new("docker");
        command.args(["run", "--rm", &tag]);
        self.says_version(command)?;
        Ok("the image is built and runs".to_owned())
    }

    /// What a new user types first.
    fn first_lines(&self, command: impl Fn() -> Command) -> Result<String> {
        self.first_lines_of(|| Ok(command()))
    }

    fn first_lines_of(&self, command: impl Fn() -> Result<Command>) -> Result<String> {
        let started = Instant::now();
        self.says_version(command()?)?;
        let listed = process::run_ok(command()?.args(["tools", "--samples"]), RUN_LIMIT)?;
        ensure!(listed.stdout.contains("get_weather"), "`tools --samples` printed\n{}", listed.stdout);
        let program = self.workspace.root().join("examples/revenue.py");
        let ran = process::run_ok(command()?.args(["run", "--samples"]).arg(program), RUN_LIMIT)?;
        let readme = super::text(self.workspace, "README.md")?;
        for line in ran.stdout.lines() {
            ensure!(
                readme.contains(line),
                "`run --samples` printed `{line}`, which the README does not show"
            );
        }
        ensure!(!ran.stdout.trim().is_empty(), "`run --samples` printed nothing");
        Ok(format!("three commands in {:.1} s", started.elapsed().as_secs_f64()))
    }

    fn says_version(&self, mut command: Command) -> Result<()> {
        let said = process::run_ok(command.arg("--version"), RUN_LIMIT)?.stdout;
        match said.split_whitespace().nth(1) {
            Some(version) if version == self.version => Ok(()),
            _ => bail!("`--version` printed `{}` and not {}", said.trim(), self.version),
        }
    }

    fn wheel(&self) -> Result<PathBuf> {
        let start = format!("mortise_mcp-{}-", self.version);
        let mut wheels = Vec::new();
        for file in fs::read_dir(self.out)? {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(&start) && name.ends_with(&format!("_{}.whl", self.platform.wheel_cpu)) {
                wheels.push(path);
            }
        }
        ensure!(wheels.len() == 1, "{} has {} wheels for this machine", self.out.display(), wheels.len());
        wheels.pop().context("there is no wheel")
    }

    /// A new, empty home.
    fn home(&self, name: &str) -> Result<PathBuf> {
        let home = self.homes.join(name);
        fs::create_dir_all(&home).with_context(|| format!("cannot make {}", home.display()))?;
        Ok(home)
    }

    /// A command that sees this home and the system's programs, and nothing else of the environment.
    fn command(&self, program: &Path, home: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        self.set_home(&mut command, home);
        command
    }

    fn set_home(&self, command: &mut Command, home: &Path) {
        command.env("HOME", home);
        for (name, folder) in
            [("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache")]
        {
            command.env(name, home.join(folder));
        }
    }
}
