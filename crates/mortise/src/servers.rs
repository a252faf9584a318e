//! Which servers a command talks to.

mod ad_hoc;
mod built_in;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use mortise_contract::Mode;
use mortise_upstream::PoolOptions;
use mortise_upstream::config::{
    Config, ConfigError, Execution, Glob, LoadedConfig, LockMode, Note, Origin, ToolFilter, Validation,
};
use mortise_upstream::oauth::LoginTokens;
use mortise_upstream::server_config::ServerConfig;
use mortise_upstream::trust::{TrustStore, Untrusted};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;
use crate::terminal::escape;

pub(crate) use ad_hoc::{command, is_url, named};

/// The servers named on the command line beside the options of [`crate::cli::ConnectArgs`].
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct AdHocArgs {
    /// Start this command and use it as the only server
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// The servers of one command.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    /// How each is reached.
    pub(crate) configs: Vec<ServerConfig>,
    /// Where they come from.
    pub(crate) source: Source,
    /// How results are checked.
    pub(crate) validation: Validation,
    /// Which tools programs may call.
    pub(crate) tools: ToolFilter,
    /// Tools offered directly beside `execute_program`.
    pub(crate) expose: Vec<Glob>,
    /// What one program may use.
    pub(crate) execution: Execution,
    /// What is configured to happen to tools that are not as the lock file records them.
    pub(crate) lock: Option<LockMode>,
    /// What is worth knowing about the files.
    notes: Vec<Note>,
}

/// Where servers come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The command line.
    CommandLine,
    /// These files.
    Files(Vec<PathBuf>),
    /// Nothing is configured: the samples that are built in.
    Samples,
}

/// Finds the servers: those on the command line, else those configured, else the samples.
pub(crate) fn choose(app: &App, ad_hoc: &AdHocArgs, url: Option<&str>) -> Result<Servers, Failure> {
    let servers = find(app, ad_hoc, url, load)?;
    servers.tell_notes(app);
    Ok(servers)
}

/// Finds the servers again where they were configured before, for a process that runs already: nobody is asked or
/// told anything.
pub(crate) fn choose_again(app: &App, origin: Origin) -> Result<Servers, Failure> {
    let load = |app: &App| {
        let loaded = Config::load_again(&app.environment, origin, &app.connect.config);
        loaded.map_err(|error| refused(&error))
    };
    find(app, &AdHocArgs::default(), None, load)
}

fn find(
    app: &App,
    ad_hoc: &AdHocArgs,
    url: Option<&str>,
    load: impl Fn(&App) -> Result<LoadedConfig, Failure>,
) -> Result<Servers, Failure> {
    let configs = ad_hoc::servers(&app.connect, &ad_hoc.command, url)?;
    let mut servers = Servers::new(configs, Source::CommandLine, Validation::default());
    if servers.configs.is_empty() || !app.connect.config.is_empty() {
        let loaded = load(app)?;
        servers.notes = loaded.notes;
        servers.validation = loaded.config.validation;
        servers.tools = loaded.config.tools;
        servers.expose = loaded.config.expose;
        servers.execution = loaded.config.execution;
        servers.lock = loaded.config.lock;
        servers.source = match loaded.origin {
            Origin::NoConfig => {
                servers.add(built_in::servers()?)?;
                Source::Samples
            }
            _ => {
                servers.add(loaded.config.servers)?;
                Source::Files(loaded.files)
            }
        };
    }
    servers.apply_options(app);
    Ok(servers)
}

impl Servers {
    /// Servers for a command that runs no programs.
    pub(crate) fn new(configs: Vec<ServerConfig>, source: Source, validation: Validation) -> Self {
        let (tools, execution) = (ToolFilter::default(), Execution::default());
        let (expose, notes) = (Vec::new(), Vec::new());
        Self { configs, source, validation, tools, expose, execution, lock: None, notes }
    }

