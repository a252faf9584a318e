//! Which files are read, in which order, and how they are joined.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use mortise_client::environment::{Environment, MAX_DEPTH};
use mortise_client::server_config::{Transport, UnusableEntry};
use mortise_contract::ServerName;

use crate::entries;
use crate::file::{ConfigFile, ServerEntry};
use crate::import::{self, ImportedServer};
use crate::left_out::LeftOut;
use crate::located::{ConfigPlace, Located, Position};
use crate::meaning;
use crate::preview::{self, ServerPreview};
use crate::resolve::{Resolved, Resolver};
use crate::search;
use crate::source::{Kinds, Source};
use crate::trust::{TrustStatus, TrustStore, Untrusted, UntrustedFile};
use crate::wizards::Wizards;
use crate::yaml;
use crate::{Config, ConfigError, ConfigOrigin, Finding, LoadedConfig, Note, NoteKind, Problem};

pub(super) fn load(environment: &Environment, explicit: &[PathBuf]) -> Result<LoadedConfig, ConfigError> {
    let origin = search::origin(environment, explicit);
    load_given(environment, origin, explicit, search::kinds(origin))
}

/// [`load`] from files that were found before. A pipe can't be read twice, and waiting for one would hold up a process
/// that has other things to do.
pub(super) fn load_again(
    environment: &Environment,
    origin: ConfigOrigin,
    given: &[PathBuf],
) -> Result<LoadedConfig, ConfigError> {
    load_given(environment, origin, given, Kinds::Regular)
}

/// The user's own file, if there is one.
pub(super) fn load_own(environment: &Environment) -> Result<Option<LoadedConfig>, ConfigError> {
    let own = search::given(environment, ConfigOrigin::User, &[]);
    match own.iter().any(|path| search::is_there(path)) {
        true => {
            load_given(environment, ConfigOrigin::User, &own, search::kinds(ConfigOrigin::User)).map(Some)
        }
        false => Ok(None),
    }
}

fn load_given(
    environment: &Environment,
    origin: ConfigOrigin,
    explicit: &[PathBuf],
    kinds: Kinds,
) -> Result<LoadedConfig, ConfigError> {
    let sources = read_sources(environment, kinds, search::given(environment, origin, explicit))?;
    if origin == ConfigOrigin::Project {
        // A file that can't be parsed does nothing that could be shown, and a complaint would quote it.
        require_trust(environment, &sources, |source| parse(environment, source.clone()).ok())?;
    }
    let mut documents = parse_all(environment, sources)?;
    let mut bad = Vec::new();
    let sources = read_imports(environment, &documents, &mut bad)?;
    if origin == ConfigOrigin::Project {
        require_trust(environment, &sources, |source| parse_import(environment, source.clone()).ok())?;
    }
    documents.append(&mut parse_imports(environment, sources, &mut bad));
    let depth = environment.depth();
    if depth > MAX_DEPTH && !documents.is_empty() {
        return Err(ConfigError::TooDeep { depth, limit: MAX_DEPTH });
    }
    let mut joined = Joined::new(origin);
    for document in documents {
        joined.add(environment, document);
    }
    joined.nameless.extend(bad.into_iter().map(BadImport::left_out));
    joined.list_nameless();
    if joined.findings.is_empty() { Ok(joined.loaded) } else { Err(ConfigError::Invalid(joined.findings)) }
}

/// The settings of the wizards from the files in `explicit`, else from the user's own file.
pub(super) fn wizards(environment: &Environment, explicit: &[PathBuf]) -> Result<Wizards, ConfigError> {
    let origin = if explicit.is_empty() { ConfigOrigin::User } else { ConfigOrigin::Explicit };
    let mut paths = search::given(environment, origin, explicit);
    // What the user has named must be there.
    paths.retain(|path| origin == ConfigOrigin::Explicit || search::is_there(path));
    let mut joined = Joined::new(origin);
    for document in parse_all(environment, read_sources(environment, search::kinds(origin), paths)?)? {
        if let DocumentContent::Ours(file) = &document.content {
            let resolved = Resolver::new(environment, &document.source).resolve_wizards(file);
            joined.merge(resolved, document.source.shown, document.role);
        }
    }
    let Joined { loaded, findings, .. } = joined;
    if findings.is_empty() { Ok(loaded.config.wizards) } else { Err(ConfigError::Invalid(findings)) }
}

