//! What all wizards work with: directories, clock, ids, interpreter, stores.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use mortise_contract::text::hex;
use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::legacy::LegacyUse;
use mortise_script::{Engine, EngineOptions};
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::data::contracts::Contracts;
use crate::data::files::{DataFiles, OUTPUT_FOLDER};
use crate::limits::{WIZARD_LONG_TIME, WIZARD_OUTPUT_BYTES};
use crate::parsers::backtest::History;
use crate::store::drafts::PATIENCE;
use crate::store::{DraftStore, Drafts, check_draft};
use crate::tool::blocking;

/// How the wizards are set up by the program that starts them.
#[derive(Clone, Debug)]
pub struct WizardOptions {
    /// Directories below which files may be read; symbolic links are resolved before the comparison.
    pub roots: Vec<PathBuf>,
    /// The directory below which everything is written.
    pub output: PathBuf,
    /// The directory for what outlives the process: scopes, contracts, drafts.
    pub state: PathBuf,
    /// How long an approval waits while another process approves.
    pub patience: Duration,
    /// A directory of this user for the compiled interpreter, see [`EngineOptions::cache_directory`].
    pub cache_directory: Option<PathBuf>,
    /// Whether results carry the old `code_preview` besides.
    pub legacy_output: bool,
    /// Whether texts for people use only ASCII marks.
    pub ascii: bool,
    /// What decides between YAML and Python, before a call's own `config`.
    pub decision: crate::paths::DecisionLayers,
    /// How long a pipeline, a backtest or a discovery may take.
    pub long_time: Duration,
    /// Bytes of all tables that one pipeline may write.
    pub output_bytes: u64,
    /// Folders that the operator has named as categories, by what they are: `region` is `emea` or `apac`.
    pub words: BTreeMap<String, BTreeSet<String>>,
}

impl WizardOptions {
    /// Reading below `root`, writing below its `mortise-out`, with the state in there as well.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let output = root.join(OUTPUT_FOLDER);
        Self {
            state: output.join(".state"),
            output,
            roots: vec![root],
            patience: PATIENCE,
            cache_directory: None,
            legacy_output: false,
            ascii: false,
            decision: crate::paths::DecisionLayers::default(),
            long_time: WIZARD_LONG_TIME,
            output_bytes: WIZARD_OUTPUT_BYTES,
            words: BTreeMap::new(),
        }
    }

    /// All of the operator's own words.
    pub(crate) fn known_words(&self) -> BTreeSet<String> {
        self.words.values().flatten().cloned().collect()
    }
}

/// What time it is.
pub trait Clock: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> DateTime<Utc>;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// Where ids come from.
pub trait IdSource: Send + Sync + 'static {
    /// 32 lower-case hex digits, another text each time.
    fn next(&self) -> String;
}

/// Ids of 128 random bits: too many to guess.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn next(&self) -> String {
        let mut bytes = [0; 16];
        #[expect(
            clippy::expect_used,
            reason = "without randomness ids would collide; the kernel provides it"
        )]
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        hex(&bytes)
    }
}

/// What all wizards of one process share. Tools hold it in an [`Arc`].
pub struct Wizards {
    /// How it was set up.
    pub options: WizardOptions,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where ids come from.
    pub ids: Arc<dyn IdSource>,
    /// What was proposed and what was committed.
    pub drafts: Arc<dyn DraftStore>,
    /// How often old fields were written.
    pub legacy: LegacyUse,
    /// How files did in earlier backtests.
    pub(crate) history: Mutex<History>,
    engine: OnceCell<Arc<Engine>>,
}

impl Wizards {
    /// Wizards with this clock, these ids and this store.
    pub fn new(
        options: WizardOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
        drafts: Arc<dyn DraftStore>,
    ) -> Self {
        Self {
            options,
            clock,
            ids,
            drafts,
            legacy: LegacyUse::default(),
            history: Mutex::default(),
            engine: OnceCell::new(),
        }
    }

    /// Access to the files below the roots. Looked up anew each time, so that a root may be replaced.
    ///
    /// # Errors
    ///
    /// When a root is gone.
    pub fn files(&self) -> Result<DataFiles, ErrorBody> {
        DataFiles::new(&self.options.roots, Some(&self.options.output)).map_err(ErrorBody::from)
    }

    /// The scopes, contracts and proposals.
    pub fn contracts(&self) -> Contracts {
        Contracts::new(&self.options.state)
    }

    /// Wizards with the clock of the machine and a store of drafts below the state directory.
    pub fn start(options: WizardOptions) -> Self {
        let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
        let drafts = Drafts::new(options.state.join("drafts"), clock.clone(), ids.clone(), check_draft)
            .publishing_to(&options.output);
        Self::new(options, clock, ids, Arc::new(drafts))
    }

    /// The interpreter, started at its first use.
    ///
    /// # Errors
    ///
    /// `ERR_SANDBOX_UNAVAILABLE` when it does not load on this machine.
    pub async fn engine(&self) -> Result<Arc<Engine>, ErrorBody> {
        let cache_directory = self.options.cache_directory.clone();
        let longest_wall = self.options.long_time;
        let start = || {
            blocking(move |_| {
                let options = EngineOptions { cache_directory, longest_wall, ..EngineOptions::default() };
                Engine::new(options).map(Arc::new).map_err(|error| {
                    ErrorBody::new(
                        ErrorCode::SandboxUnavailable,
                        error.to_string(),
                        "run `mortise doctor` to see what the interpreter needs",
                    )
                })
            })
        };
        self.engine.get_or_try_init(start).await.cloned()
    }
}

impl std::fmt::Debug for Wizards {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Wizards").field("options", &self.options).finish_non_exhaustive()
    }
}
