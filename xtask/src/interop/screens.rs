//! The first five minutes, played in a terminal at three widths in an empty home; the screens are kept to be looked at.
//!
//! A step fails when a command ends otherwise than it should, or when it writes a line that is wider than the terminal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::process;
use crate::report::Report;
use crate::workspace::Workspace;

/// Columns of the terminals.
const WIDTHS: [usize; 3] = [80, 100, 160];
const HEIGHT: usize = 48;
/// How long one command may take, the first start of the interpreter included.
const LIMIT: Duration = Duration::from_secs(90);
const PAUSE: Duration = Duration::from_millis(50);

/// One command that a new user types, and how it ends.
struct Screen {
    name: &'static str,
    command: &'static str,
    exit: u8,
    /// Keys that are pressed once this text is on the screen.
    keys: Option<(&'static str, &'static str)>,
}

const fn screen(name: &'static str, command: &'static str, exit: u8) -> Screen {
    Screen { name, command, exit, keys: None }
}

/// In the order in which they are played; later ones see what earlier ones left in the project.
const SCREENS: &[Screen] = &[
    screen("home", "mortise", 0),
    screen("help", "mortise help", 0),
    screen("help-more", "mortise help more", 0),
    screen("help-call", "mortise call --help", 0),
    screen("tools", "mortise tools --samples", 0),
    screen("tools-search", "mortise tools --samples --search 'weather in a city'", 0),
    Screen {
        name: "tools-in-a-pager",
        command: "MORTISE_PAGER='less -RX' mortise tools --samples --server p='mortise serve mock pages'",
        exit: 0,
        keys: Some(("get_weather", "q")),
    },
    screen("tool", "mortise tools --samples query_financials", 0),
    screen("call", "mortise call --samples get_weather city=Oslo", 0),
    screen("call-table", "mortise call --samples query_financials ticker=AMZN statement=income limit=4", 0),
    screen("call-no-color", "NO_COLOR=1 mortise call --samples get_weather city=Oslo", 0),
    screen("call-broken", "mortise call echo text=x -- mortise serve mock lie-mismatch", 6),
    screen("call-mistyped", "mortise call --samples get_wether city=Oslo", 1),
    screen("check", "mortise check -- mortise serve sample weather", 0),
    screen("check-broken", "mortise check --tool echo -- mortise serve mock lie-mismatch", 6),
    screen("check-unreachable", "mortise check --server gone=/nowhere/at-all", 4),
    screen("lock", "mortise lock --server weather='mortise serve sample weather'", 0),
    screen("diff", "mortise diff --server weather='mortise serve sample weather'", 0),
    screen("run", "mortise run --samples revenue.py --trace --timeline revenue.html", 0),
    screen("run-refused", "mortise run --samples refused.py", 1),
    screen("run-unterminated", "mortise run -c \"print('a\"", 1),
    screen("run-failed", "mortise run --samples failed.py", 5),
    screen("run-file", "mortise run opens.py", 5),
    screen("add", "mortise add weather -- mortise serve sample weather", 0),
    screen("list", "mortise list", 0),
    screen("import", "mortise import", 0),
    screen("tools-of-my-server", "mortise tools", 0),
    screen("home-with-a-server", "mortise", 0),
    screen("remove", "mortise remove weather", 0),
    screen(
        "doctor",
        "mortise doctor --server weather='mortise serve sample weather' --server gone=/nowhere/at-all",
        4,
    ),
    screen("doctor-verbose", "mortise doctor --samples -v", 0),
    screen("limits", "MORTISE_PAGER=cat mortise doctor --limits", 0),
    screen("install", "mortise install cursor --dry-run", 0),
    screen("call-mistyped-server", "mortise call --samples wether get_weather city=Oslo", 1),
    screen("call-two-values", "mortise call --samples calculate_bmi 180 75", 1),
    screen("check-one-tool", "mortise check --samples --tool get_weather", 0),
    screen("data", "mortise data", 0),
    screen("scan", "mortise data scan .", 0),
    screen("export", "mortise export --for openai --lint --samples", 0),
];

/// Files of the project in which the commands are run.
const FILES: [(&str, &str); 4] = [
    ("refused.py", "page = await mcp__weather__get_weather(town=\"Oslo\")\nprint(page[\"temprature\"])\n"),
    (
        "failed.py",
        "def share(total, rows):\n    return total / len(rows)\n\nprint(\"first\")\nprint(share(100, []))\n",
    ),
    ("opens.py", "rows = open(\"rates.csv\").readlines()\n"),
    ("rates.csv", "day,rate\n2026-01-02,1.1\n2026-01-03,1.2\n"),
];

pub(super) fn run(workspace: &Workspace, report: &mut Report) {
    for width in WIDTHS {
        let rerun = "cargo xtask interop screens";
        report.step(&format!("screens: {width} columns"), rerun, || play(workspace, width));
    }
}

