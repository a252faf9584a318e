//! What `mortise data` shows a person at a terminal, who is not an MCP client.

use std::path::Path;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shell_word::shell_word;
use crate::terminal::Tint;

/// What each command is for, in the order in which a person needs them.
const COMMANDS: [(&str, &str); 6] = [
    ("scan FOLDER", "list the files of a folder"),
    ("describe FILE", "show columns, types, and how sure they are"),
    ("extract FOLDER", "write a rule that takes data from paths"),
    ("parser FILE", "write a Python parser and run it"),
    ("backtest FILE…", "run a parser on all files"),
    ("run FILE…", "write the rows of files as tables"),
];

/// Endings of files that `describe` reads, the likeliest tables first.
const ENDINGS: [&str; 6] = ["csv", "tsv", "parquet", "jsonl", "ndjson", "json"];

/// Entries of the working directory that are looked at for an example.
const LOOKED_AT: usize = 1_000;

/// Prints the commands and the next step.
pub(super) fn show(app: &App) -> Result<Exit, Failure> {
    let terminal = &app.terminal;
    let here = &app.environment.working_directory;
    let mut text =
        format!("{}: from a folder of files to tables\n\n", terminal.paint(Tint::Heading, "mortise data"));
    for (command, about) in COMMANDS {
        text.push_str(&terminal.pieces(&[
            (None, "  "),
            (Some(Tint::Name), &format!("mortise data {command:<16}")),
            (None, about),
            (None, "\n"),
        ]));
    }
    let agent = "claude mcp add data -- mortise data --root FOLDER";
    text.push_str(&format!(
        "\nAn agent uses the same as tools. For example:\n  {}\n",
        terminal.paint(Tint::Name, agent)
    ));
    let next = match data_file(here) {
        Some(file) => format!("mortise data describe {}", shell_word(&file)),
        None => "mortise data scan .".to_owned(),
    };
    text.push_str(&format!(
        "\nNext: {}\n",
        terminal.paint(Tint::Name, &crate::terminal::escape::line(&next))
    ));
    app.print(&text)?;
    Ok(Exit::Ok)
}

/// The data file of a folder that is nearest to a table: CSV before JSON, then by name.
fn data_file(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.take(LOOKED_AT).flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let ranked = names.filter_map(|name| {
        let ending = Path::new(&name).extension()?.to_str()?.to_lowercase();
        let rank = ENDINGS.iter().position(|known| *known == ending)?;
        (!name.starts_with('.') && !name.starts_with("mortise.")).then_some((rank, name))
    });
    ranked.min().map(|(_, name)| name)
}
