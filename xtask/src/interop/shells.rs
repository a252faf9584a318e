//! Completion in zsh and fish, which ask as they would for a person at a prompt. Bash is among the tests of the binary.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process;
use crate::report::Report;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(60);

/// A line as it was typed so far, and a word that the shell must propose.
const LINES: [(&[&str], &str); 6] = [
    (&["comp"], "completions"),
    (&["check", "wea"], "weather"),
    (&["call", "get_w"], "get_weather"),
    (&["call", "weather/get_w"], "weather/get_weather"),
    (&["call", "get_weather", "ci"], "city="),
    (&["tools", "--mode", "st"], "strict"),
];

/// Sources the script as a new user's `.zshrc` does, and prints what the completion function hands to zsh.
const ZSH: &str = r#"
source <(mortise completions zsh)
(( $+functions[compdef] )) || { print -u2 'completions are not loaded'; exit 1 }
_describe() { local name=$3; print -rl -- "${(@P)name}"; }
words=(mortise "$@"); CURRENT=$#words
_mortise
"#;

/// Loads the script as fish does, and asks fish itself.
const FISH: &str = "mortise completions fish | source; complete -C \"mortise $argv\"";

pub(super) fn run(workspace: &Workspace, report: &mut Report) {
    let rerun = "cargo xtask interop shells";
    for (shell, script) in [("zsh", ZSH), ("fish", FISH)] {
        report.step(&format!("shells: completion in {shell}"), rerun, || complete(workspace, shell, script));
    }
}

fn complete(workspace: &Workspace, shell: &str, script: &str) -> Result<String> {
    let home = workspace.target().join("shells").join(shell);
    let own = home.join(".config/mortise");
    fs::create_dir_all(&own).with_context(|| format!("cannot make {}", own.display()))?;
    fs::write(own.join("mortise.yaml"), "servers:\n  weather: {sample: weather}\n")?;
    let programs = workspace.built("mortise");
    let programs = programs.parent().context("the program lies nowhere")?;
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    for (words, expected) in LINES {
        let mut command = Command::new(shell);
        match shell {
            "zsh" => command.args(["-f", "-c", script, "zsh"]),
            _ => command.args(["--no-config", "-c", script]),
        };
        command.args(words).current_dir(&home).env_clear();
        command.envs([("PATH", path.as_str()), ("TERM", "dumb")]);
        for (variable, below) in [("HOME", ""), ("XDG_CONFIG_HOME", ".config"), ("XDG_CACHE_HOME", ".cache")]
        {
            command.env(variable, home.join(below));
        }
        let ran =
            process::run(&mut command, LIMIT).with_context(|| format!("{shell} is needed: install it"))?;
        ensure!(ran.status.success() && ran.stderr.is_empty(), "`{}`: {}", words.join(" "), ran.stderr);
        // A description follows behind a colon or a tab.
        let mut proposed = ran.stdout.lines().filter_map(|line| line.split([':', '\t']).next());
        ensure!(
            proposed.any(|word| word == expected),
            "`mortise {}` does not propose `{expected}`:\n{}",
            words.join(" "),
            ran.stdout
        );
    }
    Ok(format!("{} lines", LINES.len()))
}
