//! The commands of the README work as they stand there.

use std::path::Path;

use crate::program::World;

const README: &str = include_str!("../../../../README.md");

/// Other people's programs are run by `cargo xtask interop`.
const FOREIGN: &[&str] = &["npx", "uvx"];

/// The commands of all fenced blocks, without the name of the program.
fn commands() -> Vec<&'static str> {
    let mut inside = false;
    let mut commands = Vec::new();
    for line in README.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside {
            let command = line
                .strip_prefix("cargo run --release --locked -- ")
                .or_else(|| line.strip_prefix("mortise "));
            commands
                .extend(command.filter(|command| !FOREIGN.iter().any(|foreign| command.contains(foreign))));
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
    let commands = commands();
    assert!(!commands.is_empty());
    for command in commands {
        let words: Vec<String> = shlex::split(command).unwrap().into_iter().map(here).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = World::new().run(&words).expect_exit(0);
        assert!(!ran.stdout.is_empty(), "{command}");
    }
}
