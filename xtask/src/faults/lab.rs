//! The processes of a run: how they are started, where they listen, and what the kernel says about them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use super::Length;
use crate::process::Running;

/// The bearer token of every listener.
pub(super) const TOKEN: &str = "xtask-faults-0123456789abcdef0123456789abcdef";

const START_LIMIT: Duration = Duration::from_secs(60);

/// Where a run happens.
pub(super) struct Lab {
    pub(super) folder: PathBuf,
    pub(super) program: PathBuf,
    length: Length,
}

impl Lab {
    /// An empty folder; the compiled interpreter is shared by all runs.
    pub(super) fn prepare(folder: PathBuf, program: PathBuf, length: Length) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("emptying {}", folder.display()))?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, program, length })
    }

    /// One value for the usual run, one for the full one.
    pub(super) fn choose<T>(&self, usual: T, full: T) -> T {
        if self.length == Length::Full { full } else { usual }
    }

    /// `mortise` with these arguments, in the folder, with nothing of the user's configuration.
    pub(super) fn mortise(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        self.surround(command.args(arguments));
        command
    }

    /// Sets folder and variables.
    pub(super) fn surround(&self, command: &mut Command) {
        command.current_dir(&self.folder).env("MORTISE_HTTP_TOKEN", TOKEN).env("HOME", &self.folder);
        for name in ["CONFIG", "STATE", "CACHE"] {
            command.env(format!("XDG_{name}_HOME"), self.folder.join(name.to_lowercase()));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    }

    /// A `--server` option: a mock of this name with these scenarios, over stdio.
    pub(super) fn mock_option(&self, name: &str, scenarios: &str) -> String {
        format!("{name}={} mock {scenarios}", self.program.display())
    }

    /// The options for `count` such mocks, `s0` and so on.
    pub(super) fn mock_options(&self, count: usize, scenarios: &str) -> Vec<String> {
        let option = |server| ["--server".to_owned(), self.mock_option(&format!("s{server}"), scenarios)];
        (0..count).flat_map(option).collect()
    }

    /// `mortise serve` over HTTP with all tools offered directly, and these options.
    pub(super) fn gateway<S: AsRef<OsStr>>(&self, options: &[S]) -> Result<Listener> {
        let mut command = self.mortise(&["serve", "--http", "127.0.0.1:0", "--expose", "mcp__*"]);
        Listener::start(command.args(options))
    }

    /// `mortise mock` over HTTP.
    pub(super) fn mock(&self, scenarios: &[&str]) -> Result<Listener> {
        Listener::start(&mut self.mortise(&[&["mock", "--http", "127.0.0.1:0"], scenarios].concat()))
    }
}

/// A process that listens for HTTP until this value is dropped.
pub(super) struct Listener {
    running: Running,
    pub(super) address: SocketAddr,
    pub(super) path: String,
    /// From its start to its first line about where it listens.
    pub(super) start_time: Duration,
    said: Arc<Mutex<String>>,
}

