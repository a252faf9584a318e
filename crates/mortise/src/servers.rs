//! Which servers a command talks to.

mod ad_hoc;
mod again;
mod built_in;
mod loading;
mod login_words;

use std::path::PathBuf;
use std::sync::Arc;

use mortise_client::oauth::LoginTokens;
use mortise_client::server_config::{ServerConfig, Transport};
use mortise_client::tool_filter::{Glob, ToolFilter};
use mortise_client::{EraMemory, PoolOptions};
use mortise_config::{
    ApprovalSettings, ConfigOrigin, ConfigPlace, Execution, JournalSettings, Note, ValidationSettings,
};
use mortise_contract::{LockMode, Mode, ObserveMode, ServerName};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;
use loading::FoundConfig;

pub(crate) use ad_hoc::{command, is_url, named};
pub(crate) use again::{ArgumentChecks, SameServers};
pub(crate) use built_in::by_name as samples_by_name;
pub(crate) use loading::{IfUntrusted, refused};
pub(crate) use login_words::login_command;

/// The servers named on the command line beside the options of [`crate::cli::ConnectArgs`].
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct AdHocArgs {
    /// Start this command and use it as the only server
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// The servers of one command.
#[derive(Clone, Debug)]
pub(crate) struct ChosenServers {
    /// How each is reached.
    pub(crate) configs: Vec<ServerConfig>,
    /// Where they come from.
    pub(crate) source: ServerSource,
    /// How results are checked.
    pub(crate) validation: ValidationSettings,
    /// Which tools programs may call.
    pub(crate) tools: ToolFilter,
    /// Tools offered directly beside `execute_program`.
    pub(crate) expose: Vec<Glob>,
    /// Which calls of programs need the agreement of a person.
    pub(crate) approvals: ApprovalSettings,
    /// What one program may use.
    pub(crate) execution: Execution,
    /// What is configured to happen to tools that are not as the lock file records them.
    pub(crate) lock: Option<LockMode>,
    /// Whether runs are recorded, and how long.
    pub(crate) journal: JournalSettings,
    /// Where each configured server is written.
    pub(crate) places: ServerPlaces,
    /// Whether shapes of results are learned and shown.
    pub(crate) observe: ObserveMode,
    /// What is worth knowing about the files.
    notes: Vec<Note>,
    /// Why the user's own file is used though the project has one.
    untrusted: Option<String>,
}

/// The servers of the configuration, each with the place of its entry.
pub(crate) type ServerPlaces = Vec<(ServerName, ConfigPlace)>;

/// Where servers come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerSource {
    /// The command line.
    CommandLine,
    /// These files.
    Files(Vec<PathBuf>),
    /// Nothing is configured, and a person at a terminal tries mortise: the samples that are built in.
    Samples,
    /// Nothing is configured.
    Nothing,
}

/// What a command does when there is no server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfNone {
    /// On a terminal it uses the samples if nothing is configured; elsewhere it goes on and says so.
    TrySamples,
    /// It goes on.
    GoOn,
    /// It fails.
    Refuse,
}

/// How a user gets a server, one sentence each.
pub(crate) const WAYS: [&str; 2] = [
    "`mortise import` takes the servers of other programs, `mortise add NAME -- COMMAND` adds one",
    "`--samples` uses the built-in sample servers, whose data is invented",
];

/// Finds the servers: those on the command line, else those configured.
pub(crate) fn choose(
    app: &App,
    ad_hoc: &AdHocArgs,
    url: Option<&str>,
    if_none: IfNone,
) -> Result<ChosenServers, Failure> {
    let mut servers = find(app, ad_hoc, url, loading::load)?;
    servers.print_notes(app);
    if servers.configs.is_empty() {
        servers.do_without(app, if_none)?;
    }
    Ok(servers)
}

/// Finds the servers again in the files that were found before, for a process that runs already. Nothing is asked or
/// printed.
pub(crate) fn choose_again(
    app: &App,
    origin: ConfigOrigin,
    given: &[PathBuf],
    if_untrusted: IfUntrusted,
) -> Result<ChosenServers, Failure> {
    find(app, &AdHocArgs::default(), None, |app| loading::load_again(app, origin, given, if_untrusted))
}