fn play(workspace: &Workspace, width: usize) -> Result<String> {
    let folder = workspace.target().join("screens").join(width.to_string());
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    let terminal = ScreenTerminal::start(workspace, &folder, width)?;
    let mut wrong = Vec::new();
    for screen in SCREENS {
        if let Err(error) = terminal.play(screen) {
            wrong.push(format!("{}: `{}`: {error:#}", screen.name, screen.command));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(format!("{} screens in {}", SCREENS.len(), folder.display()))
}

/// A terminal of one width in a home of its own, gone with the value.
struct ScreenTerminal {
    socket: String,
    folder: PathBuf,
    project: PathBuf,
    /// Where our programs are found first.
    path: String,
    width: usize,
}

impl ScreenTerminal {
    fn start(workspace: &Workspace, folder: &Path, width: usize) -> Result<Self> {
        let (home, project) = (folder.join("home"), folder.join("project"));
        fs::create_dir_all(&home).and_then(|()| fs::create_dir_all(&project))?;
        for (name, text) in FILES {
            fs::write(project.join(name), text)?;
        }
        fs::copy(workspace.root().join("examples/revenue.py"), project.join("revenue.py"))?;
        let socket = format!("mortise-screens-{}-{width}", std::process::id());
        let programs = workspace.built("mortise");
        let programs = programs.parent().context("the program lies nowhere")?;
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
        let terminal = Self { socket, folder: folder.to_owned(), project, path, width };
        let environment = [
            format!("HOME={}", home.display()),
            format!("XDG_CONFIG_HOME={}", home.join(".config").display()),
            format!("XDG_STATE_HOME={}", home.join(".local/state").display()),
            format!("XDG_CACHE_HOME={}", home.join(".cache").display()),
            "COLORTERM=truecolor".to_owned(),
            "MORTISE_PAGER=".to_owned(),
        ];
        let (columns, rows) = (width.to_string(), HEIGHT.to_string());
        let mut arguments = vec!["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows];
        for variable in &environment {
            arguments.extend(["-e", variable]);
        }
        arguments.extend(["-s", "screens", "sleep 600"]);
        terminal.tmux(&arguments).context("the screens need tmux: install it")?;
        terminal.tmux(&["set-option", "-g", "remain-on-exit", "on"])?;
        terminal.tmux(&["set-option", "-g", "remain-on-exit-format", ""])?;
        Ok(terminal)
    }

    /// Runs one command, keeps what it left on the screen, and looks at it.
    fn play(&self, screen: &Screen) -> Result<()> {
        self.tmux(&["clear-history", "-t", "screens"])?;
        let project = self.project.to_string_lossy();
        // The shell keeps the exit code: tmux misses one now and then.
        fs::remove_file(self.exit_file()).ok();
        let command = format!("{}; echo $? > '{}'", screen.command, self.exit_file().display());
        self.tmux(&["respawn-pane", "-k", "-t", "screens", "-c", &project, &command])?;
        let exit = self.wait(screen)?;
        let shown = self.tmux(&["capture-pane", "-p", "-S", "-", "-t", "screens"])?;
        let colored = self.tmux(&["capture-pane", "-p", "-e", "-S", "-", "-t", "screens"])?;
        let head = format!("$ {}\n", screen.command);
        fs::write(self.folder.join(format!("{}.txt", screen.name)), format!("{head}{}\n", shown.trim_end()))?;
        fs::write(
            self.folder.join(format!("{}.ansi", screen.name)),
            format!("{head}{}\n", colored.trim_end()),
        )?;
        ensure!(
            exit == screen.exit.to_string(),
            "exit {exit} in place of {}\n{}",
            screen.exit,
            shown.trim_end()
        );
        // Lines that the terminal had to break come back as one.
        let joined = self.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-t", "screens"])?;
        let wide = joined.lines().map(str::trim_end).find(|line| line.chars().count() > self.width);
        match wide {
            Some(line) => bail!("a line is wider than {} columns: {line}", self.width),
            None => Ok(()),
        }
    }

    /// Waits for the end of the command, and returns its exit code.
    fn wait(&self, screen: &Screen) -> Result<String> {
        let (started, mut keys) = (Instant::now(), screen.keys);
        loop {
            let is_dead = self.tmux(&["display-message", "-p", "-t", "screens", "#{pane_dead}"])?;
            if is_dead.trim_end() == "1" {
                let exit = fs::read_to_string(self.exit_file()).context("the command left no exit code")?;
                return Ok(exit.trim_end().to_owned());
            }
            if let Some((text, key)) = keys
                && self.tmux(&["capture-pane", "-p", "-t", "screens"])?.contains(text)
            {
                self.tmux(&["send-keys", "-t", "screens", key])?;
                keys = None;
            }
            ensure!(started.elapsed() < LIMIT, "it did not end within {} s", LIMIT.as_secs());
            std::thread::sleep(PAUSE);
        }
    }

    fn exit_file(&self) -> PathBuf {
        self.folder.join("exit")
    }

    fn tmux(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("tmux");
        // A pane that is started again gets the `PATH` of the client that asks for it.
        command.args(["-L", &self.socket]).args(arguments).env_remove("TMUX").env("PATH", &self.path);
        Ok(process::run_ok(&mut command, Duration::from_secs(20))?.stdout)
    }
}

impl Drop for ScreenTerminal {
    fn drop(&mut self) {
        // A server that is gone already is what we want.
        self.tmux(&["kill-server"]).ok();
    }
}