impl Listener {
    /// Starts a process and waits until it says on stderr where it listens.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let started = Instant::now();
        let mut running = Running::start(command.stderr(Stdio::piped()))?;
        let said = collect(&mut running)?;
        loop {
            let text = lock(&said).clone();
            if let Some((address, path)) = text.lines().find_map(listens_on) {
                return Ok(Self { running, address, path, start_time: started.elapsed(), said });
            }
            if let Some(status) = running.child().try_wait()? {
                bail!("it ended with {status} before it listened:\n{text}");
            }
            if started.elapsed() > START_LIMIT {
                bail!("it does not listen:\n{text}");
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    pub(super) fn pid(&mut self) -> i32 {
        self.running.child().id() as i32
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// How often it said this on stderr.
    pub(super) fn said(&self, words: &str) -> usize {
        lock(&self.said).matches(words).count()
    }

    /// Waits until it has said this `count` times.
    pub(super) fn wait_until_said(&self, words: &str, count: usize, limit: Duration) -> Result<()> {
        let waited = until(limit, || self.said(words) >= count);
        waited.with_context(|| format!("it never said {words:?} {count} times:\n{}", lock(&self.said)))?;
        Ok(())
    }

    /// Whether it still runs.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.running.child().try_wait(), Ok(None))
    }

    pub(super) fn signal(&mut self, signal: Signal) -> Result<()> {
        send(self.pid(), signal)
    }

    /// Its exit status as text, once it ends.
    pub(super) fn wait(&mut self, limit: Duration) -> Result<String> {
        let mut status = None;
        until(limit, || {
            status = self.running.child().try_wait().ok().flatten();
            status.is_some()
        })?;
        Ok(status.map(|status| status.to_string()).unwrap_or_default())
    }

    /// Resident memory in MiB, descriptors and threads.
    pub(super) fn costs(&mut self) -> Result<Costs> {
        Costs::of(self.pid())
    }

    /// The processes below it, by pid, with their command lines.
    pub(super) fn descendants(&mut self) -> BTreeMap<i32, Process> {
        descendants(self.pid())
    }
}

/// What a process holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    pub(super) memory_mib: f64,
    pub(super) descriptors: usize,
    pub(super) threads: usize,
}

impl Costs {
    pub(super) fn of(pid: i32) -> Result<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        };
        Ok(Self {
            memory_mib: field("VmRSS").context("no VmRSS")? / 1024.0,
            descriptors: fs::read_dir(format!("/proc/{pid}/fd"))?.count(),
            threads: field("Threads").context("no Threads")? as usize,
        })
    }
}

/// A process as `/proc` shows it.
#[derive(Debug, Clone)]
pub(super) struct Process {
    parent: i32,
    pub(super) is_zombie: bool,
    pub(super) command: String,
}

/// All processes below one.
pub(super) fn descendants(root: i32) -> BTreeMap<i32, Process> {
    let all = processes();
    let below = |pid: i32| {
        let mut at = pid;
        while let Some(process) = all.get(&at).filter(|_| at != root) {
            at = process.parent;
        }
        at == root && pid != root
    };
    all.iter().filter(|(pid, _)| below(**pid)).map(|(pid, process)| (*pid, process.clone())).collect()
}

/// All processes of the machine.
pub(super) fn processes() -> BTreeMap<i32, Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| process(&entry.path())).collect()
}

fn process(folder: &Path) -> Option<(i32, Process)> {
    let pid = folder.file_name()?.to_str()?.parse().ok()?;
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name in parentheses may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let is_zombie = fields.next()? == "Z";
    let parent = fields.next()?.parse().ok()?;
    let command = fs::read(folder.join("cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).replace('\0', " ").trim_end().to_owned();
    Some((pid, Process { parent, is_zombie, command }))
}

pub(super) fn send(pid: i32, signal: Signal) -> Result<()> {
    let pid = Pid::from_raw(pid).context("not a process")?;
    kill_process(pid, signal).context("sending a signal")
}

/// Asks again until it is so, or fails when the time is over.
pub(super) fn until(limit: Duration, mut is_so: impl FnMut() -> bool) -> Result<Duration> {
    let started = Instant::now();
    while !is_so() {
        if started.elapsed() > limit {
            bail!("not within {} s", limit.as_secs());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(started.elapsed())
}

/// What a process says on stderr, as it comes.
fn collect(running: &mut Running) -> Result<Arc<Mutex<String>>> {
    let pipe = running.child().stderr.take().context("stderr is not piped")?;
    let said = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&said);
    thread::spawn(move || {
        let mut lines = BufReader::new(pipe);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            lock(&kept).push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
    });
    Ok(said)
}

fn lock(said: &Mutex<String>) -> std::sync::MutexGuard<'_, String> {
    said.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The address and path in a line that says where a process listens.
fn listens_on(line: &str) -> Option<(SocketAddr, String)> {
    let (_, rest) = line.split_once("http://")?;
    let url = rest.split_whitespace().next()?;
    let (address, path) = url.split_once('/')?;
    Some((address.parse().ok()?, format!("/{path}")))
}
