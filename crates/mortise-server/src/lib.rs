//! MCP servers whose tools keep their promises.
#![doc = include_str!("../README.md")]
//!
//! ## Items
//!
//! * [`Tool`], [`Tools`]: tools with types or with JSON Schemas, in a set that may change while it is served.
//! * [`ToolSet`]: the seam beneath, for tools that come from elsewhere.
//! * [`Answer`], [`Reply`]: what comes out of a call.
//! * [`CallContext`]: progress, log messages, cancellation, questions to the client.
//! * [`ResourceSet`], [`PromptSet`], [`Completer`]: the sibling seams.
//! * [`Server`]: puts it together and serves it.
//! * `HttpServer`, with the feature `http`: serves it over Streamable HTTP.

#![warn(missing_docs)]

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
#[cfg(feature = "http")]
mod http;
mod input;
mod json_size;
pub mod limits;
mod log;
mod members;
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
mod tasks;
mod tool;
mod tool_list;
mod tool_set;
mod tools;
mod wall_clock;
mod wire;

pub use answer::Answer;
pub use changes::{ChangeSignal, Changes};
pub use client::{Client, PROTOCOL_VERSIONS};
pub use completion::{Completer, CompletionReference, CompletionRequest, Completions};
pub use content::Content;
pub use context::CallContext;
pub use declared::{Prompt, Resource, ResourceTemplate};
#[cfg(feature = "http")]
pub use http::{HttpError, HttpOptions, HttpServer, TlsFiles, Token, TokenError};
pub use input::{AskError, Elicited, InputKind, InputRequest, InputRequired};
pub use log::LogLevel;
pub use mortise_contract::Era;
pub use prompts::{PromptSet, PromptText};
pub use registration::RegistrationError;
pub use reply::{ProtocolError, Reply, ToolError};
pub use resources::{RequestStep, ResourceContent, ResourceReader, ResourceSet, UpdateSignal, Updates};
pub use server::{BuildError, INSTRUCTIONS_LIMIT, Server, ServerBuilder};
pub use settle::CONTRACT_META;
pub use tasks::TASK_PATIENCE;
pub use tool::{HandlerError, Output, RawTool, Tool, ToolHandler, ToolOutput, absent_is_not_null};
pub use tool_list::ToolList;
pub use tool_set::ToolSet;
pub use tools::Tools;
