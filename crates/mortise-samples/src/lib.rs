//! Sample MCP servers, and one that misbehaves on purpose.
//!
//! The samples are small servers with built-in data, made with `mortise-server`:
//! something to try programs and commands on without installing anything. All
//! data is invented, the same in every run, and lives in memory.
//!
//! ```
//! for sample in mortise_samples::samples() {
//!     println!("{}: {}", sample.name, sample.about);
//! }
//! let server = mortise_samples::sample("weather").unwrap().server().unwrap();
//! assert_eq!(server.name(), "weather");
//! ```
//!
//! [`mock`] is a server for tests of whatever connects to servers.

mod calendar;
mod documents;
mod financial;
mod inventory;
pub mod mock;
mod page;
mod random;
mod registry;
mod tickets;
mod weather;

pub use registry::{Sample, SampleError, sample, samples};
