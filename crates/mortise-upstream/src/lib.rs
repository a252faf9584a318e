//! Connect to MCP servers, lose nothing of what they say, and judge every result.

pub mod address;
mod backoff;
mod call;
mod catalog;
pub mod config;
pub mod environment;
mod error;
mod event;
mod facts;
pub mod guard;
mod handler;
pub mod import;
pub mod oauth;
mod paging;
mod pool;
pub mod private_file;
mod process;
pub mod secret;
pub mod server_config;
mod state;
mod supervisor;
mod token;
pub mod trust;
mod upstream;
mod wire;

pub use call::{CallOptions, CallReport};
pub use catalog::{Catalog, RejectedTool};
pub use error::{CallError, CloseReason, ConnectError, RpcError};
pub use event::{FaultKind, ListKind, Progress, ProtocolFault, ServerEvent};
pub use facts::{Era, ServerFacts};
pub use handler::{AskError, AskFuture, AskHandler, Handlers, ServerAsk};
pub use pool::{Pool, PoolOptions, Restart};
pub use state::ServerState;
pub use token::{TokenError, TokenFuture, TokenSource};
pub use upstream::Upstream;
pub use wire::RecordedExchange;
