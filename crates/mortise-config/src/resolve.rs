//! From what a file says to what is meant: variables, defaults, checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::secret::Secret;
use mortise_client::server_config::{EnvPolicy, EraChoice, ServerConfig, Transport};
use mortise_client::tool_filter::{Glob, ToolFilter};
use mortise_contract::{CheckMode, LockMode, Mode, ObserveMode, ServerName};

use crate::approvals::ApprovalSettings;
use crate::execution::{Execution, Trace, ValidationSettings};
use crate::expand::expand;
use crate::file::{
    self, CheckKind, ConfigFile, EnvironmentKind, EraKind, JournalFailureKind, JournalSection, JournalSwitch,
    LockKind, ModeKind, ObserveKind, SensitivityKind, ServerKeys, TraceKind,
};
use crate::import::{self, ImportedServer};
use crate::journal::{JournalSettings, OnJournalFailure};
use crate::left_out::LeftOut;
use crate::limits::WIZARD_LONG_TIME_MAX;
use crate::located::{ConfigPlace, Located, Position};
use crate::note::{Note, NoteKind};
use crate::source::Source;
use crate::wizards::{Decision, Sensitivity, Wizards};
use crate::{Finding, Problem, own_executable};

/// What one file means.
#[derive(Default)]
pub(super) struct Resolved {
    /// Those that can be used, and those that can't and have a name.
    pub(super) servers: Vec<(ServerConfig, ConfigPlace)>,
    /// Entries that can't be used and whose name is missing or wrong.
    pub(super) nameless: Vec<LeftOut>,
    pub(super) tools: Option<ToolFilter>,
    pub(super) expose: Option<Vec<Glob>>,
    pub(super) approvals: Option<ApprovalSettings>,
    pub(super) execution: Option<Execution>,
    pub(super) validation: Option<ValidationSettings>,
    pub(super) lock: Option<LockMode>,
    pub(super) journal: Option<JournalSettings>,
    pub(super) observe: Option<ObserveMode>,
    pub(super) wizards: Option<Wizards>,
    /// The sections the file has, with their places.
    pub(super) sections: Vec<(&'static str, Position)>,
    pub(super) notes: Vec<Note>,
    pub(super) findings: Vec<Finding>,
}

/// Resolves one file and collects all that is wrong with it.
pub(super) struct Resolver<'a> {
    pub(super) environment: &'a Environment,
    source: &'a Source,
    /// Where relative paths start.
    directory: PathBuf,
    /// What variables put into its settings.
    put_in: Vec<Secret>,
    resolved: Resolved,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(environment: &'a Environment, source: &'a Source) -> Self {
        let directory = source.path.parent().unwrap_or(Path::new("/")).to_path_buf();
        Self { environment, source, directory, put_in: Vec::new(), resolved: Resolved::default() }
    }

    /// Resolves another program's servers.
    pub(super) fn resolve_imported(mut self, servers: Vec<ImportedServer>) -> Resolved {
        self.directory = import::folder(&self.source.path);
        for ImportedServer { name, position, server, notes, unusable, earlier } in servers {
            if let Some(first) = earlier {
                self.note(position, &name, NoteKind::AlreadyDefined { first });
                continue;
            }
            for kind in notes {
                self.note(position, &name, kind);
            }
            let unusable = unusable.filter(|_| server.disabled != Some(true));
            let mistake = unusable.map(|problem| (position, problem));
            let key = Some(Located { value: name, position });
            self.server(file::ServerEntry { key, server: Located { value: server, position }, mistake });
        }
        self.resolved
    }

