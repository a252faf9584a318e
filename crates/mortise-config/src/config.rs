//! A configuration with every variable expanded, and the ways to load one.

use std::path::{Path, PathBuf};

use mortise_client::environment::Environment;
use mortise_client::server_config::ServerConfig;
use mortise_client::tool_filter::{Glob, ToolFilter};
use mortise_contract::{LockMode, ObserveMode};

use crate::approvals::ApprovalSettings;
use crate::error::ConfigError;
use crate::execution::{Execution, ValidationSettings};
use crate::journal::JournalSettings;
use crate::located::ConfigPlace;
use crate::note::Note;
use crate::trust::Untrusted;
use crate::wizards::Wizards;
use crate::{file, load, search};

/// What is configured, every variable expanded and every default filled in.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Config {
    /// The servers, in the order of the files; those that can't be used say why.
    pub servers: Vec<ServerConfig>,
    /// Which tools programs may call.
    pub tools: ToolFilter,
    /// Tools offered directly beside `execute_program`.
    pub expose: Vec<Glob>,
    /// Which calls of programs need the agreement of a person.
    pub approvals: ApprovalSettings,
    /// Limits of one program.
    pub execution: Execution,
    /// How results are checked.
    pub validation: ValidationSettings,
    /// What happens to tools that are not as the lock file records them; `None` is the caller's default.
    pub lock: Option<LockMode>,
    /// Whether runs are recorded, and how long.
    pub journal: JournalSettings,
    /// Whether shapes of results are learned.
    pub observe: ObserveMode,
    /// The settings of the data wizards.
    pub wizards: Wizards,
}

/// A configuration and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedConfig {
    /// What is configured.
    pub config: Config,
    /// Where the files come from.
    pub origin: ConfigOrigin,
    /// The files that were read: those named or found, then what they import.
    pub files: Vec<PathBuf>,
    /// Where each server of the configuration was defined, in the same order.
    pub places: Vec<ConfigPlace>,
    /// What was left out or is worth knowing.
    pub notes: Vec<Note>,
}

/// Where the configuration files come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigOrigin {
    /// The user named them on the command line, which is consent.
    Explicit,
    /// The search: `mortise.yaml` lay in the working directory or above it in the same repository. It had to be trusted.
    Project,
    /// The search: it is the user's own file.
    User,
    /// There is no configuration at all.
    NoConfig,
}

impl Config {
    /// The name of our own configuration file, in a project and in the user's directory.
    pub const FILE_NAME: &str = "mortise.yaml";

    /// Loads the files in `explicit`; with none, the first of the project's `mortise.yaml` and the user's file.
    ///
    /// Several explicit files are joined: their servers form one list in which
    /// a name may stand once, and each other section may stand in one file.
    /// It is not an error if there is no file: see [`ConfigOrigin::NoConfig`].
    pub fn load(environment: &Environment, explicit: &[PathBuf]) -> Result<LoadedConfig, ConfigError> {
        load::load(environment, explicit)
    }

    /// Loads the files that [`Config::given`] found before, for a process that runs already. Where else one might be
    /// found by now does not matter: a file that is gone is an error, and so is a pipe, which can't be read twice.
    pub fn load_again(
        environment: &Environment,
        origin: ConfigOrigin,
        given: &[PathBuf],
    ) -> Result<LoadedConfig, ConfigError> {
        load::load_again(environment, origin, given)
    }

    /// Loads the user's own file, if there is one, whatever lies in the project.
    pub fn load_own(environment: &Environment) -> Result<Option<LoadedConfig>, ConfigError> {
        load::load_own(environment)
    }

    /// The files of an origin as they are found now, whether or not they are there: those in `explicit`, the nearest
    /// `mortise.yaml` of the project, or the user's own.
    pub fn given(environment: &Environment, origin: ConfigOrigin, explicit: &[PathBuf]) -> Vec<PathBuf> {
        search::given(environment, origin, explicit)
    }

    /// The origin of the files that [`Config::load`] would take now.
    pub fn origin(environment: &Environment, explicit: &[PathBuf]) -> ConfigOrigin {
        search::origin(environment, explicit)
    }

    /// Where these files lie, then those that they import, whether or not they are there and can be used. What a file
    /// imports that can't be read is not known.
    pub fn paths(environment: &Environment, given: &[PathBuf]) -> Vec<PathBuf> {
        load::paths(environment, given)
    }

    /// The settings of the wizards in the files in `explicit`; with none, in the user's own file. A project's file came
    /// with the data, and does not count. Other settings are checked for their form only: no variable is needed.
    pub fn wizards(environment: &Environment, explicit: &[PathBuf]) -> Result<Wizards, ConfigError> {
        load::wizards(environment, explicit)
    }

    /// What there is to trust about a project's file: it and its imports, as far as they are not
    /// trusted yet, and what they would do. Nothing is expanded, started or contacted.
    pub fn untrusted(environment: &Environment, path: &Path) -> Result<Untrusted, ConfigError> {
        load::untrusted(environment, path)
    }

    /// The JSON Schema of `mortise.yaml`.
    pub fn json_schema() -> serde_json::Value {
        schemars::schema_for!(file::ConfigFile).to_value()
    }
}

#[cfg(test)]
pub(crate) mod tests;
