//! Options of `mortise call` that belong to the tool: `mortise call get_weather --city Oslo`.
//!
//! Which arguments a tool takes is known only once its server has answered, long after clap has read the command line.
//! So options that are not ours are marked here, and clap reads them as plain words.

use std::ffi::OsString;

use clap::Command;

/// Begins a word that clap must not read as an option of ours. No process can be started with it in an argument.
pub(crate) const MARK: char = '\0';

/// The arguments of the process, with the tool's own options marked.
pub(super) fn mark(command: &Command, arguments: &[OsString]) -> Vec<OsString> {
    let mut words = arguments.iter().cloned();
    let mut marked: Vec<OsString> = words.next().into_iter().collect();
    let mut reader = OptionReader { command, position: Position::Command };
    while let Some(word) = words.next() {
        if word == "--" {
            marked.push(word);
            break;
        }
        match word.to_str().map_or(Reading::Word, |text| reader.read(text)) {
            Reading::Word => marked.push(word),
            Reading::TakesNext => {
                marked.push(word);
                marked.extend(words.next());
            }
            Reading::OfTool => {
                let mut text = OsString::from(MARK.to_string());
                text.push(word);
                marked.push(text);
            }
        }
    }
    marked.extend(words);
    marked
}

/// The names of our own options that stand after the name of the tool.
pub(super) fn ours_after_tool(command: &Command, arguments: &[OsString]) -> Vec<String> {
    let mut reader = OptionReader { command, position: Position::Command };
    let mut names = Vec::new();
    let mut words =
        arguments.iter().skip(1).take_while(|word| *word != "--").filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        let is_after = reader.position == Position::AfterTool;
        match reader.read(word) {
            Reading::OfTool => continue,
            Reading::TakesNext => _ = words.next(),
            Reading::Word => {}
        }
        if let Some(name) = word.strip_prefix("--").filter(|_| is_after) {
            names.push(name.split('=').next().unwrap_or(name).to_owned());
        }
    }
    names
}

/// What a word of the command line is.
enum Reading {
    Word,
    /// An option of ours whose value is the next word.
    TakesNext,
    /// An option of the tool.
    OfTool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Command,
    Tool,
    AfterTool,
    /// It is another command, which has no tool's options.
    Elsewhere,
}

struct OptionReader<'a> {
    command: &'a Command,
    position: Position,
}

impl OptionReader<'_> {
    fn read(&mut self, word: &str) -> Reading {
        if word.starts_with("--") {
            return self.read_option(word);
        }
        if word.starts_with('-') && word.len() > 1 {
            let is_number = word[1..].starts_with(|first: char| first.is_ascii_digit() || first == '.');
            return if is_number && self.position == Position::AfterTool {
                Reading::OfTool
            } else {
                Reading::Word
            };
        }
        self.position = match (self.position, word) {
            (Position::Command, "call") => match self.command.find_subcommand(word) {
                Some(call) => {
                    self.command = call;
                    Position::Tool
                }
                None => Position::Elsewhere,
            },
            (Position::Command | Position::Elsewhere, _) => Position::Elsewhere,
            (Position::Tool | Position::AfterTool, _) => Position::AfterTool,
        };
        Reading::Word
    }

    fn read_option(&self, word: &str) -> Reading {
        let (name, has_value) = match word[2..].split_once('=') {
            Some((name, _)) => (name, true),
            None => (&word[2..], false),
        };
        let ours = self.command.get_arguments().find(|argument| argument.get_long() == Some(name));
        match ours {
            Some(ours) if ours.get_action().takes_values() && !has_value => Reading::TakesNext,
            None if self.position == Position::AfterTool && !name.is_empty() => Reading::OfTool,
            _ => Reading::Word,
        }
    }
}

#[cfg(test)]
mod tests;
