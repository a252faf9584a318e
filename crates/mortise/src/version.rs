//! What `--version` says.

/// `-V`.
pub(crate) const SHORT: &str = env!("CARGO_PKG_VERSION");

/// The commit that was built, or `unknown`.
pub(crate) const COMMIT: &str = env!("MORTISE_COMMIT");

/// `--version`.
pub(crate) const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit ",
    env!("MORTISE_COMMIT"),
    "\nprotocols 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28"
);
