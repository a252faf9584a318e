//! `mortise import`: takes servers from the files of other programs.

mod view;

use std::path::Path;

use clap::Args;
use mortise_config::NoteKind;
use mortise_config::discover::{self, FoundFile, FoundServer, FoundState};
use mortise_config::edit::{self, NewServer};
use mortise_config::programs::{FileScope, Program};

use crate::app::App;
use crate::editing::{self, WhichFile};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;
use crate::overview::short_path;
use crate::terminal::units::counted;
use crate::terminal::{Mark, escape};
use crate::{overview, question};

/// Arguments of `mortise import`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  mortise import                   list what is found, and choose
  mortise import --all             take all servers of your own files
  mortise import claude --all      only from Claude Code
  mortise import files search      only these servers
  mortise import .mcp.json --all   from this file")]
pub(crate) struct ImportArgs {
    /// Programs, files, or names of servers [default: look everywhere]
    #[arg(value_name = "PROGRAM, FILE or SERVER")]
    what: Vec<String>,
    /// Take every server that can be used; of a project's files only if you name the program or the file
    #[arg(long)]
    all: bool,
    /// Only list what would be taken
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    file: WhichFile,
}

/// What the words of the command line mean.
#[derive(Default)]
struct Wanted {
    programs: Vec<&'static Program>,
    files: Vec<String>,
    servers: Vec<String>,
}

/// One server that was found, and what becomes of it.
struct Offer<'a> {
    file: &'a FoundFile,
    server: &'a FoundServer,
    fate: Fate,
}

/// What becomes of a server.
enum Fate {
    /// It can be taken.
    Open,
    /// It is taken.
    Taken,
    /// Its name is configured here already.
    Known,
    /// A server of this name comes before it.
    Later,
    /// It can't be taken.
    Closed,
}

/// Lists what is found and takes what is wanted.
pub(crate) fn run(app: &App, args: &ImportArgs) -> Result<Exit, Failure> {
    let wanted = Wanted::read(app, &args.what);
    let found = wanted.found(app)?;
    let target = args.file.find(app)?;
    let mut known = edit::server_names(&app.environment, &target.path);
    known.extend(overview::look(app).servers.into_iter().map(|row| row.name));
    let mut offers = offers(&found, &known);
    choose(app, args, &wanted, &mut offers)?;
    view::print(app, &found, &offers)?;
    let is_asked = offers.iter().all(|offer| !matches!(offer.fate, Fate::Taken))
        && !args.dry_run
        && !app.global.json
        && app.terminal.is_interactive();
    if is_asked {
        ask(app, &mut offers);
    }
    let taken: Vec<&Offer<'_>> = offers.iter().filter(|offer| matches!(offer.fate, Fate::Taken)).collect();
    let servers: Vec<NewServer> = taken.iter().filter_map(|offer| offer.server.entry().cloned()).collect();
    if servers.is_empty() || args.dry_run {
        advise(app, args, &offers, servers.len());
        return Ok(Exit::Ok);
    }
    let edited = edit::add_servers(&app.environment, &target.path, &servers)
        .map_err(|error| editing::refused(&error))?;
    target.save(app, &edited)?;
    for offer in &taken {
        notes(app, offer);
    }
    let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    let text = format!(
        "added {} to {}: {}; see them with: mortise tools",
        counted(names.len(), "server"),
        short_path(app, &target.path),
        names.join(", ")
    );
    app.terminal.say_painted(&app.terminal.for_stderr().marked(0, Mark::Good, &escape::text(&text)));
    Ok(Exit::Ok)
}

impl Wanted {
    /// A word is a program, else a file that is there or looks like a path, else the name of a server.
    fn read(app: &App, words: &[String]) -> Self {
        let mut wanted = Self::default();
        for word in words {
            if let Some(program) = Program::find(word) {
                wanted.programs.push(program);
            } else if word.contains('/')
                || word.ends_with(".json")
                || word.ends_with(".toml")
                || app.environment.absolute(Path::new(word)).is_file()
            {
                wanted.files.push(word.clone());
            } else {
                wanted.servers.push(word.clone());
            }
        }
        wanted
    }

    /// The files that are looked at.
    fn found(&self, app: &App) -> Result<Vec<FoundFile>, Failure> {
        let environment = &app.environment;
        if self.programs.is_empty() && self.files.is_empty() {
            return Ok(discover::discover_all(environment));
        }
        let mut found = discover::discover(environment, &self.programs);
        for file in &self.files {
            let read = discover::read_file(environment, Path::new(file));
            if let Err(reason) = &read.servers {
                let message = format!("cannot import `{}`: {reason}", read.path.display());
                let failure = Failure::new(Exit::Usage, message);
                return Err(match read.path.exists() {
                    true => failure,
                    false => failure.hint("`mortise import` without a file lists what other programs have"),
                });
            }
            found.push(read);
        }
        Ok(found)
    }