    pub(super) fn resolve(mut self, mut file: ConfigFile) -> Resolved {
        for entry in file.servers.take().into_iter().flat_map(|servers| servers.0) {
            self.server(entry);
        }
        if let Some(tools) = &file.tools {
            self.section("tools", tools.position);
            self.resolved.tools = self.tools(&tools.value);
        }
        if let Some(expose) = &file.expose {
            self.section("expose", expose.position);
            self.resolved.expose = Some(self.globs(&expose.value));
        }
        if let Some(approvals) = &file.approvals {
            self.section("approvals", approvals.position);
            self.resolved.approvals = Some(self.approvals(approvals));
        }
        if let Some(execution) = &file.execution {
            self.section("execution", execution.position);
            self.resolved.execution = Some(self.execution(&execution.value));
        }
        if let Some(validation) = &file.validation {
            self.section("validation", validation.position);
            self.resolved.validation = Some(resolve_validation(&validation.value));
        }
        if let Some(lock) = &file.lock {
            self.section("lock", lock.position);
            self.resolved.lock = Some(LockMode::from(lock.value));
        }
        if let Some(journal) = &file.journal {
            self.section("journal", journal.position);
            self.resolved.journal = Some(self.journal(&journal.value));
        }
        if let Some(observe) = &file.observe {
            self.section("observe", observe.position);
            self.resolved.observe = Some(ObserveMode::from(observe.value));
        }
        self.resolve_wizards(&file)
    }

    /// Resolves the settings of the wizards and ignores the rest of the file.
    pub(super) fn resolve_wizards(mut self, file: &ConfigFile) -> Resolved {
        if let Some(wizards) = &file.wizards {
            self.section("wizards", wizards.position);
            let decision = wizards.value.decision.as_ref().map(|decision| self.decision(decision));
            let sources = wizards.value.sources.iter().flatten();
            let sources =
                sources.map(|(source, decision)| (source.clone(), self.decision(decision))).collect();
            let words = wizards.value.words.iter().flatten();
            let words = words.map(|(name, words)| (name.clone(), self.words(words))).collect();
            let longest = WIZARD_LONG_TIME_MAX;
            let timeout = self.seconds("timeout_seconds", &wizards.value.timeout_seconds, longest);
            let bytes = self.count("max_output_bytes", &wizards.value.max_output_bytes, usize::MAX);
            self.resolved.wizards = Some(Wizards {
                decision: decision.unwrap_or_default(),
                sources,
                words,
                timeout,
                max_output_bytes: bytes.map(|bytes| bytes as u64),
            });
        }
        self.resolved
    }

    /// Names of folders.
    fn words(&mut self, words: &Located<Vec<Located<String>>>) -> BTreeSet<String> {
        if words.value.is_empty() {
            self.find(
                words.position,
                Problem::BadText { key: "words", reason: "has a list without a folder" },
            );
        }
        for word in &words.value {
            let reason = match word.value.as_str() {
                "" => "is empty",
                "." | ".." => "is not the name of a folder",
                text if text.contains(['/', '\\', '\0']) => "is not the name of a folder",
                text if text.len() > 255 => "is longer than the name of a folder can be",
                _ => continue,
            };
            self.find(word.position, Problem::BadText { key: "words", reason });
        }
        words.value.iter().map(|word| word.value.clone()).collect()
    }

    fn decision(&mut self, file: &file::DecisionSection) -> Decision {
        let mut limit = |key, given| self.count(key, given, Decision::MAX);
        Decision {
            recommend_regex_chars: limit("recommend_regex_chars", &file.recommend_regex_chars),
            recommend_groups: limit("recommend_groups", &file.recommend_groups),
            force_regex_chars: limit("force_regex_chars", &file.force_regex_chars),
            force_groups: limit("force_groups", &file.force_groups),
            prefer_yaml: file.prefer_yaml,
            sensitivity: file.sensitivity.map(Sensitivity::from),
        }
    }

    fn section(&mut self, name: &'static str, position: Position) {
        self.resolved.sections.push((name, position));
    }

    pub(super) fn place(&self, position: Position) -> ConfigPlace {
        ConfigPlace { path: self.source.shown.clone(), position }
    }