pub(super) fn untrusted(environment: &Environment, path: &Path) -> Result<Untrusted, ConfigError> {
    let sources = read_sources(environment, Kinds::Regular, vec![path.to_path_buf()])?;
    let mut files = untrusted_files(environment, &sources)?;
    let mut documents = parse_all(environment, sources)?;
    // One that is missing or broken starts nothing; when it changes, it must be trusted anew.
    let mut bad = Vec::new();
    let imports = read_imports(environment, &documents, &mut bad)?;
    files.append(&mut untrusted_files(environment, &imports)?);
    documents.append(&mut parse_imports(environment, imports, &mut bad));
    let servers = documents.iter().flat_map(ConfigDocument::previews).collect();
    Ok(Untrusted { files, servers, imports: Vec::new() })
}

/// Why one entry of a file of our own can't be used.
pub(super) fn unusable_entry(
    environment: &Environment,
    path: &Path,
    text: &str,
    name: &str,
) -> Option<UnusableEntry> {
    let source = Source { shown: path.to_path_buf(), path: path.to_path_buf(), text: text.to_owned() };
    let mut file = entries::read_own_file(text).ok()?;
    let is_meant = |entry: &ServerEntry| entry.written_name().is_some_and(|known| known.value == name);
    file.servers.iter_mut().for_each(|servers| servers.0.retain(is_meant));
    let resolved = Resolver::new(environment, &source).resolve(file);
    resolved.servers.into_iter().find_map(|(server, _)| match server.transport {
        Transport::Unusable(entry) => Some(entry),
        _ => None,
    })
}

/// Where these files lie, and what they import as far as they can be read.
pub(super) fn paths(environment: &Environment, given: &[PathBuf]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut imports = Vec::new();
    for shown in given {
        let path = environment.absolute(shown);
        paths.push(path.clone());
        let read = Source::read(shown.clone(), path, Kinds::Regular, import::MAX_BYTES);
        let Some(document) = read.ok().and_then(|source| parse(environment, source).ok()) else { continue };
        for wanted in document.imports().iter().take(MAX_IMPORTS) {
            imports.push(search::import(environment, &document.source.path, &wanted.value));
        }
    }
    paths.append(&mut imports);
    paths
}

/// One file, read and not yet resolved.
struct ConfigDocument {
    source: Source,
    content: DocumentContent,
    role: DocumentRole,
}

enum DocumentContent {
    Ours(Box<ConfigFile>),
    Foreign(Vec<ImportedServer>),
}

/// How a file came to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DocumentRole {
    /// It was named or found.
    Given,
    /// Another file imports it.
    Import,
}

/// How many files one file may import: each may be large.
const MAX_IMPORTS: usize = 32;

/// Reads the files that were named or found.
fn read_sources(
    environment: &Environment,
    kinds: Kinds,
    paths: Vec<PathBuf>,
) -> Result<Vec<Source>, ConfigError> {
    let read = |shown: PathBuf| {
        Source::read(shown.clone(), environment.absolute(&shown), kinds, import::MAX_BYTES)
            .map_err(|source| ConfigError::Read { path: shown, source })
    };
    paths.into_iter().map(read).collect()
}

/// Parses the files that were named or found.
fn parse_all(environment: &Environment, sources: Vec<Source>) -> Result<Vec<ConfigDocument>, ConfigError> {
    all(sources.into_iter().map(|source| parse(environment, source)))
}

/// An import that can't be read or parsed.
struct BadImport {
    /// The path as it is written.
    shown: PathBuf,
    finding: Box<Finding>,
}

impl BadImport {
    /// What stands for its servers, whose names are not known.
    fn left_out(self) -> LeftOut {
        let name = self.shown.display().to_string();
        LeftOut::new(name, self.finding.place.clone(), vec![*self.finding])
    }
}

/// Reads what the documents import, as far as it can be read. Nothing of it is parsed yet: a project's imports must be
/// trusted first.
fn read_imports(
    environment: &Environment,
    documents: &[ConfigDocument],
    bad: &mut Vec<BadImport>,
) -> Result<Vec<Source>, ConfigError> {
    let mut sources = Vec::new();
    for document in documents {
        if let Some(extra) = document.imports().get(MAX_IMPORTS) {
            let problem = Problem::Limit { what: "imports", limit: MAX_IMPORTS };
            let finding = finding(&document.source.shown, extra.position, problem);
            return Err(ConfigError::Invalid(vec![*finding]));
        }
        for wanted in document.imports() {
            match read_import(environment, document, wanted) {
                Ok(source) => sources.push(source),
                Err(finding) => bad.push(BadImport { shown: PathBuf::from(&wanted.value), finding }),
            }
        }
    }
    Ok(sources)
}

fn parse_imports(
    environment: &Environment,
    sources: Vec<Source>,
    bad: &mut Vec<BadImport>,
) -> Vec<ConfigDocument> {
    let mut documents = Vec::new();
    for source in sources {
        let shown = source.shown.clone();
        match parse_import(environment, source) {
            Ok(document) => documents.push(document),
            Err(finding) => bad.push(BadImport { shown, finding }),
        }
    }
    documents
}

