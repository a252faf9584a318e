//! Runs the binary in a world of its own: an empty home, a fixed width, no colour.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// One world in which commands are run.
pub(crate) struct World {
    directory: TempDir,
    variables: Vec<(String, String)>,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        for name in ["home", "project"] {
            std::fs::create_dir(directory.path().join(name)).unwrap();
        }
        Self { directory, variables: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The directory that commands run in.
    pub(crate) fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.project().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// The state directory of mortise.
    pub(crate) fn state(&self) -> PathBuf {
        self.home().join(".local/state/mortise")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(binary(), arguments)
    }

    /// The binary with files of at most this many blocks of 512 or 1,024 bytes.
    pub(crate) fn run_with_small_files(&self, blocks: u32, arguments: &[&str]) -> Ran {
        let script = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
        let arguments = [&["-c", &script, binary().to_str().unwrap()], arguments].concat();
        self.ran(self.command_of(Path::new("sh"), &arguments).output().unwrap())
    }

    fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .env("TERM", "xterm-256color")
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.ran(self.command(arguments).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        use std::io::Write as _;
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        self.ran(child.wait_with_output().unwrap())
    }

    fn ran(&self, output: Output) -> Ran {
        let clean = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            let directory = self.directory.path().canonicalize().unwrap();
            text.replace(directory.to_str().unwrap(), "[WORLD]")
                .replace(binary().to_str().unwrap(), "[MORTISE]")
        };
        Ran { exit: output.status.code(), stdout: clean(output.stdout), stderr: clean(output.stderr) }
    }
}

/// `-- mortise mock SCENARIO`: an ad-hoc server that behaves as the scenario says.
pub(crate) fn mock(scenario: &str) -> [&str; 4] {
    ["--", binary().to_str().unwrap(), "mock", scenario]
}

/// The binary under test.
pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_mortise"))
}

/// What a command did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn expect_exit(self, exit: i32) -> Self {
        assert_eq!(self.exit, Some(exit), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// All three in one text, times left out.
    pub(crate) fn text(&self) -> String {
        let exit = self.exit.map_or_else(|| "signal".to_owned(), |exit| exit.to_string());
        let text = format!("exit: {exit}\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr);
        without_times(&text)
    }
}

/// `· 12 ms` and `"elapsed_ms":12` without their numbers.
pub(crate) fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = ["· ", "\"elapsed_ms\":", "\"ms\":"]
        .iter()
        .filter_map(|mark| rest.find(mark).map(|at| at + mark.len()))
        .min()
    {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let digits = after.len()
            - after.trim_start_matches(|digit: char| digit.is_ascii_digit() || digit == '.').len();
        if digits > 0 {
            out.push_str("[N]");
        }
        rest = &after[digits..];
    }
    out + rest
}
