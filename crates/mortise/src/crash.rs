//! A bug of ours ends with a message that asks for a report, and its own exit code.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

use crate::exit::Exit;
use crate::terminal::escape;

/// Where a bug is reported to.
const REPORT: &str = "This is a bug in mortise. Please report it with the lines above and what you ran.";

/// Replaces the message of a panic.
pub(crate) fn install_hook() {
    panic::set_hook(Box::new(|info| {
        // Not through `Terminal`: it may be what broke.
        let mut stderr = std::io::stderr().lock();
        _ = std::io::Write::write_all(&mut stderr, message(info).as_bytes());
    }));
}

/// Runs `work`; a panic in it is [`Exit::Bug`].
pub(crate) fn guard(work: impl FnOnce() -> Exit) -> Exit {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or(Exit::Bug)
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place =
        info.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
    format!(
        "internal error: {}{place}\nmortise {} ({})\n{REPORT}\n",
        escape::text(text),
        env!("CARGO_PKG_VERSION"),
        env!("MORTISE_COMMIT"),
    )
}

#[cfg(test)]
mod tests;
