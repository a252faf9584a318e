//! `mortise` without a command: what it is for, which servers there are, and the next step. One screen, never slow,
//! never a failure: what can't be read is one line.

use std::fmt::Write as _;

use mortise_config::discover::{self, FoundFile, FoundState};
use mortise_config::programs::FileScope;
use serde_json::json;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::overview::{self, Overview, ServerState, short_path};
use crate::shell_word::shell_word;
use crate::terminal::layout::fit;
use crate::terminal::units::counted;
use crate::terminal::{Mark, Tint, escape};
use crate::version;

/// What mortise is for.
const GROUPS: [(&str, [(&str, &str); 2]); 3] = [
    (
        "Look",
        [
            ("tools [NAME]", "what servers offer; what a tool takes, returns"),
            ("call TOOL a=1", "call a tool, and check what it returns"),
        ],
    ),
    (
        "Test",
        [
            ("check", "do servers keep their contracts?"),
            ("lock, diff", "record declarations; see what a change breaks"),
        ],
    ),
    (
        "Agents",
        [
            ("run FILE.py", "one Python program over the tools of all servers"),
            ("install NAME", "let Claude, Codex, Cursor … use all servers"),
        ],
    ),
];

/// Servers that are shown, so that all fits 24 lines.
const SHOWN: usize = 5;
/// Columns of the labels at the left.
const LABEL: usize = 9;
/// Columns of a line where the width is not known.
const WIDTH: usize = 80;

/// What other programs have and mortise does not.
#[derive(Default)]
struct Elsewhere {
    /// Names of programs with how many servers they have that are not here.
    programs: Vec<(String, usize)>,
    /// Files that can't be read.
    unreadable: Vec<String>,
}

/// Prints the screen.
pub(crate) fn run(app: &App) -> Result<Exit, Failure> {
    let overview = overview::look(app);
    let elsewhere = Elsewhere::look(app, &overview);
    let next = next_step(&overview, &elsewhere);
    if app.global.json {
        app.print_json(&json(&overview, &elsewhere, &next.0))?;
        return Ok(Exit::Ok);
    }
    let mut screen = Screen { app, text: String::new(), width: app.terminal.width().unwrap_or(WIDTH) };
    screen.groups();
    screen.servers(&overview);
    screen.elsewhere(&elsewhere);
    screen.line("Next", None, &[(Some(Tint::Name), &next.0), (Some(Tint::Dim), &next.1)]);
    app.print(&screen.text)?;
    Ok(Exit::Ok)
}

impl Elsewhere {
    fn look(app: &App, overview: &Overview) -> Self {
        let mut elsewhere = Self::default();
        let mut counted: Vec<String> = overview.servers.iter().map(|row| row.name.clone()).collect();
        for file in discover::discover_all(&app.environment) {
            let name = program(&file);
            match &file.servers {
                Err(reason) => {
                    let path = short_path(app, &file.path);
                    elsewhere.unreadable.push(format!("{path} can't be read: {reason}"));
                }
                Ok(servers) => {
                    let is_new = |server: &&discover::FoundServer| {
                        matches!(server.state, FoundState::Usable(_)) && !counted.contains(&server.name)
                    };
                    let new: Vec<String> =
                        servers.iter().filter(is_new).map(|server| server.name.clone()).collect();
                    if !new.is_empty() {
                        match elsewhere.programs.iter_mut().find(|(known, _)| *known == name) {
                            Some((_, count)) => *count += new.len(),
                            None => elsewhere.programs.push((name, new.len())),
                        }
                    }
                    counted.extend(new);
                }
            }
        }
        elsewhere
    }

    fn count(&self) -> usize {
        self.programs.iter().map(|(_, count)| count).sum()
    }
}

fn program(file: &FoundFile) -> String {
    match file.scope {
        FileScope::Project => "this project".to_owned(),
        FileScope::User => file.program.map_or("a file", |program| program.name).to_owned(),
    }
}

/// The next step as one command, and why.
fn next_step(overview: &Overview, elsewhere: &Elsewhere) -> (String, String) {
    let login = overview.servers.iter().find(|row| row.state == ServerState::LoginWanted);
    let is_new = overview.servers.iter().any(|row| row.state == ServerState::New);
    let works = overview.servers.iter().any(|row| matches!(row.state, ServerState::Seen { .. }));
    let step = |command: &str, why: &str| (command.to_owned(), format!("   {why}"));
    if overview.untrusted.is_some() {
        step("mortise trust", "look at this project's file first")
    } else if overview.problem.is_some() {
        step("mortise doctor", "what is wrong with the configuration")
    } else if let Some(row) = login {
        let name = shell_word(&row.name);
        step(&format!("mortise login {name}"), "")
    } else if overview.servers.is_empty() && elsewhere.count() > 0 {
        step("mortise import", "take the servers that you have already")
    } else if overview.servers.is_empty() {
        step("mortise tools --samples", "with built-in servers; yours: mortise add")
    } else if is_new {
        step("mortise tools", "connect, and see what they offer")
    } else if works {
        step("mortise check", "do they keep their contracts?")
    } else {
        step("mortise doctor", "why no server can be used")
    }
}

struct Screen<'a> {
    app: &'a App,
    text: String,
    width: usize,
}

