//! See exactly what an MCP server does, and know when a contract breaks.
//!
//! * [`changes`]: what changed between two snapshots, and whether that is allowed.
//! * [`declaration`]: the tools of the tester as they are advertised.
//! * [`lock`]: the lock file, and snapshots of servers.

pub mod changes;
pub mod declaration;
pub mod lock;
