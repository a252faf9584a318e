//! The type checker's database: the standard library's stubs, the tools' stubs, one program.
//!
//! All files are in memory. What every program is given stands in a module of built-in names that
//! never changes, so that all that was once inferred about the standard library stays known; each tool
//! has a stub of its own, and the program itself is one file that is replaced.

use std::collections::HashMap;
use std::sync::Arc;

use ruff_db::Db as SourceDb;
use ruff_db::diagnostic::Diagnostic;
use ruff_db::files::{File, FileRootKind, Files, system_path_to_file};
use ruff_db::system::{InMemorySystem, System, SystemPath, SystemPathBuf, SystemVirtualPath};
use ruff_db::vendored::VendoredFileSystem;
use ruff_python_ast::PythonVersion;
use salsa::{Durability, Setter as _};
use ty_module_resolver::SearchPathSettings;
use ty_python_core::ProgramFile;
use ty_python_core::platform::PythonPlatform;
use ty_python_core::program::{Program, ProgramSettings, UseDefaultStrategy};
use ty_python_semantic::lint::{LintRegistry, RuleSelection};
use ty_python_semantic::{
    AnalysisSettings, PythonVersionSource, PythonVersionWithSource, check_file_unwrap, default_lint_registry,
};

use crate::gather;

/// The names that every program has.
const BUILTINS: &str = include_str!("builtins.pyi");
/// Where the checker looks for project-level built-in names.
const BUILTINS_DIRECTORY: &str = "/builtins";
const BUILTINS_FILE: &str = "/builtins/__builtins__.pyi";
const STUBS_DIRECTORY: &str = "/stubs";
const PROGRAM: &str = "program.py";

/// The database. Cloning it makes another handle of the same data.
#[salsa::db]
#[derive(Clone)]
pub(crate) struct Database {
    storage: salsa::Storage<Self>,
    files: Files,
    system: InMemorySystem,
    rules: Arc<RuleSelection>,
    analysis: Arc<AnalysisSettings>,
    settings: Arc<ProgramSettings>,
    /// The stubs that are there, by module.
    stubs: HashMap<String, String>,
    program: Option<File>,
}

/// What the settings are needed for: the environment of the program, worked out once.
#[salsa::db]
trait SettingsDb: ty_python_semantic::Db {
    fn settings(&self) -> &ProgramSettings;
}

#[salsa::tracked(returns(copy))]
fn environment(db: &dyn SettingsDb) -> Program<'_> {
    Program::from_settings(db, db.settings())
}

impl Database {
    pub(crate) fn new() -> Self {
        let vendored = ty_vendored::file_system();
        let system = InMemorySystem::default();
        // In memory nothing of this fails; were a file not there, its names would be unknown.
        let _ = system.fs().write_file_all(BUILTINS_FILE, BUILTINS);
        let _ = system.fs().create_directory_all(STUBS_DIRECTORY);
        for (name, text) in gather::stubs(vendored) {
            let _ =
                system.fs().write_file_all(format!("{BUILTINS_DIRECTORY}/{}/{name}", gather::MODULE), text);
        }
        let paths = SearchPathSettings {
            extra_paths: vec![SystemPathBuf::from(BUILTINS_DIRECTORY)],
            // The last place in line: nothing that is found elsewhere depends on it.
            site_packages_paths: vec![SystemPathBuf::from(STUBS_DIRECTORY)],
            ..SearchPathSettings::empty()
        };
        let search_paths = match paths.to_search_paths(&system, vendored, &UseDefaultStrategy) {
            Ok(search_paths) => search_paths,
            Err(never) => match never {},
        };
        let settings = ProgramSettings {
            python_version: PythonVersionWithSource {
                version: PythonVersion::PY314,
                source: PythonVersionSource::Default,
            },
            python_platform: PythonPlatform::Identifier("linux".to_owned()),
            search_paths,
        };
        let database = Self {
            storage: salsa::Storage::new(None),
            files: Files::default(),
            system,
            rules: Arc::new(RuleSelection::from_registry(default_lint_registry())),
            // A comment does not keep a program from failing.
            analysis: Arc::new(AnalysisSettings {
                respect_type_ignore_comments: false,
                ..AnalysisSettings::default()
            }),
            settings: Arc::new(settings),
            stubs: HashMap::new(),
            program: None,
        };
        // As part of a project files may change without everything being looked at again.
        database.files.try_add_root(&database, SystemPath::new(STUBS_DIRECTORY), FileRootKind::Project);
        database.settings.search_paths.try_register_static_roots(&database);
        database
    }

