//! See exactly what an MCP server does, and know when a contract breaks.
//!
//! [`Tester`] is a set of tools with which an assistant tests other MCP servers: it connects to a
//! URL or starts a command, and shows what is there word for word, with a verdict on the contract
//! of every result.
//!
//! ```
//! use mortise_tester::{Tester, TesterOptions};
//! use mortise_client::environment::Environment;
//!
//! let tester = Tester::new(TesterOptions::local(Environment::default()))?;
//! let server = tester.server()?;
//! assert_eq!(server.name(), "mcp-test-mcp");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`Tester`], [`TesterOptions`], [`Permissions`]: the tools, and what their callers may do.
//! * [`check`]: whether servers keep their contracts, with reports for people and programs.
//! * [`changes`]: what changed between two snapshots, and whether that is allowed.
//! * [`capture`]: snapshots of servers, for the lock file.
//! * [`recorder`]: what passes between a client and a server, written to a file.
//! * [`page`]: the frame of HTML pages that need nothing from elsewhere.

mod answer;
mod answers;
mod callers;
pub mod capture;
pub mod changes;
pub mod check;
mod connection;
mod connections;
mod exchanges;
mod failure;
mod fitting;
mod input;
pub mod limits;
mod moment;
mod notifications;
mod options;
pub mod page;
pub mod recorder;
mod target;
mod tester;
mod tools;

pub use options::{Permissions, TesterOptions};
pub use tester::Tester;
