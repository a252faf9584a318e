//! Loads the configuration. A project's file that is not trusted is asked about on a terminal, and passed over elsewhere.

use std::path::PathBuf;

use mortise_client::server_config::{ServerConfig, Transport, UnusableEntry};
use mortise_config::trust::{TrustStore, Untrusted};
use mortise_config::{Config, ConfigError, ConfigOrigin, LoadedConfig};
use mortise_contract::ServerName;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::question;
use crate::terminal::escape;

/// A configuration, and what was passed over for it.
pub(super) struct FoundConfig {
    pub(super) loaded: LoadedConfig,
    /// The project's file that is not trusted: `loaded` is the user's own.
    pub(super) untrusted: Option<Box<Untrusted>>,
}

/// What happens when a project's file is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfUntrusted {
    /// The user's own file is used, if there is one.
    UseOwn,
    /// It is refused.
    Refuse,
}

/// Loads the configuration.
pub(super) fn load(app: &App) -> Result<FoundConfig, Failure> {
    loop {
        match Config::load(&app.environment, &app.connect.config) {
            Err(ConfigError::Untrusted(untrusted))
                if app.terminal.is_interactive() && is_wanted(app, &untrusted) =>
            {
                // Exactly the content that was shown is trusted, not what may lie there by now. The next turn asks
                // about the files that it imports.
                let store = TrustStore::open(&app.environment).map_err(|error| refused(&error.into()))?;
                for file in untrusted.files {
                    store.trust(&file.path, file.fingerprint).map_err(|error| refused(&error.into()))?;
                }
            }
            loaded => return or_own(app, loaded, IfUntrusted::UseOwn),
        }
    }
}

/// Loads files that were found before, and asks nothing.
pub(super) fn load_again(
    app: &App,
    origin: ConfigOrigin,
    given: &[PathBuf],
    if_untrusted: IfUntrusted,
) -> Result<FoundConfig, Failure> {
    or_own(app, Config::load_again(&app.environment, origin, given), if_untrusted)
}

/// Takes the user's own file in place of a project's that is not trusted. Where there is none, it is refused.
fn or_own(
    app: &App,
    loaded: Result<LoadedConfig, ConfigError>,
    if_untrusted: IfUntrusted,
) -> Result<FoundConfig, Failure> {
    match loaded {
        Ok(loaded) => Ok(FoundConfig { loaded, untrusted: None }),
        Err(ConfigError::Untrusted(untrusted)) if if_untrusted == IfUntrusted::UseOwn => {
            match Config::load_own(&app.environment).map_err(|error| refused(&error))? {
                Some(loaded) => Ok(FoundConfig { loaded, untrusted: Some(untrusted) }),
                None => Err(refused(&ConfigError::Untrusted(untrusted))),
            }
        }
        Err(error) => Err(refused(&error)),
    }
}

/// What is listed for a project's file that is not used. Nothing of the file is shown: it is not trusted.
pub(super) fn left_out(untrusted: &Untrusted) -> Option<ServerConfig> {
    let name = ServerName::parse(Config::FILE_NAME).ok()?;
    let entry = UnusableEntry { reason: untrusted.to_string(), hints: vec![untrusted.hint()] };
    Some(ServerConfig::new(name, Transport::Unusable(entry)))
}

/// A configuration that can't be used, with advice.
pub(crate) fn refused(error: &ConfigError) -> Failure {
    match error {
        // A file that is not there was named by the user: what is looked for elsewhere may be missing.
        ConfigError::Read { path, source } => input::unreadable(path, source).hints(error.hints()),
        _ => Failure::from_error(Exit::Configuration, error).hints(error.hints()),
    }
}

/// Shows what an untrusted file would do and asks.
fn is_wanted(app: &App, untrusted: &Untrusted) -> bool {
    let mut text = format!("{}. It would use:\n", escape::text(&untrusted.to_string()));
    if untrusted.servers.is_empty() {
        text.push_str("  no servers\n");
    }
    for server in &untrusted.servers {
        text.push_str(&format!("  {}: {}\n", escape::line(&server.name), escape::line(&server.summary())));
    }
    if !untrusted.imports.is_empty() {
        let imports: Vec<String> =
            untrusted.imports.iter().map(|import| format!("`{}`", escape::line(import))).collect();
        text.push_str(&format!("It imports {}.\n", imports.join(", ")));
    }
    question::is_yes(app, &format!("{text}Allow this until it changes?"))
}