    /// Whether both would do the same, whatever there is to say about the files.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.configs == other.configs
            && self.validation == other.validation
            && self.tools == other.tools
            && self.expose == other.expose
            && self.execution == other.execution
            && self.lock == other.lock
    }

    /// Says what is worth knowing about the files.
    pub(crate) fn tell_notes(&self, app: &App) {
        for note in &self.notes {
            app.terminal.note(&note.to_string());
        }
    }

    /// How a pool of these servers treats them all.
    pub(crate) fn pool_options(&self, app: &App) -> PoolOptions {
        let mut options = PoolOptions::new(app.environment.clone());
        options.mode = self.mode();
        options.forbid_unschematised = self.validation.forbid_unschematised;
        options.schema.assert_formats = self.validation.assert_formats;
        options.tokens = Some(Arc::new(LoginTokens::new(app.environment.clone())));
        options
    }

    /// What happens when a result breaks its contract, where neither server nor tool say otherwise.
    fn mode(&self) -> Mode {
        self.validation.mode.unwrap_or(Mode::Warn)
    }

    /// Writes how all results are checked into every server, so that one for which this changes is no longer the same.
    pub(crate) fn spell_out_checks(&mut self) {
        let mode = self.mode();
        for config in &mut self.configs {
            config.mode = config.mode.or(Some(mode));
            config.forbid_unschematised = Some(self.validation.forbid_unschematised);
            config.assert_formats = Some(self.validation.assert_formats);
        }
    }

    fn add(&mut self, configured: Vec<ServerConfig>) -> Result<(), Failure> {
        for config in configured {
            if self.configs.iter().any(|known| known.name == config.name) {
                let message =
                    format!("the server `{}` is on the command line and in the configuration", config.name);
                return Err(Failure::new(Exit::Usage, message).hint("give one of them another name"));
            }
            self.configs.push(config);
        }
        Ok(())
    }

    /// Leaves the servers that were asked for; all of them when none was.
    pub(crate) fn keep_only(&mut self, names: &[String]) -> Result<(), Failure> {
        let known: Vec<String> = self.configs.iter().map(|config| config.name.to_string()).collect();
        if let Some(name) = names.iter().find(|name| !known.contains(name)) {
            let failure = Failure::new(Exit::Usage, format!("there is no server `{name}`"));
            return Err(match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None if known.is_empty() => failure.hint("no server is configured"),
                None => failure.hint(format!("there are {}", known.join(", "))),
            });
        }
        if !names.is_empty() {
            self.configs.retain(|config| names.iter().any(|name| config.name.as_str() == name));
        }
        Ok(())
    }

    /// What is said on the command line wins over what is configured, for every server.
    pub(crate) fn apply_options(&mut self, app: &App) {
        for config in &mut self.configs {
            if let Some(timeout) = app.connect.timeout {
                config.start_timeout = timeout;
                config.call_timeout = Some(timeout);
            }
            if let Some(mode) = app.connect.mode {
                config.mode = Some(mode);
                config.tool_modes.clear();
            }
        }
        if let Some(mode) = app.connect.mode {
            self.validation.mode = Some(mode);
        }
    }
}

/// Loads the configuration; a project's file that is not trusted is asked about on a terminal.
pub(crate) fn load(app: &App) -> Result<LoadedConfig, Failure> {
    loop {
        match Config::load(&app.environment, &app.connect.config) {
            Err(ConfigError::Untrusted(untrusted))
                if app.terminal.is_interactive() && is_wanted(app, &untrusted) =>
            {
                // Exactly the content that was shown is trusted, not what may lie there by now. The next turn asks
                // about the files that it imports.
                let store = TrustStore::open(&app.environment).map_err(|error| refused(&error.into()))?;
                for file in untrusted.files {
                    store.trust(&file.path, file.hash).map_err(|error| refused(&error.into()))?;
                }
            }
            loaded => return loaded.map_err(|error| refused(&error)),
        }
    }
}

/// A configuration that can't be used, with advice.
pub(crate) fn refused(error: &ConfigError) -> Failure {
    Failure::from_error(Exit::Configuration, error).hints(error.hints())
}

/// Shows what an untrusted file would do and asks.
fn is_wanted(app: &App, untrusted: &Untrusted) -> bool {
    let mut text = format!("{}. It wants to use these servers:\n", escape::text(&untrusted.to_string()));
    for server in &untrusted.servers {
        text.push_str(&format!(
            "  {}: {}\n",
            escape::line(&server.name),
            escape::line(&server.action.to_string())
        ));
    }
    if !untrusted.imports.is_empty() {
        let imports: Vec<String> =
            untrusted.imports.iter().map(|import| format!("`{}`", escape::line(import))).collect();
        text.push_str(&format!("It imports {}.\n", imports.join(", ")));
    }
    text.push_str("Trust it until it changes? [y/N] ");
    app.terminal.stderr(&text);
    _ = std::io::stderr().flush();
    let mut answer = String::new();
    _ = std::io::stdin().read_line(&mut answer);
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests;
