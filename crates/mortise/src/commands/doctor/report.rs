//! What the doctor found.

use std::path::PathBuf;

use mortise_client::server_config::Transport;
use mortise_executor::lock_policy::LockPolicy;
use mortise_script::{Engine, Spare};
use serde_json::{Value, json};

use crate::app::App;
use crate::programs;
use crate::servers::{ChosenServers, ServerSource};
use crate::session::{self, Connected, ServerSession};
use crate::version;

use super::approvals::ApprovalNeed;

/// What is known before anything is started.
#[derive(Debug)]
pub(super) struct DoctorSetup {
    /// The configuration files, the command line or the samples.
    pub(super) source: String,
    /// Where our own files lie: a name and a path.
    pub(super) directories: Vec<(&'static str, Option<PathBuf>)>,
    /// What the lock file decides.
    pub(super) lock: String,
    /// The interpreter that runs programs.
    pub(super) python: Python,
}

/// The interpreter that runs programs.
#[derive(Debug)]
pub(super) struct Python {
    version: &'static str,
    /// The compiled interpreter in the cache; without one it is copied out of the binary.
    mapped_from: Option<PathBuf>,
    /// Why the cache is not used, or why nothing runs at all.
    problem: Option<String>,
}

/// Everything.
#[derive(Debug)]
pub(super) struct DoctorReport {
    /// What is known before anything is started.
    pub(super) setup: DoctorSetup,
    /// Every server.
    pub(super) servers: Vec<ServerHealth>,
    /// What the calls of tools need, if not all are allowed.
    pub(super) needs: Vec<ApprovalNeed>,
}

/// One server.
#[derive(Debug)]
pub(super) struct ServerHealth {
    /// Its name.
    pub(super) name: String,
    /// `stdio`, `http` or `built in`.
    pub(super) transport: &'static str,
    /// One word on its state.
    pub(super) state: &'static str,
    /// The protocol version in use.
    pub(super) protocol: Option<String>,
    /// What it calls itself.
    pub(super) program: Option<String>,
    /// How many tools it has.
    pub(super) tools: usize,
    /// How many of them have an output schema.
    pub(super) typed: usize,
    /// What is wrong.
    pub(super) problems: Vec<String>,
    /// What to do about it.
    pub(super) advice: Vec<String>,
    /// Whether it can be used at all.
    pub(super) is_usable: bool,
}

impl DoctorSetup {
    /// Looks at the configuration and the directories.
    pub(super) fn of(app: &App, servers: &ChosenServers, lock: String) -> Self {
        let source = match &servers.source {
            ServerSource::CommandLine => "the command line".to_owned(),
            ServerSource::Samples | ServerSource::Nothing => "none".to_owned(),
            ServerSource::Files(files) => {
                files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
            }
        };
        let environment = &app.environment;
        let directories = vec![
            ("configuration", environment.config_directory.clone()),
            ("state", environment.state_directory.clone()),
            ("cache", environment.cache_directory.clone()),
        ];
        Self { source, directories, lock, python: Python::load(app, servers) }
    }
}

impl Python {
    /// Loads the interpreter as a program's start would.
    fn load(app: &App, servers: &ChosenServers) -> Self {
        let version = Engine::python_version();
        match Engine::new(programs::engine(app, &servers.execution, Spare::Never)) {
            Ok(engine) => {
                let module = engine.module();
                Self { version, mapped_from: module.mapped_from.clone(), problem: module.problem.clone() }
            }
            Err(error) => Self { version, mapped_from: None, problem: Some(error.to_string()) },
        }
    }

    /// On one line.
    pub(super) fn told(&self) -> String {
        let place = match (&self.mapped_from, &self.problem) {
            (Some(path), _) => format!("mapped from {}", path.display()),
            (None, Some(problem)) => format!("not from the cache: {problem}"),
            (None, None) => "copied out of the binary: there is no cache directory".to_owned(),
        };
        format!("{}, {place}", self.version)
    }