    pub(super) fn find(&mut self, position: Position, problem: Problem) {
        let place = self.place(position);
        self.resolved.findings.push(Finding { place, problem });
    }

    pub(super) fn note(&mut self, position: Position, server: &str, kind: NoteKind) {
        let place = self.place(position);
        self.resolved.notes.push(Note { place, server: server.to_owned(), kind });
    }

    /// A path as seen from the file, `~` replaced.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        let path = self.directory.join(self.environment.without_tilde(Path::new(path)));
        // Without the `.` of `./serve`.
        path.components().collect()
    }

    /// The text with its variables put in; a failure is found and gives `None`.
    pub(super) fn expand(&mut self, text: &Located<String>) -> Option<String> {
        match expand(&text.value, self.environment, &mut self.put_in) {
            Ok(expanded) => Some(expanded),
            Err(error) => {
                self.find(text.position, Problem::Variable(error));
                None
            }
        }
    }

    /// Takes one entry. What is wrong with it is a property of the entry, not of the file.
    fn server(&mut self, mut entry: file::ServerEntry) {
        let before = self.resolved.findings.len();
        self.put_in.clear();
        let (name, config) = match entry.mistake.take() {
            Some((position, problem)) => {
                self.find(position, problem);
                (entry.written_name().and_then(|name| ServerName::parse(&name.value).ok()), None)
            }
            None => {
                let name = self.name(&entry);
                (name.clone(), name.and_then(|name| self.usable(name, &entry.server)))
            }
        };
        let place = self.place(entry.server.position);
        let findings = self.resolved.findings.split_off(before);
        if !findings.is_empty() {
            let written = entry.written_name().map(|name| name.value.clone()).unwrap_or_default();
            let left_out = LeftOut::new(written, place.clone(), findings);
            match name {
                Some(name) => self.resolved.servers.push((left_out.server(name), place)),
                None => self.resolved.nameless.push(left_out),
            }
        } else if let Some(config) = config {
            self.resolved.servers.push((config, place));
        }
    }

    /// A server as far as nothing is wrong with it; nothing where it is not to be started.
    fn usable(&mut self, name: ServerName, entry: &Located<ServerKeys>) -> Option<ServerConfig> {
        let (server, position) = (&entry.value, entry.position);
        if server.disabled == Some(true) {
            self.note(position, name.as_str(), NoteKind::Disabled);
            return None;
        }
        let transport = self.transport(&name, server, position)?;
        if let Transport::Stdio(stdio) = &transport
            && own_executable::is_own(stdio, self.environment)
        {
            let command = server.command.as_ref().map(|command| command.value.clone()).unwrap_or_default();
            self.note(position, name.as_str(), NoteKind::OwnExecutable { command });
            return None;
        }
        let mut config = ServerConfig::new(name, transport);
        config.secrets = std::mem::take(&mut self.put_in);
        config.mode = server.mode.map(Mode::from);
        config.tool_modes = tool_modes(server);
        config.era = server.era.map(EraChoice::from).unwrap_or_default();
        let longest = Execution::MAX_TIMEOUT;
        let start = self.seconds("start_timeout_seconds", &server.start_timeout_seconds, longest);
        config.start_timeout = start.unwrap_or(config.start_timeout);
        config.call_timeout = self.seconds("call_timeout_seconds", &server.call_timeout_seconds, longest);
        let in_flight = self.count("in_flight", &server.in_flight, MAX_IN_FLIGHT);
        config.in_flight = in_flight.unwrap_or(config.in_flight);
        Some(config)
    }

    fn name(&mut self, entry: &file::ServerEntry) -> Option<ServerName> {
        let (key, name) = (&entry.key, &entry.server.value.name);
        if let (Some(key), Some(name)) = (key, name)
            && key.value != name.value
        {
            let problem = Problem::NameDiffers { key: key.value.clone(), name: name.value.clone() };
            self.find(name.position, problem);
            return None;
        }
        let Some(written) = entry.written_name() else {
            self.find(entry.server.position, Problem::NoName);
            return None;
        };
        match ServerName::parse(&written.value) {
            Ok(name) => Some(name),
            Err(error) => {
                self.find(written.position, Problem::BadName(error));
                None
            }
        }
    }

    fn tools(&mut self, tools: &file::ToolsSection) -> Option<ToolFilter> {
        match (&tools.allow, &tools.block) {
            (Some(_), Some(block)) => {
                let problem = Problem::MutuallyExclusive { first: "tools.allow", second: "tools.block" };
                self.find(block.position, problem);
                None
            }
            (Some(allow), None) => Some(ToolFilter::Allow(self.globs(&allow.value))),
            (None, Some(block)) => Some(ToolFilter::Block(self.globs(&block.value))),
            (None, None) => None,
        }
    }

    fn globs(&mut self, patterns: &[Located<String>]) -> Vec<Glob> {
        for pattern in patterns.iter().filter(|pattern| pattern.value.is_empty()) {
            self.find(pattern.position, Problem::BadText { key: "pattern", reason: "is empty" });
        }
        patterns.iter().map(|pattern| Glob::new(&pattern.value)).collect()
    }

    fn execution(&mut self, file: &file::ExecutionSection) -> Execution {
        type Limits = Execution;
        let longest = Limits::MAX_TIMEOUT;
        let mut to = Execution::default();
        if let Some(timeout) = self.seconds("timeout_seconds", &file.timeout_seconds, longest) {
            to.timeout = timeout;
        }
        let call = self.seconds("tool_call_timeout_seconds", &file.tool_call_timeout_seconds, longest);
        to.tool_call_timeout = call.unwrap_or(to.tool_call_timeout);
        /// Reads a setting whose key is the name of the field.
        macro_rules! count {
            ($field:ident, $maximum:ident) => {
                if let Some(count) = self.count(stringify!($field), &file.$field, Limits::$maximum) {
                    to.$field = count;
                }
            };
        }
        count!(max_output_bytes, MAX_OUTPUT_BYTES);
        count!(max_tool_calls, MAX_TOOL_CALLS);
        count!(max_concurrent_calls, MAX_CONCURRENT_CALLS);
        count!(max_tool_result_bytes, MAX_TOOL_RESULT_BYTES);
        count!(max_emitted_bytes, MAX_EMITTED_BYTES);
        count!(max_source_bytes, MAX_SOURCE_BYTES);
        count!(max_memory_bytes, MAX_MEMORY_BYTES);
        count!(max_total_memory_bytes, MAX_TOTAL_MEMORY_BYTES);
        count!(max_waiting, MAX_WAITING);
        to.max_running = self.count("max_running", &file.max_running, Limits::MAX_RUNNING);
        to.trace = file.trace.map(Trace::from).unwrap_or_default();
        to.check = file.check.map(CheckMode::from).unwrap_or_default();
        to
    }

    fn journal(&mut self, file: &JournalSection) -> JournalSettings {
        let days = self.count("keep_days", &file.keys.keep_days, JournalSettings::MAX_KEEP_DAYS);
        let bytes = self.count("keep_bytes", &file.keys.keep_bytes, JournalSettings::MAX_KEEP_BYTES);
        JournalSettings {
            is_off: matches!(file.switch, Some(JournalSwitch::Off)),
            keep_days: days.map(|days| days as u64),
            keep_bytes: bytes.map(|bytes| bytes as u64),
            on_failure: file.keys.on_failure.map(OnJournalFailure::from).unwrap_or_default(),
        }
    }

    /// A time of more than zero and at most `longest`; `None` where it is not given or wrong, which is found.
    pub(super) fn seconds(
        &mut self,
        key: &'static str,
        given: &Option<Located<f64>>,
        longest: Duration,
    ) -> Option<Duration> {
        let given = given.as_ref()?;
        let problem = match Duration::try_from_secs_f64(given.value) {
            Ok(duration) if duration.is_zero() => Problem::NotPositive { key },
            Ok(duration) if duration <= longest => return Some(duration),
            Err(_) if given.value <= 0.0 || given.value.is_nan() => Problem::NotPositive { key },
            _ => Problem::TooLarge { key, maximum: longest.as_secs() },
        };
        self.find(given.position, problem);
        None
    }

    /// A number of at least one and at most `maximum`; `None` where it is not given or wrong, which is found.
    fn count(&mut self, key: &'static str, given: &Option<Located<i64>>, maximum: usize) -> Option<usize> {
        let given = given.as_ref()?;
        let problem = match usize::try_from(given.value) {
            Ok(0) | Err(_) => Problem::NotPositive { key },
            Ok(count) if count <= maximum => return Some(count),
            Ok(_) => Problem::TooLarge { key, maximum: maximum as u64 },
        };
        self.find(given.position, problem);
        None
    }
}

