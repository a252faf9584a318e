//! Write MCP servers whose tools keep what they promise.
//!
//! A tool declares what it takes and what it returns. The server checks
//! arguments before the handler runs and results before they are sent, adds the
//! JSON text that older clients read, and speaks every protocol version from
//! 2024-11-05 to 2026-07-28 at once, over stdio and Streamable HTTP.
//!
//! ```
//! use mortise_server::{BuildError, Server, Tool, ToolError};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Measures {
//!     /// Height in centimetres.
//!     height_cm: f64,
//!     /// Weight in kilograms.
//!     weight_kg: f64,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Bmi {
//!     bmi: f64,
//! }
//!
//! async fn calculate_bmi(measures: Measures) -> Result<Bmi, ToolError> {
//!     Ok(Bmi { bmi: measures.weight_kg / (measures.height_cm / 100.0).powi(2) })
//! }
//!
//! # async fn example() -> Result<(), BuildError> {
//! Server::new("health", "1.0.0")
//!     .tool(Tool::new("calculate_bmi", calculate_bmi).description("Body mass index from height and weight"))
//!     .serve_stdio()
//!     .await
//! # }
//! ```
//!
//! * [`Tool`], [`Tools`]: tools with types or with JSON Schemas, in a set that may change while it is served.
//! * [`ToolSet`]: the seam beneath, for tools that come from elsewhere.
//! * [`Answer`], [`Reply`]: what comes out of a call.
//! * [`CallContext`]: progress, log messages, cancellation, questions to the client.
//! * [`ResourceSet`], [`PromptSet`], [`Completer`]: the sibling seams.
//! * [`Server`]: puts it together and serves it.

mod answer;
mod arguments;
mod call;
mod changes;
mod client;
mod completion;
mod content;
mod context;
mod declared;
mod dispatch;
mod frame;
mod http;
mod input;
pub mod limits;
mod log;
mod members;
mod object_text;
mod page;
mod prompts;
mod random;
mod registration;
mod reply;
mod resources;
mod result_text;
mod server;
mod settle;
mod stdio;
mod tool;
mod tool_list;
mod tool_set;
mod tools;
mod wire;

pub use answer::Answer;
pub use changes::{ChangeSignal, Changes};
pub use client::{Client, PROTOCOL_VERSIONS};
pub use completion::{Completer, CompletionReference, CompletionRequest, Completions};
pub use content::Content;
pub use context::CallContext;
pub use declared::{Prompt, Resource, ResourceTemplate};
pub use http::{HttpError, HttpOptions, HttpServer, TlsFiles, Token, TokenError};
pub use input::{AskError, Elicited, InputKind, InputRequest, InputRequired};
pub use log::LogLevel;
pub use mortise_contract::Era;
pub use prompts::{PromptSet, PromptText};
pub use registration::RegistrationError;
pub use reply::{ProtocolError, Reply, ToolError};
pub use resources::{ResourceContent, ResourceSet, Step, UpdateSignal, Updates};
pub use server::{BuildError, INSTRUCTIONS_LIMIT, Server, ServerBuilder};
pub use settle::CONTRACT_META;
pub use tool::{HandlerError, Output, RawTool, Tool, ToolHandler, ToolOutput, absent_is_not_null};
pub use tool_list::ToolList;
pub use tool_set::ToolSet;
pub use tools::Tools;
