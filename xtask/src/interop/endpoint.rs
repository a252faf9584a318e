//! Servers under test: how each is started, over stdio or over HTTP.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Interop;
use crate::process::{self, Running};

const START_LIMIT: Duration = Duration::from_secs(60);
const FIXTURE_LIMIT: Duration = Duration::from_secs(30);

/// A server as a manifest describes it. Exactly one of the five programs is given.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerEntry {
    pub(super) name: String,
    /// A file of an npm package.
    javascript: Option<String>,
    /// A program of the virtual environment.
    python: Option<String>,
    /// A Python file of this repository.
    script: Option<String>,
    /// A Python module with a `main`, from a set of packages of its own.
    module: Option<ModuleEntry>,
    /// A program that we build: `mortise`, `examples/NAME`.
    ours: Option<String>,
    /// Arguments that make it speak over stdio; absent if it can't.
    stdio: Option<Vec<String>>,
    http: Option<HttpEntry>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// Files in the server's folder: their names and texts.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Statements that fill `{folder}/database.sqlite`.
    sql: Option<String>,
    #[serde(default)]
    pub(super) call: Vec<CallEntry>,
    /// Tools without hints that `mortise check` may call.
    #[serde(default)]
    pub(super) check_calls: Vec<String>,
    /// Of the tools that `mortise check` calls, how many percent it must verify without help.
    pub(super) least_verified: Option<usize>,
    /// Calls that `mortise check` makes up for each tool, where not the usual number.
    pub(super) made_up_calls: Option<usize>,
}

/// A module and the folder below `xtask/` that pins what it needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModuleEntry {
    name: String,
    packages: String,
}

/// How a server is made to speak HTTP.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpEntry {
    arguments: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    path: String,
}

/// A call and what must come of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallEntry {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) arguments: Value,
    /// The verdict's status.
    #[serde(default)]
    pub(super) verdict: String,
    /// The exit code of `mortise call`.
    #[serde(default)]
    pub(super) exit: i32,
    /// What other people's clients must make of it: `structured`, `text`, `error` or `refused`.
    #[serde(default)]
    pub(super) clients: Option<String>,
    /// The structured content, where it is known beforehand.
    #[serde(default)]
    pub(super) structured: Option<Value>,
}

/// Over what a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    Stdio,
    Http,
}

impl Wire {
    pub(super) const ALL: [Self; 2] = [Self::Stdio, Self::Http];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// A server that can be reached now. Over HTTP it runs until this value is dropped.
pub(super) struct Endpoint {
    address: Address,
    environment: BTreeMap<String, String>,
    folder: PathBuf,
    _running: Option<Running>,
}

enum Address {
    Command(Vec<String>),
    Url(String),
}

impl ServerEntry {
    pub(super) fn speaks(&self, wire: Wire) -> bool {
        match wire {
            Wire::Stdio => self.stdio.is_some(),
            Wire::Http => self.http.is_some(),
        }
    }

    /// Makes the server reachable: over HTTP it is started, over stdio its client will start it.
    pub(super) fn endpoint(&self, interop: &Interop<'_>, wire: Wire) -> Result<Endpoint> {
        let folder = format!("work/{}-{}", self.name, wire.as_str());
        self.endpoint_in(interop, wire, Path::new(&folder))
    }

    /// The same in another folder below that of the packages.
    pub(super) fn endpoint_in(&self, interop: &Interop<'_>, wire: Wire, folder: &Path) -> Result<Endpoint> {
        let folder = interop.packages.folder().join(folder);
        prepare(&folder)?;
        for (name, text) in &self.files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        }
        if let Some(sql) = &self.sql {
            fill_database(interop, &folder, sql)?;
        }
        let port = free_port()?;
        let fill = |text: &str| {
            text.replace("{port}", &port.to_string()).replace("{folder}", &folder.to_string_lossy())
        };
        let fill_all = |map: &BTreeMap<String, String>| -> BTreeMap<String, String> {
            map.iter().map(|(key, value)| (key.clone(), fill(value))).collect()
        };
        let mut command = self.program(interop)?;
        let mut environment = fill_all(&self.environment);
        if let Some(module) = &self.module {
            let set = interop.packages.install_python_set(interop.workspace, &module.packages)?;
            environment.insert("PYTHONPATH".to_owned(), set.to_string_lossy().into_owned());
        }
        match (wire, &self.stdio, &self.http) {
            (Wire::Stdio, Some(arguments), _) => {
                command.extend(arguments.iter().map(|argument| fill(argument)));
                Ok(Endpoint { address: Address::Command(command), environment, folder, _running: None })
            }
            (Wire::Http, _, Some(http)) => {
                command.extend(http.arguments.iter().map(|argument| fill(argument)));
                environment.extend(fill_all(&http.environment));
                let running = listen(&command, &environment, &folder, port)?;
                let url = format!("http://127.0.0.1:{port}{}", http.path);
                Ok(Endpoint { address: Address::Url(url), environment, folder, _running: Some(running) })
            }
            _ => bail!("{} does not speak {}", self.name, wire.as_str()),
        }
    }