    fn json(&self) -> Value {
        json!({ "version": self.version, "mapped_from": self.mapped_from, "problem": self.problem })
    }
}

impl DoctorReport {
    /// Looks at every server.
    pub(super) fn of(
        setup: DoctorSetup,
        connected: &[Connected],
        session: &ServerSession<'_>,
        lock: &LockPolicy,
    ) -> Self {
        let of_server = |server| ServerHealth::of(server, session, lock);
        Self { setup, servers: connected.iter().map(of_server).collect(), needs: Vec::new() }
    }

    /// The report with what the calls of tools need.
    pub(super) fn with_needs(self, needs: Vec<ApprovalNeed>) -> Self {
        Self { needs, ..self }
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let directories: serde_json::Map<String, Value> =
            self.setup.directories.iter().map(|(name, path)| ((*name).to_owned(), json!(path))).collect();
        let mut report = json!({
            "version": version::SHORT,
            "commit": version::COMMIT,
            "configuration": self.setup.source,
            "directories": directories,
            "lock": self.setup.lock,
            "python": self.setup.python.json(),
            "servers": self.servers.iter().map(ServerHealth::json).collect::<Vec<_>>(),
        });
        if !self.needs.is_empty() {
            report["approvals"] = self.needs.iter().map(ApprovalNeed::json).collect();
        }
        report
    }
}

impl ServerHealth {
    fn of(connected: &Connected, session: &ServerSession<'_>, lock: &LockPolicy) -> Self {
        let upstream = &connected.upstream;
        let catalog = upstream.catalog();
        let facts = catalog.facts.as_ref();
        let program = facts.and_then(|facts| {
            let version = facts.version().map(|version| format!(" {version}")).unwrap_or_default();
            Some(format!("{}{version}", facts.name()?))
        });
        Self {
            name: upstream.name().to_string(),
            transport: match upstream.config().transport {
                Transport::Stdio(_) => "stdio",
                Transport::Http(_) => "http",
                Transport::InProcess(_) => "built in",
                Transport::Unusable(_) => "none",
            },
            state: upstream.state().label(),
            protocol: facts.map(|facts| facts.protocol_version.clone()),
            program,
            tools: catalog.contracts.len(),
            typed: catalog.contracts.iter().filter(|contract| contract.declares_output()).count(),
            problems: problems(connected, session, lock),
            advice: connected
                .failure()
                .map(|failure| failure.advice().map(str::to_owned).collect())
                .unwrap_or_default(),
            is_usable: connected.error.is_none(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "transport": self.transport,
            "state": self.state,
            "protocol": self.protocol,
            "program": self.program,
            "tools": self.tools,
            "with_output_schema": self.typed,
            "problems": self.problems,
        })
    }
}

/// What is wrong with a server, worst first.
fn problems(connected: &Connected, session: &ServerSession<'_>, lock: &LockPolicy) -> Vec<String> {
    let catalog = connected.upstream.catalog();
    let mut problems: Vec<String> = connected.error.iter().map(ToString::to_string).collect();
    for rejected in &catalog.rejected {
        let name = rejected.name.clone().unwrap_or_else(|| format!("element {}", rejected.position));
        problems.push(format!("{name} is no tool: {}", rejected.reason));
    }
    let deviations = lock.deviations(&connected.upstream, &catalog.contracts);
    for (contract, deviation) in catalog.contracts.iter().zip(deviations) {
        let name = &contract.name;
        if let Some(deviation) = deviation {
            let verb = if lock.is_enforced() { "is held back: " } else { "" };
            problems.push(format!("{name}: {verb}{}", deviation.detail()));
        }
        if let Some(Err(error)) = contract.compiled_output(&session.schema, &session.schemas) {
            problems.push(format!("{name}: its output schema can't be used: {error}"));
        }
        for issue in &contract.issues {
            problems.push(format!("{name}{}: {}", issue.pointer, issue.message));
        }
    }
    problems.extend(connected.upstream.missed_variables().iter().map(|name| session::missed(name)));
    for fault in connected.upstream.faults() {
        problems.push(format!("breaks the protocol ({}): {}", fault.kind.label(), fault.excerpt));
    }
    problems
}
