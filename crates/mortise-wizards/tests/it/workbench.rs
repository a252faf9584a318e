//! Wizards over a temporary folder, with a clock that stands still and ids that count.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, Utc};
use mortise_formats::format::ErrorBody;
use mortise_server::{CallContext, Client};
use mortise_wizards::store::{Drafts, check_draft};
use mortise_wizards::tool::Wizard;
use mortise_wizards::{Clock, IdSource, WizardOptions, Wizards};
use serde_json::{Map, Value};

/// A folder and the wizards that work on it.
pub(crate) struct Workbench {
    folder: tempfile::TempDir,
    wizards: Arc<Wizards>,
}

impl Workbench {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = WizardOptions::below(folder.path());
        options.cache_directory = Some(env!("CARGO_TARGET_TMPDIR").into());
        let (clock, ids) = (Arc::new(Still), Arc::new(Counting::default()));
        let drafts = Drafts::new(options.state.join("drafts"), clock.clone(), ids.clone(), check_draft)
            .publishing_to(&options.output);
        let wizards = Wizards::new(options, clock, ids, Arc::new(drafts));
        Self { folder, wizards: Arc::new(wizards) }
    }

    /// The same with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let bench = Self::new();
        for (name, text) in files {
            bench.write(name, text);
        }
        bench
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Calls one of `wizards` by its name.
    pub(crate) async fn call(
        &self,
        wizards: &[Wizard],
        name: &str,
        arguments: Value,
    ) -> Result<Value, ErrorBody> {
        let wizard = wizards.iter().find(|wizard| wizard.name() == name).unwrap();
        let client = Client::new("2025-11-25", Map::new());
        let context = CallContext::detached(client, Map::new());
        wizard.call(&self.wizards, arguments, context).await.map(|(result, _)| result)
    }
}

struct Still;

impl Clock for Still {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }
}

#[derive(Default)]
struct Counting(AtomicU32);

impl IdSource for Counting {
    fn next(&self) -> String {
        format!("{:08x}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}
