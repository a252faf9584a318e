//! The two sides of a diff: files, revisions, and servers that must be asked first.

use std::cell::OnceCell;
use std::path::Path;

use mortise_client::server_config::ServerConfig;
use mortise_config::ValidationSettings;
use mortise_contract::lock::LockFile;

use super::DiffArgs;
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::servers::{self, AdHocArgs, ChosenServers, IfNone, ServerSource};
use crate::session::{self, StartFirst};
use crate::snapshots;

/// Both sides.
pub(super) struct Sides {
    old: DiffSide,
    new: DiffSide,
    source: ServerSource,
    validation: ValidationSettings,
}

/// One side: read already, or to be asked.
enum DiffSide {
    Read(LockFile),
    Live(Vec<ServerConfig>),
}

impl Sides {
    /// Reads what can be read, and finds out which servers to ask.
    pub(super) fn find(app: &App, args: &DiffArgs, old: &str) -> Result<Self, Failure> {
        let finder = SideFinder { app, args, configured: OnceCell::new() };
        let command = &args.ad_hoc.command;
        let new = match (&args.new, command.is_empty()) {
            (Some(_), false) => {
                return Err(Failure::new(Exit::Usage, "NEW is given twice: as an argument and after `--`"));
            }
            (Some(text), true) => finder.side(text, "new")?,
            (None, false) => DiffSide::Live(vec![servers::command("new", command)?]),
            (None, true) => DiffSide::Live(finder.configured()?.required()?.configs.clone()),
        };
        let old = finder.side(old, "old")?;
        if let (DiffSide::Live(old), DiffSide::Live(new)) = (&old, &new)
            && let Some(twice) = old.iter().find(|old| new.iter().any(|new| new.name == old.name))
        {
            let message = format!("the server `{}` is on both sides", twice.name);
            return Err(Failure::new(Exit::Usage, message));
        }
        let (source, validation) = match finder.configured.into_inner() {
            Some(servers) => (servers.source, servers.validation),
            None => (ServerSource::CommandLine, ValidationSettings::default()),
        };
        Ok(Self { old, new, source, validation })
    }

    /// Asks the servers, all at once.
    pub(super) fn load(self, app: &App) -> Result<(LockFile, LockFile), Failure> {
        let names = |side: &DiffSide| match side {
            DiffSide::Read(_) => Vec::new(),
            DiffSide::Live(configs) => {
                configs.iter().map(|config| config.name.to_string()).collect::<Vec<_>>()
            }
        };
        let of_old = names(&self.old);
        let (mut configs, mut read) = (Vec::new(), Vec::new());
        for side in [self.old, self.new] {
            match side {
                DiffSide::Read(lock) => read.push(Some(lock)),
                DiffSide::Live(live) => {
                    configs.extend(live);
                    read.push(None);
                }
            }
        }
        let mut live = LockFile::default();
        if !configs.is_empty() {
            let mut servers = ChosenServers::new(configs, self.source, self.validation);
            servers.apply_options(app)?;
            live = session::run(app, servers, StartFirst::All, async |session| {
                snapshots::of_servers(app, &session.connected().await).await
            })?;
        }
        let (old, new): (Vec<_>, Vec<_>) =
            live.servers.into_iter().partition(|(name, _)| of_old.contains(name));
        let side = |read: Option<LockFile>, live: Vec<_>| {
            read.unwrap_or_else(|| LockFile { servers: live.into_iter().collect() })
        };
        let mut read = read.into_iter();
        Ok((side(read.next().flatten(), old), side(read.next().flatten(), new)))
    }
}

struct SideFinder<'a> {
    app: &'a App,
    args: &'a DiffArgs,
    configured: OnceCell<ChosenServers>,
}

impl SideFinder<'_> {
    /// The servers that are configured or named by `--server`, looked up once and only if needed.
    fn configured(&self) -> Result<&ChosenServers, Failure> {
        if let Some(servers) = self.configured.get() {
            return Ok(servers);
        }
        let servers = servers::choose(self.app, &AdHocArgs::default(), None, IfNone::GoOn)?;
        Ok(self.configured.get_or_init(|| servers))
    }

    fn side(&self, text: &str, role: &str) -> Result<DiffSide, Failure> {
        if let Some(revision) = text.strip_prefix("git:") {
            return self.revision(revision);
        }
        if servers::is_url(text) {
            return Ok(DiffSide::Live(vec![servers::named(&format!("{role}={text}"))?]));
        }
        let path = self.app.environment.absolute(Path::new(text));
        let is_json = Path::new(text).extension().is_some_and(|extension| extension == "json");
        if is_json || path.is_file() && !is_program(&path) {
            return Ok(DiffSide::Read(snapshots::read(&path)?));
        }
        if path.is_file() {
            return Ok(DiffSide::Live(vec![servers::command(role, &[text.to_owned()])?]));
        }
        if text.contains(char::is_whitespace) {
            return Ok(DiffSide::Live(vec![servers::named(&format!("{role}={text}"))?]));
        }
        let configured = self.configured()?;
        match configured.configs.iter().find(|config| config.name.as_str() == text) {
            Some(config) => Ok(DiffSide::Live(vec![config.clone()])),
            None => Err(self.unknown(text, configured)),
        }
    }

    fn unknown(&self, text: &str, configured: &ChosenServers) -> Failure {
        let names: Vec<&str> = configured.configs.iter().map(|config| config.name.as_str()).collect();
        let failure = Failure::new(Exit::Usage, format!("`{text}` is neither a file nor a server"));
        let failure = match crate::find::nearest(text, names.iter().copied()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure,
        };
        failure.hint("write a command with its arguments in quotes, or name it: --server NAME=COMMAND")
    }

    /// `REV` or `REV:PATH`; without a path, the lock file.
    fn revision(&self, text: &str) -> Result<DiffSide, Failure> {
        let directory = &self.app.environment.working_directory;
        if let Some((revision, path)) = text.split_once(':') {
            return Ok(DiffSide::Read(snapshots::read_git(directory, revision, path)?));
        }
        let path = snapshots::lock_path(self.app, self.args.lock.as_deref(), None);
        let (directory, file) = match (path.parent(), path.file_name()) {
            (Some(directory), Some(file)) => (directory, file.to_string_lossy()),
            _ => (directory.as_path(), LockFile::FILE_NAME.into()),
        };
        Ok(DiffSide::Read(snapshots::read_git(directory, text, &file)?))
    }
}

/// Whether a file can be started.
#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

/// Whether a file can be started.
#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "exe" || extension == "cmd")
}