    /// Whether a file was asked for, by its name or that of its program.
    fn names(&self, file: &FoundFile) -> bool {
        file.program.is_none_or(|program| self.programs.contains(&program)) || !self.files.is_empty()
    }
}

fn offers<'a>(found: &'a [FoundFile], known: &[String]) -> Vec<Offer<'a>> {
    let mut offers: Vec<Offer<'a>> = Vec::new();
    for file in found {
        for server in file.servers.iter().flatten() {
            let is_later = || {
                offers
                    .iter()
                    .any(|offer| matches!(offer.fate, Fate::Open) && offer.server.name == server.name)
            };
            let fate = match &server.state {
                FoundState::Mortise | FoundState::Unusable(_) => Fate::Closed,
                _ if known.contains(&server.name) => Fate::Known,
                _ if is_later() => Fate::Later,
                FoundState::Usable(_) | FoundState::Disabled(_) => Fate::Open,
            };
            offers.push(Offer { file, server, fate });
        }
    }
    offers
}

/// Takes what the command line asks for.
fn choose(app: &App, args: &ImportArgs, wanted: &Wanted, offers: &mut [Offer<'_>]) -> Result<(), Failure> {
    for name in &wanted.servers {
        let mut same = offers.iter_mut().filter(|offer| offer.server.name == *name).peekable();
        if same.peek().is_none() {
            return Err(missing(name, offers));
        }
        match same.find(|offer| matches!(offer.fate, Fate::Open)) {
            Some(offer) => offer.fate = Fate::Taken,
            None => app
                .terminal
                .warn(&format!("`{name}` is not taken: it is configured already or can't be used")),
        }
    }
    if args.all {
        for offer in offers.iter_mut().filter(|offer| matches!(offer.fate, Fate::Open)) {
            if offer.file.scope == FileScope::User || wanted.names(offer.file) {
                offer.fate = Fate::Taken;
            }
        }
    }
    Ok(())
}

fn missing(word: &str, offers: &[Offer<'_>]) -> Failure {
    let failure = Failure::new(
        Exit::Usage,
        format!("`{word}` is neither a program, a file nor a server that was found"),
    );
    let programs = mortise_config::programs::PROGRAMS.iter().map(|program| program.id);
    match nearest(word, offers.iter().map(|offer| offer.server.name.as_str()).chain(programs)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`mortise import` lists what is found"),
    }
}

/// Asks which of the servers are taken.
fn ask(app: &App, offers: &mut [Offer<'_>]) {
    if !offers.iter().any(|offer| matches!(offer.fate, Fate::Open)) {
        return;
    }
    let answer = question::line(app, "Take which? [all, or names with spaces between; nothing for none] ");
    let words: Vec<&str> = answer.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    for offer in offers.iter_mut().filter(|offer| matches!(offer.fate, Fate::Open)) {
        if words == ["all"] || words == ["*"] || words.contains(&offer.server.name.as_str()) {
            offer.fate = Fate::Taken;
        }
    }
    for word in words.iter().filter(|word| !matches!(**word, "all" | "*")) {
        if !offers.iter().any(|offer| offer.server.name == *word) {
            app.terminal.warn(&format!("there is no server `{word}` in the list"));
        }
    }
}

/// What to do next where nothing was written.
fn advise(app: &App, args: &ImportArgs, offers: &[Offer<'_>], taken: usize) {
    let open = offers.iter().filter(|offer| matches!(offer.fate, Fate::Open)).count();
    if args.dry_run && taken > 0 {
        app.terminal.note(&format!("{} would be taken; nothing was written", counted(taken, "server")));
    } else if open > 0 && args.all {
        app.terminal.note(
            "servers of a project's files are taken only if you name the program, the file or the server",
        );
    } else if open > 0 {
        app.terminal.note("take all with `mortise import --all`, or some with `mortise import NAME …`");
    }
}

/// What is worth knowing about a server that was taken.
fn notes(app: &App, offer: &Offer<'_>) {
    for note in &offer.server.notes {
        let text = format!("`{}` {note}", offer.server.name);
        match note {
            NoteKind::Input { .. } | NoteKind::LiteralSecret { .. } => app.terminal.warn(&text),
            _ => app.terminal.note(&text),
        }
    }
}
