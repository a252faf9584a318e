//! Which files are read, in which order, and how they are joined.

use std::path::{Path, PathBuf};

use super::file::File;
use super::located::{Place, Position};
use super::preview::{self, ServerPreview};
use super::resolve::{Resolved, Resolver};
use super::source::{Kinds, Source};
use super::yaml;
use super::{Config, ConfigError, Environment, Finding, LoadedConfig, MAX_DEPTH, Origin, Problem};
use crate::trust::{TrustStatus, TrustStore, Untrusted, UntrustedFile};

pub(super) fn load(environment: &Environment, explicit: &[PathBuf]) -> Result<LoadedConfig, ConfigError> {
    let (origin, paths) = search(environment, explicit);
    let mut documents = Vec::new();
    let mut findings = Vec::new();
    for shown in paths {
        match Document::read(environment, shown, origin)? {
            Ok(document) => documents.push(document),
            Err(finding) => findings.push(finding),
        }
    }
    if !findings.is_empty() {
        return Err(ConfigError::Invalid(findings));
    }
    if origin == Origin::Project {
        require_trust(environment, &documents)?;
    }
    let depth = environment.depth();
    if depth > MAX_DEPTH && !documents.is_empty() {
        return Err(ConfigError::TooDeep { depth, limit: MAX_DEPTH });
    }
    join(environment, origin, documents)
}

/// The files that count: those named, or the first found.
fn search(environment: &Environment, explicit: &[PathBuf]) -> (Origin, Vec<PathBuf>) {
    if !explicit.is_empty() {
        return (Origin::Explicit, explicit.to_vec());
    }
    let project = PathBuf::from(Config::FILE_NAME);
    // A dangling link or a directory counts as found, so that it is reported and not passed over.
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    if is_there(&environment.absolute(&project)) {
        return (Origin::Project, vec![project]);
    }
    match environment.config_directory.as_ref().map(|directory| directory.join(Config::FILE_NAME)) {
        Some(user) if is_there(&user) => (Origin::User, vec![user]),
        _ => (Origin::NoConfig, Vec::new()),
    }
}

/// One of our own files, read and not yet resolved.
struct Document {
    source: Source,
    file: File,
}

impl Document {
    /// The outer error ends everything; the inner one is a finding among others.
    fn read(
        environment: &Environment,
        shown: PathBuf,
        origin: Origin,
    ) -> Result<Result<Self, Finding>, ConfigError> {
        let path = environment.absolute(&shown);
        let kinds = if origin == Origin::Explicit { Kinds::Any } else { Kinds::Regular };
        let source = Source::read(shown.clone(), path, kinds, yaml::MAX_BYTES)
            .map_err(|source| ConfigError::Read { path: shown, source })?;
        Ok(match yaml::read(&source.text) {
            Ok(file) => Ok(Self { source, file }),
            Err((position, problem)) => {
                Err(Finding { place: Place { path: source.shown, position }, problem })
            }
        })
    }

    fn previews(&self) -> Vec<ServerPreview> {
        preview::of_file(&self.file, |entry| Place {
            path: self.source.shown.clone(),
            position: entry.server.position,
        })
    }
}

/// Refuses files that came with a project and were not trusted as they are now.
fn require_trust(environment: &Environment, documents: &[Document]) -> Result<(), ConfigError> {
    let servers: Vec<ServerPreview> = documents.iter().flat_map(Document::previews).collect();
    let store = TrustStore::open(environment)?;
    let mut files = Vec::new();
    for document in documents {
        let hash = document.source.hash();
        let status = store.status(&document.source.path, &hash)?;
        if status != TrustStatus::Trusted {
            files.push(UntrustedFile { path: document.source.shown.clone(), hash, status });
        }
    }
    if files.is_empty() {
        Ok(())
    } else {
        Err(ConfigError::Untrusted(Box::new(Untrusted { files, servers })))
    }
}

/// Resolves every file and puts them together.
fn join(
    environment: &Environment,
    origin: Origin,
    documents: Vec<Document>,
) -> Result<LoadedConfig, ConfigError> {
    let mut joined = Joined::new(origin);
    for document in documents {
        let resolved = Resolver::new(environment, &document.source).resolve(&document.file);
        joined.add(document.source.shown, resolved);
    }
    if joined.findings.is_empty() { Ok(joined.loaded) } else { Err(ConfigError::Invalid(joined.findings)) }
}

/// The files joined so far.
struct Joined {
    loaded: LoadedConfig,
    /// Which file has set a section.
    sections: Vec<(&'static str, PathBuf)>,
    findings: Vec<Finding>,
}

impl Joined {
    fn new(origin: Origin) -> Self {
        let loaded = LoadedConfig {
            config: Config::default(),
            origin,
            files: Vec::new(),
            places: Vec::new(),
            notes: Vec::new(),
        };
        Self { loaded, sections: Vec::new(), findings: Vec::new() }
    }

    fn add(&mut self, shown: PathBuf, resolved: Resolved) {
        self.findings.extend(resolved.findings);
        self.loaded.notes.extend(resolved.notes);
        for (server, place) in resolved.servers {
            let known = self.loaded.config.servers.iter().position(|known| known.name == server.name);
            match known {
                Some(index) => self.findings.push(Finding {
                    place,
                    problem: Problem::DuplicateServer {
                        name: server.name,
                        first: self.loaded.places[index].clone(),
                    },
                }),
                None => {
                    self.loaded.config.servers.push(server);
                    self.loaded.places.push(place);
                }
            }
        }
        for (section, position) in &resolved.sections {
            self.claim(section, *position, &shown);
        }
        let config = &mut self.loaded.config;
        resolved.tools.into_iter().for_each(|tools| config.tools = tools);
        resolved.expose.into_iter().for_each(|expose| config.expose = expose);
        resolved.execution.into_iter().for_each(|execution| config.execution = execution);
        resolved.validation.into_iter().for_each(|validation| config.validation = validation);
        self.loaded.files.push(shown);
    }

    fn claim(&mut self, section: &'static str, position: Position, shown: &Path) {
        match self.sections.iter().find(|(known, _)| *known == section) {
            Some((_, other)) => self.findings.push(Finding {
                place: Place { path: shown.to_path_buf(), position },
                problem: Problem::SectionTwice { section, other: other.clone() },
            }),
            None => self.sections.push((section, shown.to_path_buf())),
        }
    }
}
