//! The commands of the README and of the first guide work as they stand there.

use std::path::Path;

use crate::program::{World, binary};

const README: &str = include_str!("../../../../README.md");
const FIRST_STEPS: &str = include_str!("../../../../docs/guides/first-steps.md");

/// Other people's programs are run by `cargo xtask interop`.
const FOREIGN: &[&str] = &["npx", "uvx"];

/// A command of a page, without the name of the program, and its exit code.
struct PageCommand {
    command: &'static str,
    exit: i32,
}

/// The commands of all fenced blocks. `# exit 6` behind one is the code that it must have.
fn commands(page: &'static str) -> Vec<PageCommand> {
    let mut inside = false;
    let mut commands = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside {
            let command = line
                .strip_prefix("cargo run --release --locked -- ")
                .or_else(|| line.trim_start_matches("$ ").strip_prefix("mortise "));
            let Some(command) = command else { continue };
            if FOREIGN.iter().any(|foreign| command.contains(foreign)) {
                continue;
            }
            let (command, note) = command.split_once(" #").unwrap_or((command, ""));
            let exit = note.trim().strip_prefix("exit ").map_or(0, |exit| exit.parse().unwrap());
            commands.push(PageCommand { command: command.trim(), exit });
        }
    }
    commands
}

/// The README is read in the root of the repository, and so are the paths in it.
fn here(word: String) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&word);
    if file.is_file() { file.to_string_lossy().into_owned() } else { word }
}

#[test]
fn every_command_of_the_readme_runs() {
    run_all(README);
}

#[test]
fn every_command_of_the_first_steps_runs() {
    run_all(FIRST_STEPS);
}

/// Runs the commands of a page one after the other in one world, as a reader would.
#[track_caller]
fn run_all(page: &'static str) {
    let commands = commands(page);
    assert!(!commands.is_empty());
    let folder = binary().parent().unwrap().to_str().unwrap();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let world = World::new().with("PATH", &path);
    for PageCommand { command, exit } in commands {
        let words: Vec<String> = shlex::split(command).unwrap().into_iter().map(here).collect();
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        // It asks before it writes, and here it could ask no one.
        words.extend(words.starts_with(&["install"]).then_some("--dry-run"));
        let ran = world.run(&words).expect_exit(exit);
        assert!(!ran.stdout.is_empty() || !ran.stderr.is_empty(), "{command}");
    }
}
