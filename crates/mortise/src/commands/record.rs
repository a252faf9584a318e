//! `mortise record`: stands between a client and a server, and writes down what passes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use mortise_client::oauth::LoginTokens;
use mortise_client::relay::{Relay, RelayEnd};
use mortise_client::secret::{Secret, is_secret_name};
use mortise_client::server_config::{EnvPolicy, ServerConfig, Transport};
use mortise_tester::recorder::{Recorder, RecorderError};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::failure::upstream::Unusable;
use crate::interrupt;
use crate::servers::{self, AdHocArgs, ChosenServers, IfNone, ServerSource};
use crate::serving;
use crate::terminal::units::counted;

/// Arguments of `mortise record`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RecordArgs {
    /// Write to this file, behind what it has recorded already [default: SERVER.recording.jsonl]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Record this configured server; its name alone is enough
    #[arg(value_name = "SERVER")]
    recorded_server: Option<String>,
    /// Begin the file anew
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

const EXAMPLES: &str = "\
Put it where the client starts the server:
  mortise record -- npx -y some-weather-server
  mortise record weather.jsonl --url https://example.com/mcp
  mortise record weather

Then serve the recording, or see what has changed since:
  mortise serve mock --from some-weather-server.recording.jsonl
  mortise check --against weather.jsonl -- npx -y some-weather-server";

/// Files that are tried.
const NAMES_TRIED: usize = 100;

/// Passes messages on until a side ends, and records them.
pub(crate) fn run(app: &App, args: &RecordArgs) -> Result<Exit, Failure> {
    let (file, config) = choose(app, args)?;
    let name = config.name.clone();
    let relay = Relay::new(config, app.environment.clone())
        .tokens(Arc::new(LoginTokens::new(app.environment.clone())));
    let path = file.unwrap_or_else(|| usual_file(name.as_str()));
    let (recorder, path) = open(&relay, name.as_str(), &path, args.replace)?;
    app.terminal.say(&format!("`{name}` is recorded in `{}`", path.display()));
    serving::say_waiting(app, name.as_str());
    interrupt::block_on(async |stop| {
        let ran = relay.run(tokio::io::stdin(), tokio::io::stdout(), &recorder, stop.asked()).await;
        let end = match ran {
            Ok(end) => end,
            Err(error) => {
                recorder.finish("the server could not be started");
                return Err(Unusable::NotConnected(error).failure(&name));
            }
        };
        let done = recorder.finish(&why(&end));
        if let Some(stopped) = &done.stopped {
            app.terminal.warn(&stopped.to_string());
        }
        app.terminal.say(&format!("{} in `{}`", counted(done.messages, "message"), path.display()));
        match end {
            RelayEnd::ServerEnded(reason) => {
                Err(Failure::new(Exit::Unreachable, format!("server `{name}` ended first")).because(&reason))
            }
            RelayEnd::ClientClosed | RelayEnd::Stopped => Ok(Exit::Ok),
        }
    })
}

fn why(end: &RelayEnd) -> String {
    match end {
        RelayEnd::ClientClosed => "the client closed its side".to_owned(),
        RelayEnd::ServerEnded(reason) => format!("the server ended: {reason}"),
        RelayEnd::Stopped => "the recorder was asked to stop".to_owned(),
    }
}

/// The file that was named, and the one server.
fn choose(app: &App, args: &RecordArgs) -> Result<(Option<PathBuf>, ServerConfig), Failure> {
    let mut servers = servers::choose(app, &args.ad_hoc, None, IfNone::Refuse)?;
    let is_given = servers.source == ServerSource::CommandLine && servers.configs.len() == 1;
    let (file, server) = match (&args.file, &args.recorded_server) {
        (Some(_), Some(server)) if is_given => {
            let message = format!("`{server}` is one argument too many: the server is on the command line");
            return Err(Failure::new(Exit::Usage, message));
        }
        (Some(server), None) if !is_given => (None, Some(server.to_string_lossy().into_owned())),
        (file, server) => (file.clone(), server.clone()),
    };
    servers
        .keep_only(&server.into_iter().collect::<Vec<_>>())
        .map_err(|failure| failure.hint("a command goes behind `--`: mortise record [FILE] -- COMMAND"))?;
    let mut config = only(servers)?;
    if is_given {
        as_the_client_started_it(app, &mut config);
    }
    Ok((file, config))
}

fn only(servers: ChosenServers) -> Result<ServerConfig, Failure> {
    let names: Vec<String> = servers.configs.iter().map(|config| config.name.to_string()).collect();
    match <[ServerConfig; 1]>::try_from(servers.configs) {
        Ok([config]) => Ok(config),
        Err(_) => Err(Failure::new(Exit::Usage, "one server is recorded at a time").hint(format!(
            "name it, for example: mortise record {}",
            names.first().map_or("", String::as_str)
        ))),
    }
}

/// The client gave us the environment that it meant for the server. What looks like a secret in it is hidden.
fn as_the_client_started_it(app: &App, config: &mut ServerConfig) {
    let Transport::Stdio(stdio) = &mut config.transport else { return };
    stdio.env_policy = EnvPolicy::Inherit;
    let telling = app.environment.variables.iter().filter_map(|(name, value)| {
        let is_secret = name.to_str().is_some_and(is_secret_name);
        value.to_str().filter(|_| is_secret).map(Secret::new)
    });
    config.secrets.extend(telling);
}

/// `weather.recording.jsonl`.
fn usual_file(server: &str) -> PathBuf {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let stem: String = server.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    PathBuf::from(format!("{stem}.recording.jsonl"))
}

/// Opens the file, or the next one if another recorder writes to it: `weather-2.jsonl`.
fn open(relay: &Relay, server: &str, path: &Path, replace: bool) -> Result<(Recorder, PathBuf), Failure> {
    if replace {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritable(path, &error)),
            _ => {}
        }
    }
    let part = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let stem = part(path.file_stem()).unwrap_or_default();
    let ending = part(path.extension()).map(|ending| format!(".{ending}")).unwrap_or_default();
    for number in 1..=NAMES_TRIED {
        let path = match number {
            1 => path.to_owned(),
            _ => path.with_file_name(format!("{stem}-{number}{ending}")),
        };
        match Recorder::open(&path, server, relay.secrets().clone()) {
            Ok(recorder) => return Ok((recorder, path)),
            Err(RecorderError::Busy) => {}
            Err(error @ RecorderError::NotRecording(_)) => {
                let message = format!("`{}` is not a recording", path.display());
                return Err(Failure::new(Exit::Usage, message)
                    .because(&error)
                    .hint("name another file, or replace it with --replace"));
            }
            Err(RecorderError::Io(error)) => return Err(unwritable(&path, &error)),
        }
    }
    Err(Failure::new(Exit::Usage, format!("{NAMES_TRIED} recorders write beside `{}`", path.display()))
        .hint("name another file"))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Usage, format!("cannot write `{}`", path.display())).because(error)
}