/// The most calls on the wire to one server.
const MAX_IN_FLIGHT: usize = 1_024;

fn tool_modes(server: &ServerKeys) -> BTreeMap<String, Mode> {
    server.tool_modes.iter().flatten().map(|(tool, mode)| (tool.clone(), Mode::from(*mode))).collect()
}

fn resolve_validation(file: &file::ValidationSection) -> ValidationSettings {
    ValidationSettings {
        mode: file.mode.map(Mode::from),
        forbid_unschematised: file.forbid_unschematised.unwrap_or(false),
        assert_formats: file.assert_formats.unwrap_or(false),
    }
}

impl From<ModeKind> for Mode {
    fn from(kind: ModeKind) -> Self {
        match kind {
            ModeKind::Off => Self::Off,
            ModeKind::Warn => Self::Warn,
            ModeKind::Strict => Self::Strict,
        }
    }
}

impl From<ObserveKind> for ObserveMode {
    fn from(kind: ObserveKind) -> Self {
        match kind {
            ObserveKind::Off => Self::Off,
            ObserveKind::On => Self::On,
        }
    }
}

impl From<LockKind> for LockMode {
    fn from(kind: LockKind) -> Self {
        match kind {
            LockKind::Off => Self::Off,
            LockKind::Warn => Self::Warn,
            LockKind::Enforce => Self::Enforce,
        }
    }
}