    pub(crate) fn stubs(&self) -> usize {
        self.stubs.len()
    }

    /// Writes the stub of a tool, if it is another than before.
    pub(crate) fn write_stub(&mut self, module: &str, text: &str) {
        if self.stubs.get(module).is_some_and(|known| known == text) {
            return;
        }
        let path = SystemPathBuf::from(format!("{STUBS_DIRECTORY}/{module}.pyi"));
        let _ = self.system.fs().write_file_all(&path, text);
        File::sync_path(self, &path);
        self.outlast_programs(&path);
        self.stubs.insert(module.to_owned(), text.to_owned());
    }

    /// Says that a stub changes less often than the program: what was inferred about it then stays known from one
    /// program to the next without being looked at again. Nothing of the standard library depends on it.
    fn outlast_programs(&mut self, path: &SystemPath) {
        let Ok(file) = system_path_to_file(self, path) else { return };
        let (revision, status, permissions) =
            (file.revision(self), file.status(self), file.permissions(self));
        file.set_revision(self).with_durability(Durability::MEDIUM).to(revision);
        file.set_status(self).with_durability(Durability::MEDIUM).to(status);
        file.set_permissions(self).with_durability(Durability::MEDIUM).to(permissions);
        file.set_source_text_override(self).with_durability(Durability::MEDIUM).to(None);
    }

    pub(crate) fn write_program(&mut self, source: &str) -> File {
        let path = SystemVirtualPath::new(PROGRAM);
        self.system.fs().write_virtual_file(path, source);
        match self.program {
            Some(file) => {
                File::sync_virtual_path(self, path);
                file
            }
            None => {
                let file = self.files.virtual_file(self, path).file();
                self.program = Some(file);
                file
            }
        }
    }

    /// The module that a stub file is, if this file is one.
    pub(crate) fn stub_module(&self, file: File) -> Option<&str> {
        let path = file.path(self).as_system_path()?;
        if path.parent()?.as_str() != STUBS_DIRECTORY {
            return None;
        }
        path.file_stem()
    }
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl SettingsDb for Database {
    fn settings(&self) -> &ProgramSettings {
        &self.settings
    }
}

#[salsa::db]
impl SourceDb for Database {
    fn vendored(&self) -> &VendoredFileSystem {
        ty_vendored::file_system()
    }

    fn system(&self) -> &dyn System {
        &self.system
    }

    fn files(&self) -> &Files {
        &self.files
    }
}

#[salsa::db]
impl ty_module_resolver::Db for Database {}

#[salsa::db]
impl ty_python_core::Db for Database {
    fn should_check_file(&self, file: File) -> bool {
        self.program == Some(file)
    }
}

#[salsa::db]
impl ty_python_semantic::Db for Database {
    fn check_file(&self, file: File) -> Vec<Diagnostic> {
        check_file_unwrap(self, self.program_file(file))
    }

    fn program_file(&self, file: File) -> ProgramFile<'_> {
        environment(self).program_file(self, file)
    }

    fn python_version_with_source(&self, _: File) -> &PythonVersionWithSource {
        &self.settings.python_version
    }

    fn rule_selection(&self, _: File) -> &RuleSelection {
        &self.rules
    }

    fn lint_registry(&self) -> &LintRegistry {
        default_lint_registry()
    }

    fn analysis_settings(&self, _: File) -> &AnalysisSettings {
        &self.analysis
    }

    fn verbose(&self) -> bool {
        false
    }

    fn is_open_file(&self, _: File) -> bool {
        false
    }

    fn dyn_clone(&self) -> Box<dyn ty_python_semantic::Db> {
        Box::new(self.clone())
    }
}