fn find(
    app: &App,
    ad_hoc: &AdHocArgs,
    url: Option<&str>,
    load: impl Fn(&App) -> Result<FoundConfig, Failure>,
) -> Result<ChosenServers, Failure> {
    let configs = ad_hoc::servers(&app.connect, &ad_hoc.command, url)?;
    login_words::note(app, &configs);
    let mut servers = ChosenServers::new(configs, ServerSource::CommandLine, ValidationSettings::default());
    if app.connect.samples {
        servers.add(built_in::servers(app)?)?;
    }
    if servers.configs.is_empty() || !app.connect.config.is_empty() {
        let FoundConfig { loaded, untrusted } = load(app)?;
        servers.notes = loaded.notes;
        servers.validation = loaded.config.validation;
        servers.tools = loaded.config.tools;
        servers.expose = loaded.config.expose;
        servers.approvals = loaded.config.approvals;
        servers.execution = loaded.config.execution;
        servers.journal = loaded.config.journal;
        servers.lock = loaded.config.lock;
        let names = loaded.config.servers.iter().map(|server| server.name.clone());
        servers.places = names.zip(loaded.places).collect();
        servers.observe = loaded.config.observe;
        servers.add(loaded.config.servers)?;
        servers.source = match loaded.origin {
            ConfigOrigin::NoConfig => ServerSource::Nothing,
            _ => ServerSource::Files(loaded.files),
        };
        if let Some(untrusted) = untrusted {
            servers.untrusted = Some(untrusted.to_string());
            servers.configs.extend(loading::left_out(&untrusted));
        }
    }
    servers.apply_options(app)?;
    Ok(servers)
}

impl ChosenServers {
    /// Servers for a command that runs no programs.
    pub(crate) fn new(
        configs: Vec<ServerConfig>,
        source: ServerSource,
        validation: ValidationSettings,
    ) -> Self {
        let (tools, execution) = (ToolFilter::default(), Execution::default());
        let (expose, places, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            configs,
            source,
            validation,
            tools,
            expose,
            approvals: ApprovalSettings::default(),
            execution,
            lock: None,
            journal: JournalSettings::default(),
            places,
            observe: ObserveMode::default(),
            notes,
            untrusted: None,
        }
    }

    /// What a command without servers does.
    fn do_without(&mut self, app: &App, if_none: IfNone) -> Result<(), Failure> {
        match if_none {
            IfNone::Refuse => _ = self.required()?,
            IfNone::TrySamples if self.source == ServerSource::Nothing && app.terminal.is_interactive() => {
                self.add(built_in::servers(app)?)?;
                self.source = ServerSource::Samples;
                self.apply_options(app)?;
                app.terminal.note(
                    "no servers are configured, so the built-in samples are used; their data is invented",
                );
            }
            IfNone::TrySamples => app.terminal.note(&format!("{}: {}", self.none(), WAYS.join("; "))),
            IfNone::GoOn => {}
        }
        Ok(())
    }

    /// Itself, if there is any server.
    pub(crate) fn required(&self) -> Result<&Self, Failure> {
        match self.configs.is_empty() {
            true => Err(Failure::new(Exit::Configuration, self.none()).hints(WAYS.map(str::to_owned))),
            false => Ok(self),
        }
    }

    fn none(&self) -> String {
        match &self.source {
            ServerSource::Files(files) => {
                let files: Vec<String> = files.iter().map(|file| format!("`{}`", file.display())).collect();
                format!("no servers are configured in {}", files.join(", "))
            }
            _ => "no servers are configured".to_owned(),
        }
    }

    /// Whether the user's own file stands in for one of the project that is not trusted.
    pub(crate) fn waits_for_trust(&self) -> bool {
        self.untrusted.is_some()
    }

    /// Says in the names of samples that they are samples, for an agent that knows nothing else of them. Returns the
    /// names before and after.
    pub(crate) fn mark_samples(&mut self) -> Vec<(ServerName, ServerName)> {
        built_in::mark(&mut self.configs)
    }

    /// Whether both would do the same, whatever there is to say about the files.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.configs == other.configs
            && self.validation == other.validation
            && self.tools == other.tools
            && self.expose == other.expose
            && self.approvals == other.approvals
            && self.execution == other.execution
            && self.lock == other.lock
            && self.journal == other.journal
            && self.observe == other.observe
    }

    /// Prints what is worth knowing about the files.
    pub(crate) fn print_notes(&self, app: &App) {
        if let (Some(untrusted), ServerSource::Files(files)) = (&self.untrusted, &self.source)
            && let Some(own) = files.first()
        {
            let own = own.display();
            app.terminal.warn(&format!(
                "{untrusted}, so your own `{own}` is used; to use the other, look at it and run `mortise trust`"
            ));
        }
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
        options.eras =
            app.environment.cache_directory.as_ref().map(|cache| EraMemory::new(cache.join("protocols")));
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
    pub(crate) fn apply_options(&mut self, app: &App) -> Result<(), Failure> {
        let passed = ad_hoc::passed_on(app)?;
        for config in &mut self.configs {
            if let Transport::Stdio(stdio) = &mut config.transport {
                stdio.env.extend(passed.iter().cloned());
            }
            if let Some(timeout) = app.connect.timeout {
                config.start_timeout = timeout;
                config.call_timeout = Some(timeout);
            }
            if let Some(mode) = app.connect.mode() {
                config.mode = Some(mode);
                config.tool_modes.clear();
            }
        }
        if let Some(mode) = app.connect.mode() {
            self.validation.mode = Some(mode);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
