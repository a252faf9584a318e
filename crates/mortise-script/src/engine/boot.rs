//! The Python code that runs in a guest before the program: it makes tools callable and reports the end.
//!
//! The first guest of a process compiles it from source and hands the result back; all later ones get it compiled,
//! which saves several milliseconds each.

use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use mortise_contract::missing_modules;
use serde_json::json;
use tokio::sync::Notify;

use super::door::DoorReply;
use crate::history::BootPath;

/// The boot code in the order in which it runs, as one text, behind what it shares with the host.
static SOURCE: LazyLock<String> = LazyLock::new(|| {
    let shared = [
        ("MISSING_MODULES", missing_modules::TABLE),
        ("NO_PACKAGES", missing_modules::NO_PACKAGES),
        ("NO_PYTHON_PART", missing_modules::NO_PYTHON_PART),
    ];
    let shared: String = shared.map(|(name, text)| format!("{name} = {}\n", json!(text))).concat();
    format!("{shared}{CODE}")
});

const CODE: &str = concat!(
    include_str!("../boot/door.py"),
    include_str!("../boot/values.py"),
    include_str!("../boot/streams.py"),
    include_str!("../boot/loops.py"),
    include_str!("../boot/executors.py"),
    include_str!("../boot/absent.py"),
    include_str!("../boot/tools.py"),
    include_str!("../boot/media.py"),
    include_str!("../boot/errors.py"),
    include_str!("../boot/main.py"),
);

/// What starts the compiled boot code, and what compiles it first. Every guest compiles this itself, so it is short.
const LOADER: &str = include_str!("../boot/loader.py");
const COMPILER: &str = include_str!("../boot/compiler.py");

/// More than the compiled boot code ever has.
const MOST_COMPILED: usize = 1 << 20;

/// The boot code, compiled by its first use.
#[derive(Default)]
pub(super) struct BootCode {
    compiled: OnceLock<Arc<[u8]>>,
    kept: Notify,
}

/// How long another guest may take to compile it.
const COMPILING: Duration = Duration::from_secs(30);

impl BootCode {
    /// How the next guest gets it.
    pub(super) fn path(&self) -> BootPath {
        if self.compiled.get().is_some() { BootPath::Compiled } else { BootPath::Source }
    }

    /// What a guest begins with, as the interpreter's command line.
    pub(super) fn start_arguments(path: BootPath) -> [&'static str; 3] {
        let first = match path {
            BootPath::Source => COMPILER,
            BootPath::Compiled => LOADER,
        };
        ["python3", "-c", first]
    }

    /// Waits until a guest has compiled it. One that never does leaves the next guest to compile it.
    pub(super) async fn compiled_soon(&self) {
        let kept = self.kept.notified();
        if self.path() == BootPath::Source {
            let _ = tokio::time::timeout(COMPILING, kept).await;
        }
    }

    pub(super) fn source() -> DoorReply {
        DoorReply::body(SOURCE.as_str())
    }

    /// The compiled code, for a guest that begins with the loader.
    pub(super) fn compiled(&self) -> DoorReply {
        self.compiled
            .get()
            .map_or(DoorReply::Refused("not compiled yet"), |compiled| DoorReply::body(&compiled[..]))
    }

    /// Keeps what a guest compiled. Only called for a guest that has not seen its program yet, so the bytes are
    /// ours; and they only ever run inside guests.
    pub(super) fn keep(&self, compiled: &[u8]) {
        if compiled.len() <= MOST_COMPILED {
            // Another guest may have been faster, with the same bytes.
            let _ = self.compiled.set(compiled.into());
            self.kept.notify_waiters();
        }
    }
}
