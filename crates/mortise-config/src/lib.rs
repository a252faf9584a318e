//! `mortise.yaml` and other programs' files, found, read and resolved.
//!
//! [`Config::load`] is the entry point. It takes the files named by the user,
//! or else the first of the project's `mortise.yaml` and the user's own file,
//! and gives a [`LoadedConfig`] with every variable expanded. The project's
//! file is the nearest one from the working directory up to the root of its
//! repository, where `.git` is. It is refused with [`ConfigError::Untrusted`]
//! until its content was trusted, so no caller can forget to ask.
//!
//! A file that can't be parsed is an error. An entry of `servers` that can't be
//! used is not: it becomes a server with
//! [`Transport::Unusable`](mortise_client::server_config::Transport::Unusable), which
//! every list shows with the reason. Every complaint has file, line and column,
//! and none shows a value that may be secret.
//!
//! ```
//! use mortise_config::{Config, ConfigOrigin};
//! use mortise_client::environment::Environment;
//!
//! let loaded = Config::load(&Environment::default(), &[])?;
//! assert_eq!(loaded.origin, ConfigOrigin::NoConfig);
//! # Ok::<(), mortise_config::ConfigError>(())
//! ```

mod approvals;
mod config;
pub mod discover;
pub mod edit;
mod entries;
mod error;
mod events;
mod execution;
mod expand;
mod file;
pub mod import;
pub mod install;
mod journal;
mod left_out;
pub mod limits;
mod load;
mod located;
mod meaning;
mod note;
mod own_executable;
mod preview;
pub mod programs;
mod resolve;
pub mod saved_file;
mod search;
mod source;
mod transport;
pub mod trust;
mod wizards;
mod yaml;

pub use approvals::ApprovalSettings;
pub use config::{Config, ConfigOrigin, LoadedConfig};
pub use error::{ConfigError, Finding, Problem};
pub use execution::{Execution, Trace, ValidationSettings};
pub use expand::ExpandError;
pub use journal::{JournalSettings, OnJournalFailure};
pub use located::{ConfigPlace, Position};
pub use note::{Note, NoteKind};
pub use preview::{PreviewAction, ServerPreview};
pub use wizards::{Decision, Sensitivity, Wizards};