impl Screen<'_> {
    fn groups(&mut self) {
        let terminal = &self.app.terminal;
        let about = "see what MCP tools promise, call them, learn whether they keep it";
        let title =
            format!("{}: {about}", terminal.paint(Tint::Heading, &format!("mortise {}", version::SHORT)));
        _ = writeln!(self.text, "{title}\n");
        for (label, rows) in GROUPS {
            for (index, (command, about)) in rows.into_iter().enumerate() {
                let label = if index == 0 { label } else { "" };
                let command = format!("mortise {command:<15}");
                self.line(label, None, &[(Some(Tint::Name), &command), (None, about)]);
            }
        }
        self.text.push('\n');
    }

    fn servers(&mut self, overview: &Overview) {
        let files: Vec<String> =
            overview.files.iter().map(|file| escape::line(&short_path(self.app, file))).collect();
        if let Some(path) = &overview.untrusted {
            let path = escape::line(&short_path(self.app, path));
            self.line("Project", Some(Mark::Warn), &[(None, &path), (None, " is not trusted, and not used")]);
        }
        if let Some(problem) = &overview.problem {
            self.line("Servers", Some(Mark::Bad), &[(None, &escape::line(problem))]);
            return;
        }
        if overview.servers.is_empty() {
            let none = match files.as_slice() {
                [] => "none yet".to_owned(),
                files => format!("none yet in {}", files.join(", ")),
            };
            self.line("Servers", None, &[(Some(Tint::Dim), &none)]);
            return;
        }
        let widest = overview.servers.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(24);
        for (index, row) in overview.servers.iter().take(SHOWN).enumerate() {
            let label = if index == 0 { "Servers" } else { "" };
            let name = format!("{:<widest$}  ", fit(&escape::line(&row.name), widest));
            let words = escape::line(&row.state.words());
            self.line(label, Some(row.state.mark()), &[(Some(Tint::Name), &name), (None, &words)]);
        }
        let more = overview.servers.len().saturating_sub(SHOWN);
        let rest = match more {
            0 => format!("in {}", files.join(", ")),
            more => format!("and {more} more: mortise list; in {}", files.join(", ")),
        };
        self.line("", None, &[(Some(Tint::Dim), &rest)]);
    }

    fn elsewhere(&mut self, elsewhere: &Elsewhere) {
        if elsewhere.count() > 0 {
            let list = |parts: &[(String, usize)]| {
                parts.iter().map(|(name, count)| format!("{count} in {name}")).collect::<Vec<_>>().join(", ")
            };
            let (first, rest) = elsewhere.programs.split_at(elsewhere.programs.len().min(3));
            let mut text = match first {
                [(name, count)] if rest.is_empty() => format!("{} in {name}", counted(*count, "server")),
                first => format!("{}: {}", counted(elsewhere.count(), "server"), list(first)),
            };
            if !rest.is_empty() {
                text.push_str(&format!(", {} elsewhere", rest.iter().map(|(_, count)| count).sum::<usize>()));
            }
            self.line(
                "Found",
                None,
                &[(None, &escape::line(&text)), (None, ": "), (Some(Tint::Name), "mortise import")],
            );
        }
        if let Some(first) = elsewhere.unreadable.first() {
            self.line("", Some(Mark::Warn), &[(None, &escape::line(first))]);
        }
        self.text.push('\n');
    }

    /// One line: a label, a mark and pieces that are cut where the line ends.
    fn line(&mut self, label: &str, mark: Option<Mark>, pieces: &[(Option<Tint>, &str)]) {
        let terminal = &self.app.terminal;
        self.text.push_str(&terminal.paint(Tint::Heading, label));
        self.text.push_str(&" ".repeat(LABEL.saturating_sub(label.len())));
        let mut room = self.width.saturating_sub(LABEL).max(20);
        if let Some(mark) = mark {
            self.text.push_str(&format!("{} ", terminal.mark(mark)));
            room -= 2;
        }
        for (tint, piece) in pieces {
            let shown = match self.app.terminal.width() {
                Some(_) => fit(piece, room),
                None => (*piece).to_owned(),
            };
            room = room.saturating_sub(unicode_width::UnicodeWidthStr::width(shown.as_str()));
            match tint {
                Some(tint) => self.text.push_str(&terminal.paint(*tint, &shown)),
                None => self.text.push_str(&shown),
            }
            if room == 0 {
                break;
            }
        }
        while self.text.ends_with(' ') {
            self.text.pop();
        }
        self.text.push('\n');
    }
}

fn json(overview: &Overview, elsewhere: &Elsewhere, next: &str) -> String {
    let servers: Vec<_> = overview
        .servers
        .iter()
        .map(|row| json!({ "name": row.name, "state": row.state.label(), "detail": row.state.words() }))
        .collect();
    let found: Vec<_> =
        elsewhere.programs.iter().map(|(name, count)| json!({ "program": name, "servers": count })).collect();
    json!({
        "version": version::SHORT,
        "servers": servers,
        "untrusted": overview.untrusted.as_ref().map(|path| path.to_string_lossy()),
        "problem": overview.problem,
        "found": found,
        "unreadable": elsewhere.unreadable,
        "next": next,
    })
    .to_string()
}
