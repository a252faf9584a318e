//! A folder of files, and wizards that work on it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_server::{CallContext, Client};
use mortise_wizards::{WizardOptions, Wizards, server};
use serde_json::{Map, Value};

/// A temporary folder with wizards.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pub(crate) wizards: Arc<Wizards>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// One whose wizards are set up in another way.
    pub(crate) fn with(change: impl FnOnce(&mut WizardOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = WizardOptions::below(folder.path().canonicalize().unwrap());
        options.cache_directory = Some(cache());
        change(&mut options);
        Self { folder, wizards: Arc::new(Wizards::start(options)) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and gives its name.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        name.to_owned()
    }

    pub(crate) async fn try_call(&self, tool: &str, arguments: Value) -> Result<(Value, String), ErrorBody> {
        let wizard = server::all().into_iter().find(|wizard| wizard.name() == tool).expect("the tool exists");
        let context = CallContext::detached(Client::new("2025-11-25", Map::new()), Map::new());
        wizard.call(&self.wizards, arguments, context).await
    }

    #[track_caller]
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> impl Future<Output = Value> {
        let place = std::panic::Location::caller();
        let call = self.try_call(tool, arguments);
        async move {
            match call.await {
                Ok((result, _)) => result,
                Err(error) => panic!("{place}: {error}"),
            }
        }
    }

    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> ErrorBody {
        match self.try_call(tool, arguments).await {
            Ok((result, _)) => panic!("not refused: {result}"),
            Err(error) => error,
        }
    }

    pub(crate) async fn code_of_refusal(&self, tool: &str, arguments: Value) -> ErrorCode {
        self.refused(tool, arguments).await.error_code
    }
}

/// The compiled interpreter is kept between tests.
fn cache() -> PathBuf {
    static CACHE: OnceLock<PathBuf> = OnceLock::new();
    CACHE.get_or_init(|| Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned()).clone()
}

/// The status of a test case.
#[track_caller]
pub(crate) fn case<'a>(result: &'a Value, name: &str) -> &'a Value {
    let items = result["validation_results"]["test_cases"]["items"].as_array().unwrap();
    items.iter().find(|case| case["name"] == name).unwrap_or_else(|| panic!("no case {name}: {result:#}"))
}