/// Everything, or all that is wrong.
fn all<T>(results: impl Iterator<Item = Result<T, Box<Finding>>>) -> Result<Vec<T>, ConfigError> {
    let mut found = Vec::new();
    let mut findings = Vec::new();
    for result in results {
        match result {
            Ok(value) => found.push(value),
            Err(finding) => findings.push(*finding),
        }
    }
    if findings.is_empty() { Ok(found) } else { Err(ConfigError::Invalid(findings)) }
}

fn parse(environment: &Environment, source: Source) -> Result<ConfigDocument, Box<Finding>> {
    let content = match import::parse_foreign_file(environment, &source) {
        Ok(Some(servers)) => Ok(DocumentContent::Foreign(servers)),
        Ok(None) if source.text.len() > yaml::MAX_BYTES => {
            Err((Position::default(), Problem::Limit { what: "bytes", limit: yaml::MAX_BYTES }))
        }
        Ok(None) => entries::read_own_file(&source.text).map(|file| DocumentContent::Ours(Box::new(file))),
        Err(error) => Err(error),
    };
    match content {
        Ok(content) => Ok(ConfigDocument { source, content, role: DocumentRole::Given }),
        Err((position, problem)) => Err(finding(&source.shown, position, problem)),
    }
}

fn read_import(
    environment: &Environment,
    importer: &ConfigDocument,
    wanted: &Located<String>,
) -> Result<Source, Box<Finding>> {
    let path = search::import(environment, &importer.source.path, &wanted.value);
    let shown = PathBuf::from(&wanted.value);
    Source::read(shown.clone(), path, Kinds::Regular, import::MAX_BYTES).map_err(|error| {
        let problem = Problem::Import { path: shown, reason: error.to_string() };
        finding(&importer.source.shown, wanted.position, problem)
    })
}

/// Parses a file of another program. It is never tried as a file of our own: complaints about one name its keys, and
/// an import may be any file of the user's.
fn parse_import(environment: &Environment, source: Source) -> Result<ConfigDocument, Box<Finding>> {
    match import::parse_foreign_file(environment, &source) {
        Ok(Some(servers)) => Ok(ConfigDocument {
            source,
            content: DocumentContent::Foreign(servers),
            role: DocumentRole::Import,
        }),
        Ok(None) => Err(finding(&source.shown, Position::START, Problem::NothingToImport)),
        Err((position, problem)) => Err(finding(&source.shown, position, problem)),
    }
}

fn finding(shown: &Path, position: Position, problem: Problem) -> Box<Finding> {
    Box::new(Finding { place: ConfigPlace { path: shown.to_path_buf(), position }, problem })
}

impl ConfigDocument {
    fn imports(&self) -> &[Located<String>] {
        match &self.content {
            DocumentContent::Ours(file) => file.import.as_deref().unwrap_or_default(),
            DocumentContent::Foreign(_) => &[],
        }
    }

    fn previews(&self) -> Vec<ServerPreview> {
        let path = &self.source.shown;
        match &self.content {
            DocumentContent::Ours(file) => preview::of_file(file, path),
            DocumentContent::Foreign(servers) => preview::of_imported(servers, path),
        }
    }
}

/// Refuses files of a project that were not trusted as they are now. What they import is named, and not read.
fn require_trust(
    environment: &Environment,
    sources: &[Source],
    parse: impl Fn(&Source) -> Option<ConfigDocument>,
) -> Result<(), ConfigError> {
    let files = untrusted_files(environment, sources)?;
    if files.is_empty() {
        return Ok(());
    }
    let documents: Vec<ConfigDocument> = sources.iter().filter_map(parse).collect();
    let servers = documents.iter().flat_map(ConfigDocument::previews).collect();
    let imports =
        documents.iter().flat_map(ConfigDocument::imports).map(|wanted| wanted.value.clone()).collect();
    Err(ConfigError::Untrusted(Box::new(Untrusted { files, servers, imports })))
}

/// The files that were not trusted as they are now.
fn untrusted_files(environment: &Environment, sources: &[Source]) -> Result<Vec<UntrustedFile>, ConfigError> {
    let store = TrustStore::open(environment)?;
    let mut files = Vec::new();
    for source in sources {
        let fingerprint = meaning::fingerprint(environment, source);
        let status = store.status(&source.path, &fingerprint)?;
        if status != TrustStatus::Trusted {
            files.push(UntrustedFile { path: source.path.clone(), fingerprint, status });
        }
    }
    Ok(files)
}