impl From<JournalFailureKind> for OnJournalFailure {
    fn from(kind: JournalFailureKind) -> Self {
        match kind {
            JournalFailureKind::GoOn => Self::GoOn,
            JournalFailureKind::Stop => Self::Stop,
        }
    }
}

impl From<EraKind> for EraChoice {
    fn from(kind: EraKind) -> Self {
        match kind {
            EraKind::Auto => Self::Auto,
            EraKind::Legacy => Self::Legacy,
            EraKind::Modern => Self::Modern,
        }
    }
}

impl From<EnvironmentKind> for EnvPolicy {
    fn from(kind: EnvironmentKind) -> Self {
        match kind {
            EnvironmentKind::Inherit => Self::Inherit,
            EnvironmentKind::Clean => Self::Clean,
        }
    }
}

impl From<SensitivityKind> for Sensitivity {
    fn from(kind: SensitivityKind) -> Self {
        match kind {
            SensitivityKind::Strict => Self::Strict,
            SensitivityKind::Loose => Self::Loose,
        }
    }
}

impl From<TraceKind> for Trace {
    fn from(kind: TraceKind) -> Self {
        match kind {
            TraceKind::Off => Self::Off,
            TraceKind::Summary => Self::Summary,
        }
    }
}

impl From<CheckKind> for CheckMode {
    fn from(kind: CheckKind) -> Self {
        match kind {
            CheckKind::Off => Self::Off,
            CheckKind::Guard => Self::Guard,
            CheckKind::Strict => Self::Strict,
        }
    }
}
