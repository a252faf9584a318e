//! An empty home with one server that counts effects.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::super::Interop;
use crate::process::{self, Finished};

/// How long one command may take.
pub(super) const LIMIT: Duration = Duration::from_secs(90);
const SERVER_END: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(5);

/// Folders that only one run uses; the compiled interpreter is shared.
pub(super) struct RunHome {
    folder: PathBuf,
    cache: PathBuf,
    program: PathBuf,
}

impl RunHome {
    /// Makes the home; `settings` are further lines of its configuration.
    pub(super) fn new(interop: &Interop<'_>, name: &str, settings: &str) -> Result<Self> {
        let work = interop.packages.folder().join("work/runs");
        let folder = work.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("emptying {}", folder.display()))?;
        }
        fs::create_dir_all(&folder)?;
        let server = interop.workspace.built("examples/counting_server");
        let configuration = format!(
            "servers:\n  - name: counter\n    command: {}\n    args: [{}]\n    in_flight: 200\n\
             execution:\n  max_concurrent_calls: 64\n{settings}",
            server.display(),
            folder.join("counts").display()
        );
        fs::write(folder.join("mortise.yaml"), configuration)?;
        Ok(Self { cache: work.join("cache"), program: interop.workspace.built("mortise"), folder })
    }

    /// `mortise` in this home.
    pub(super) fn mortise(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg("--config").arg(self.folder.join("mortise.yaml"));
        self.surround(&mut command);
        command
    }

    /// `mortise` with a command that reads only the journal.
    pub(super) fn about_runs(&self, arguments: &[&str]) -> Result<Finished> {
        let mut command = Command::new(&self.program);
        self.surround(command.args(arguments));
        process::run(&mut command, LIMIT)
    }

    /// The variables that make this folder the home.
    pub(super) fn environment(&self) -> BTreeMap<String, String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        BTreeMap::from([
            ("HOME".to_owned(), text(&self.folder)),
            ("XDG_CONFIG_HOME".to_owned(), text(&self.folder.join("config"))),
            ("XDG_STATE_HOME".to_owned(), text(&self.folder.join("state"))),
            ("XDG_CACHE_HOME".to_owned(), text(&self.cache)),
        ])
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn surround(&self, command: &mut Command) {
        command.current_dir(&self.folder).envs(self.environment()).stdin(Stdio::null());
    }

    /// How often each effect happened, by `TOOL KEY`, once the server has ended.
    pub(super) fn effects(&self) -> Result<BTreeMap<String, usize>> {
        let path = self.folder.join("counts");
        let Ok(file) = File::open(&path) else { return Ok(BTreeMap::new()) };
        let started = Instant::now();
        while file.try_lock().is_err() {
            if started.elapsed() > SERVER_END {
                bail!("the server still runs {} s after its gateway ended", SERVER_END.as_secs());
            }
            thread::sleep(LOOK);
        }
        let mut effects = BTreeMap::new();
        for line in fs::read_to_string(&path)?.lines() {
            *effects.entry(line.to_owned()).or_default() += 1;
        }
        Ok(effects)
    }

    pub(super) fn remove(self) -> Result<()> {
        fs::remove_dir_all(&self.folder).with_context(|| format!("removing {}", self.folder.display()))
    }
}