/// The files joined so far.
struct Joined {
    loaded: LoadedConfig,
    /// Where each server is defined.
    defined: BTreeMap<ServerName, ConfigPlace>,
    /// Which file has set a section.
    sections: Vec<(&'static str, PathBuf)>,
    /// Entries that can't be used and whose name is missing, wrong or taken.
    nameless: Vec<LeftOut>,
    findings: Vec<Finding>,
}

/// Characters that are kept of the name of an entry that can't have it.
const NAME_KEPT: usize = 100;

impl Joined {
    fn new(origin: ConfigOrigin) -> Self {
        let loaded = LoadedConfig {
            config: Config::default(),
            origin,
            files: Vec::new(),
            places: Vec::new(),
            notes: Vec::new(),
        };
        Self {
            loaded,
            defined: BTreeMap::new(),
            sections: Vec::new(),
            nameless: Vec::new(),
            findings: Vec::new(),
        }
    }

    fn add(&mut self, environment: &Environment, document: ConfigDocument) {
        let resolver = Resolver::new(environment, &document.source);
        let resolved = match document.content {
            DocumentContent::Ours(file) => resolver.resolve(*file),
            DocumentContent::Foreign(servers) => resolver.resolve_imported(servers),
        };
        self.merge(resolved, document.source.shown, document.role);
    }

    fn merge(&mut self, mut resolved: Resolved, shown: PathBuf, role: DocumentRole) {
        resolved.findings.sort_by_key(|finding| finding.place.position);
        self.findings.append(&mut resolved.findings);
        self.loaded.notes.append(&mut resolved.notes);
        self.add_servers(&mut resolved, role);
        self.nameless.append(&mut resolved.nameless);
        for (section, position) in &resolved.sections {
            self.claim(section, *position, &shown);
        }
        let config = &mut self.loaded.config;
        resolved.tools.into_iter().for_each(|tools| config.tools = tools);
        resolved.expose.into_iter().for_each(|expose| config.expose = expose);
        resolved.approvals.into_iter().for_each(|approvals| config.approvals = approvals);
        resolved.execution.into_iter().for_each(|execution| config.execution = execution);
        resolved.validation.into_iter().for_each(|validation| config.validation = validation);
        config.lock = config.lock.or(resolved.lock);
        resolved.journal.into_iter().for_each(|journal| config.journal = journal);
        resolved.observe.into_iter().for_each(|observe| config.observe = observe);
        resolved.wizards.into_iter().for_each(|wizards| config.wizards = wizards);
        self.loaded.files.push(shown);
    }

    fn add_servers(&mut self, resolved: &mut Resolved, role: DocumentRole) {
        for (server, place) in resolved.servers.drain(..) {
            let first = match self.defined.entry(server.name.clone()) {
                Entry::Vacant(vacant) => {
                    vacant.insert(place.clone());
                    self.loaded.config.servers.push(server);
                    self.loaded.places.push(place);
                    continue;
                }
                Entry::Occupied(occupied) => occupied.get().clone(),
            };
            match role {
                DocumentRole::Given => {
                    let name = server.name.to_string();
                    let problem = Problem::DuplicateServer { name: server.name, first };
                    let finding = Finding { place: place.clone(), problem };
                    self.nameless.push(LeftOut::new(name, place, vec![finding]));
                }
                // The same server is often configured in several programs.
                DocumentRole::Import => {
                    let kind = NoteKind::AlreadyDefined { first };
                    self.loaded.notes.push(Note { place, server: server.name.to_string(), kind });
                }
            }
        }
    }

    /// Lists the entries that have no name of their own, behind all others: a second `files` as `files (2)`.
    fn list_nameless(&mut self) {
        for left_out in std::mem::take(&mut self.nameless) {
            let place = left_out.place.clone();
            let plain: String = left_out.name.chars().filter(|c| !c.is_control()).take(NAME_KEPT).collect();
            let plain = if plain.is_empty() { "unnamed".to_owned() } else { plain };
            let numbered = (2..).map(|number| format!("{plain} ({number})"));
            let names = std::iter::once(plain.clone()).chain(numbered);
            let mut names = names.filter_map(|name| ServerName::parse(&name).ok());
            if let Some(name) = names.find(|name| !self.defined.contains_key(name)) {
                self.defined.insert(name.clone(), place.clone());
                self.loaded.config.servers.push(left_out.server(name));
                self.loaded.places.push(place);
            }
        }
    }

    fn claim(&mut self, section: &'static str, position: Position, shown: &Path) {
        match self.sections.iter().find(|(known, _)| *known == section) {
            Some((_, other)) => {
                let problem = Problem::SectionTwice { section, other: other.clone() };
                self.findings.push(*finding(shown, position, problem));
            }
            None => self.sections.push((section, shown.to_path_buf())),
        }
    }
}
