//! Connect to MCP servers, lose nothing of what they say, and judge every result.
//!
//! A [`Client`] connects to one server:
//!
//! ```no_run
//! use mortise_client::Client;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let weather = Client::stdio("weather-server").arg("--units=metric").connect().await?;
//! // The value of a type of yours; a result that breaks its contract is an error.
//! let celsius: f64 = weather.call("temperature", json!({ "city": "Zürich" })).await?;
//! // What the server sent, byte for byte, and the verdict.
//! let outcome = weather.call_raw("forecast", json!({ "city": "Zürich" })).await?;
//! println!("{} {}", outcome.result.raw.text(), outcome.verdict.to_json());
//! # Ok(())
//! # }
//! ```
//!
//! A [`Pool`] starts any number of servers at once: child processes, Streamable HTTP endpoints, or
//! servers inside this very process, of the legacy protocol and the modern one. Each is looked
//! after by a supervisor that connects, lists the tools, listens for changes, and starts again
//! what has failed. An [`Upstream`] is the handle on one of them; it stays good while its server
//! comes and goes.
//!
//! ```
//! use std::time::Duration;
//!
//! use mortise_contract::ServerName;
//! use mortise_client::environment::Environment;
//! use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};
//! use mortise_client::{Pool, PoolOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let program = "/nowhere/weather-server";
//! let server = Transport::Stdio(StdioConfig::new(program, vec!["--units=metric".to_owned()]));
//! let mut pool = Pool::new(PoolOptions::new(Environment::default()));
//! let weather = pool.add(ServerConfig::new(ServerName::parse("weather")?, server))?;
//!
//! if let Err(error) = weather.ready(Duration::from_secs(30)).await {
//!     assert_eq!(error.to_string(), "cannot start `/nowhere/weather-server`");
//! }
//! for contract in &weather.catalog().contracts {
//!     println!("{}: {}", contract.name, contract.description().unwrap_or_default());
//! }
//! pool.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! What holds:
//!
//! * Nothing is lost or rounded. Arguments, tools and results are the exact texts that were sent;
//!   a tool or a content block of an unknown kind is kept and marked, and hides no other.
//! * Everything ends. Starting, listing, calling and closing have limits
//!   ([`limits`]), and every wait can be cancelled; the server is notified.
//! * One server that hangs, floods, lies or dies harms no other, and a failed call or a broken
//!   contract never ends a connection.
//! * Each child process leads a process group, which ends with the pool. With a [`warden`],
//!   everything that it started ends with it, also when this process is killed.
//! * Tokens go to the configured origin only, and no redirect leaves it.
//!
//! Without features the crate speaks to child processes and to servers inside the program. The feature `http` adds
//! Streamable HTTP (`Client::http`, `Transport::Http`) and OAuth (`oauth`).
//!
//! Only [`Client`] reads the environment of the process, for the server that it starts. A pool is given an
//! [`environment::Environment`].

#![warn(missing_docs)]

#[cfg(feature = "http")]
pub mod address;
mod backoff;
pub mod bounded_file;
mod call;
mod catalog;
mod catalog_cache;
mod client;
mod content_hash;
pub mod environment;
mod era_memory;
mod error;
mod event;
mod facts;
#[cfg(feature = "http")]
pub mod guard;
mod handler;
#[cfg(feature = "http")]
mod http_config;
#[cfg(feature = "http")]
mod http_target;
pub mod limits;
mod listening;
pub mod lock_record;
#[cfg(feature = "http")]
pub mod oauth;
mod paging;
mod param_header;
mod places;
mod pool;
pub mod private_file;
mod process;
pub mod relay;
pub mod secret;
pub mod server_config;
mod server_key;
mod state;
mod supervisor;
#[cfg(feature = "http")]
mod token;
pub mod tool_filter;
mod upstream;
mod wall_clock;
mod wire;

pub use call::{CallOptions, CallReport};
pub use catalog::{Catalog, RejectedTool};
pub use catalog_cache::{CatalogCache, SeenCatalog};
#[cfg(feature = "http")]
pub use client::HttpClient;
pub use client::{Client, ClientError, StdioClient};
pub use content_hash::ContentHash;
pub use era_memory::EraMemory;
pub use error::{CallError, CloseReason, ConnectError, RpcError, Skipped};
pub use event::{ChangedList, FaultKind, LogMessage, ProgressReport, ProtocolFault, ServerEvent};
pub use facts::{Era, ServerFacts};
pub use handler::{AskFuture, AskHandler, CallListener, Handlers, ServerAsk, ServerAskError};
#[cfg(feature = "http")]
pub use pool::Reach;
pub use pool::{NameTaken, Pool, PoolOptions, Restart};
pub use process::warden;
pub use state::ServerState;
#[cfg(feature = "http")]
pub use token::{TokenFuture, TokenSource, TokenSourceError};
pub use upstream::Upstream;
pub use wire::RecordedExchange;
