//! Changing `mortise.yaml` for the user: which file, how it is saved, and whether it is trusted afterwards.

use std::path::{Path, PathBuf};

use clap::Args;
use mortise_config::edit::EditError;
use mortise_config::saved_file::{SaveError, SavedFile};
use mortise_config::trust::{Fingerprint, TrustStatus, TrustStore};
use mortise_config::{Config, ConfigOrigin};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::servers;

/// Which file is changed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct WhichFile {
    /// Use the project's mortise.yaml, which is begun if there is none
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Use your own mortise.yaml, whatever lies in the project
    #[arg(long)]
    user: bool,
}

/// A file of ours that is changed.
#[derive(Debug)]
pub(crate) struct EditedFile {
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// Whether it must be trusted before it is used.
    is_project: bool,
}

impl WhichFile {
    /// The file that is meant: the one that `--config` names, else the nearest one, else the user's own.
    pub(crate) fn find(self, app: &App) -> Result<EditedFile, Failure> {
        let environment = &app.environment;
        let origin = match (self, app.connect.config.as_slice()) {
            (_, [path]) => {
                return Ok(EditedFile { path: environment.absolute(path), is_project: false });
            }
            (_, [_, ..]) => {
                return Err(Failure::new(Exit::Usage, "only one `--config` can be changed at once"));
            }
            (Self { project: true, .. }, _) => ConfigOrigin::Project,
            (Self { user: true, .. }, _) => ConfigOrigin::User,
            _ => match Config::origin(environment, &[]) {
                ConfigOrigin::Project => ConfigOrigin::Project,
                _ => ConfigOrigin::User,
            },
        };
        let path = Config::given(environment, origin, &[]).into_iter().next().ok_or_else(|| {
            Failure::new(Exit::Configuration, "it is not known where your configuration lies")
                .hint("set HOME, or name a file with `--config`")
        })?;
        let path = environment.absolute(&path);
        Ok(EditedFile { path, is_project: origin == ConfigOrigin::Project })
    }
}

impl EditedFile {
    /// Writes the file. The user who changes a file trusts the change, but not what a stranger wrote beside it: a project's
    /// file that was not trusted before is not trusted now.
    pub(crate) fn save(&self, app: &App, file: &SavedFile) -> Result<(), Failure> {
        let trusts = self.is_project && self.was_trusted(app, file)?;
        file.save().map_err(|error| not_saved(&error))?;
        if trusts {
            let now = Fingerprint::of(&app.environment, &self.path, &file.after);
            let store =
                TrustStore::open(&app.environment).map_err(|error| servers::refused(&error.into()))?;
            store.trust(&self.path, now).map_err(|error| servers::refused(&error.into()))?;
        } else if self.is_project {
            app.terminal.warn(&format!(
                "`{}` has other entries that you have not trusted; look at it, then run `mortise trust`",
                self.path.display()
            ));
        }
        Ok(())
    }

    fn was_trusted(&self, app: &App, file: &SavedFile) -> Result<bool, Failure> {
        let Some(before) = &file.before else { return Ok(true) };
        let known = Fingerprint::of(&app.environment, &self.path, before);
        let store = TrustStore::open(&app.environment).map_err(|error| servers::refused(&error.into()))?;
        let status = store.status(&self.path, &known).map_err(|error| servers::refused(&error.into()))?;
        // A file that starts nothing and switches nothing off needs no trust.
        let nothing = Fingerprint::of(&app.environment, &self.path, "servers:\n");
        Ok(status == TrustStatus::Trusted || known.says_the_same(&nothing))
    }
}

/// An edit that was refused.
pub(crate) fn refused(error: &EditError) -> Failure {
    let exit = match error {
        EditError::Taken { .. } | EditError::NoServer { .. } => Exit::Usage,
        EditError::Read { .. } | EditError::Invalid(_) | EditError::Layout { .. } => Exit::Configuration,
    };
    Failure::from_error(exit, error).hints(error.hints())
}

/// A file that could not be written.
pub(crate) fn not_saved(error: &SaveError) -> Failure {
    let failure = Failure::from_error(Exit::Configuration, error);
    match error {
        SaveError::Changed { .. } => failure.hint("another program writes it: run the command again"),
        SaveError::Write { .. } => failure,
    }
}

/// Whether a program can be found, as a shell would.
pub(crate) fn is_found(app: &App, command: &str, beside: &Path) -> bool {
    if command.contains('/') || command.contains('$') {
        return command.contains('$')
            || beside.join(app.environment.without_tilde(Path::new(command))).exists();
    }
    let path = app.environment.variable("PATH").unwrap_or_default();
    std::env::split_paths(path).any(|directory| directory.join(command).is_file())
}
