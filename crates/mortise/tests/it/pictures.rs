//! The pictures of a terminal in `docs/pictures/` show what the binary prints.
//!
//! `cargo xtask codegen` sets `MORTISE_PICTURES=write`, which writes them instead of comparing.

mod screen;
mod svg;

use std::path::{Path, PathBuf};

use crate::program::{World, binary};
use crate::pty::OnTerminal;
use screen::Screen;

/// A picture and the commands that it shows, one below the other.
struct Picture {
    name: &'static str,
    /// For readers who can't see it.
    title: &'static str,
    columns: u16,
    commands: &'static [Shown],
}

/// One command of a picture.
struct Shown {
    command: &'static str,
    exit: i32,
}

const PICTURES: &[Picture] = &[
    Picture {
        name: "call",
        title: "mortise call shows a value, the place where it breaks its schema, and exits with 6",
        columns: 88,
        commands: &[
            Shown { command: "mortise call get_weather city=Oslo --samples", exit: 0 },
            Shown { command: "mortise call echo text=hi -- mortise serve mock lie-mismatch", exit: 6 },
        ],
    },
    Picture {
        name: "check",
        title: "mortise check lists the tools, what is wrong with one, and a command that shows it again",
        columns: 100,
        commands: &[Shown { command: "mortise check -- mortise serve mock lie-mismatch", exit: 6 }],
    },
    Picture {
        name: "run",
        title: "mortise run refuses a program that reads a field which the tool does not return",
        columns: 88,
        commands: &[Shown {
            command: r#"mortise run --samples -c 'w = await mcp__weather__get_weather(city="Oslo")
print(w["temprature"])'"#,
            exit: 1,
        }],
    },
];

#[test]
fn show_what_the_binary_prints() {
    let is_writing = std::env::var("MORTISE_PICTURES").is_ok_and(|value| value == "write");
    for picture in PICTURES {
        let drawn = draw(picture);
        let path = folder().join(format!("{}.svg", picture.name));
        if is_writing {
            std::fs::create_dir_all(folder()).unwrap();
            std::fs::write(&path, drawn).unwrap();
        } else {
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                kept == drawn,
                "{} is stale: run `cargo xtask codegen` and look at it",
                path.file_name().unwrap().display()
            );
        }
    }
}

#[test]
fn every_picture_is_drawn() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_plot = name.starts_with("bench-");
        assert!(is_plot || PICTURES.iter().any(|picture| picture.name == name), "{}", path.display());
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures")
}

fn draw(picture: &Picture) -> String {
    let mut screen = Screen::new(picture.columns);
    for (index, shown) in picture.commands.iter().enumerate() {
        if index > 0 {
            screen.write("\n");
        }
        screen.write(&format!("\u{1b}[2m$\u{1b}[0m \u{1b}[1m{}\u{1b}[0m\n", shown.command));
        screen.write(&printed(shown, picture.columns));
    }
    svg::draw(picture.title, usize::from(picture.columns), &screen.lines())
}

/// What a command prints on a terminal, with every time set to 4 ms.
fn printed(shown: &Shown, columns: u16) -> String {
    let folder = binary().parent().unwrap().to_str().unwrap();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let world = World::new().with("PATH", &path).with("COLORTERM", "truecolor");
    let words = shlex::split(shown.command).unwrap();
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let (text, exit) = OnTerminal::start(&world, columns, &words).finish();
    assert_eq!(exit, Some(shown.exit), "{}: {text}", shown.command);
    with_fixed_times(&text)
}

fn with_fixed_times(text: &str) -> String {
    let parts: Vec<&str> = text.split(" ms").collect();
    let (last, timed) = parts.split_last().unwrap();
    let timed: String = timed
        .iter()
        .map(|part| {
            format!("{}4 ms", part.trim_end_matches(|digit: char| digit.is_ascii_digit() || digit == '.'))
        })
        .collect();
    timed + last
}