    fn program(&self, interop: &Interop<'_>) -> Result<Vec<String>> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let root = interop.workspace.root();
        if let Some(module) = &self.module {
            let start = format!("import {0}; {0}.main()", module.name);
            return Ok(vec![text(interop.packages.python_program("python")), "-c".to_owned(), start]);
        }
        match (&self.javascript, &self.python, &self.script, &self.ours) {
            (Some(file), None, None, None) => Ok(vec![
                text(interop.packages.node()?),
                "--require".to_owned(),
                text(root.join("xtask/interop/loopback.cjs")),
                text(interop.packages.npm_file(file)),
            ]),
            (None, Some(program), None, None) => Ok(vec![text(interop.packages.python_program(program))]),
            (None, None, Some(script), None) => {
                Ok(vec![text(interop.packages.python_program("python")), text(root.join(script))])
            }
            (None, None, None, Some(program)) => Ok(vec![text(interop.workspace.built(program))]),
            _ => bail!("{}: give one of javascript, python, script, module, ours", self.name),
        }
    }
}

impl Endpoint {
    /// The server in a job for one of the client drivers.
    pub(super) fn job(&self, mode: &str, calls: &[CallEntry]) -> Value {
        let calls: Vec<Value> = calls
            .iter()
            .map(|call| json!({ "tool": call.tool, "arguments": self.fill(&call.arguments) }))
            .collect();
        match &self.address {
            Address::Command(command) => {
                json!({ "command": command, "env": self.environment, "mode": mode, "calls": calls })
            }
            Address::Url(url) => json!({ "url": url, "mode": mode, "calls": calls }),
        }
    }

    /// The server as `connect_to_server` of the tester takes it.
    pub(super) fn connect_arguments(&self) -> Value {
        match &self.address {
            Address::Command(words) => {
                let (command, args) =
                    words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
                json!({ "command": command, "args": args, "env": self.environment })
            }
            Address::Url(url) => json!({ "url": url }),
        }
    }

    /// Adds the server to a `mortise` command.
    pub(super) fn add_to(&self, command: &mut Command) {
        match &self.address {
            Address::Command(words) => {
                // Servers get few variables of ours without a word.
                for name in self.environment.keys() {
                    command.args(["--env", name]);
                }
                command.arg("--").args(words).envs(&self.environment)
            }
            Address::Url(url) => command.arg(url),
        };
    }

    /// The server as an entry of our configuration.
    pub(super) fn configured(&self, name: &str) -> Value {
        match &self.address {
            Address::Command(words) => {
                let (command, arguments) = words.split_at(1.min(words.len()));
                json!({ "name": name, "command": command.concat(), "args": arguments, "env": self.environment })
            }
            Address::Url(url) => json!({ "name": name, "url": url }),
        }
    }

    /// The folder that the server may use.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Arguments of a call with `{folder}` filled in.
    pub(super) fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::from(text.replace("{folder}", &self.folder.to_string_lossy())),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), self.fill(value))).collect(),
            other => other.clone(),
        }
    }
}

/// A folder with a git repository in it that has one commit and one change.
fn prepare(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("emptying {}", folder.display()))?;
    }
    let repository = folder.join("repository");
    fs::create_dir_all(&repository)?;
    let git = |arguments: &[&str]| -> Result<()> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&repository).args([
            "-c",
            "user.name=mortise",
            "-c",
            "user.email=mortise@localhost",
        ]);
        command.args(arguments);
        for time in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            command.env(time, "2024-01-31T12:00:00Z");
        }
        process::run_ok(&mut command, FIXTURE_LIMIT).map(drop)
    };
    let file = repository.join("joint.txt");
    git(&["init", "--quiet", "--initial-branch=main"])?;
    fs::write(&file, "mortise\n")?;
    git(&["add", "."])?;
    git(&["commit", "--quiet", "--message=first"])?;
    fs::write(&file, "mortise and tenon\n")?;
    Ok(())
}

/// Makes `database.sqlite` in a folder.
fn fill_database(interop: &Interop<'_>, folder: &Path, sql: &str) -> Result<()> {
    let mut command = Command::new(interop.packages.python_program("python"));
    command.args(["-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"]);
    command.arg(folder.join("database.sqlite")).arg(sql);
    process::run_ok(&mut command, FIXTURE_LIMIT).map(drop)
}

/// A port that was free a moment ago.
pub(super) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))
        .context("cannot listen on the loopback address")?
        .local_addr()?
        .port())
}

/// Starts a program and waits until it listens on the port; what it says goes to a file in `folder`.
pub(super) fn listen(
    command: &[String],
    environment: &BTreeMap<String, String>,
    folder: &Path,
    port: u16,
) -> Result<Running> {
    let (program, arguments) = command.split_first().context("a server needs a command")?;
    let log = folder.join("server.log");
    let output = File::create(&log)?;
    let mut server = Command::new(program);
    server.args(arguments).envs(environment).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let mut running = Running::start(&mut server)?;
    let started = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if let Some(status) = running.child().try_wait()? {
            bail!("`{program}` ended with {status} before it listened:\n{}", fs::read_to_string(&log)?);
        }
        if started.elapsed() > START_LIMIT {
            bail!("`{program}` does not listen on port {port}:\n{}", fs::read_to_string(&log)?);
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(running)
}
