//! Runs one Python program under limits, with tools it can call and nothing else.
//!
//! The language is real CPython, compiled to WebAssembly and part of the binary: nothing needs to be installed. A
//! program has no file, network, process or environment; what it has are tools, which are async functions that
//! the implementation of [`ToolHost`] answers, and what it prints.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use mortise_contract::RawJson;
//! use mortise_script::{
//!     CallRequest, CallValue, Engine, EngineOptions, HostError, HostErrorKind, Program, ToolHost,
//! };
//! use tokio_util::sync::CancellationToken;
//!
//! struct Doubler;
//!
//! impl ToolHost for Doubler {
//!     async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
//!         let wrong = |message| HostError::new(HostErrorKind::Arguments, message);
//!         let number = request.arguments.member("n").ok_or_else(|| wrong("`n` is missing"))?;
//!         let number: i64 = number.text().parse().map_err(|_| wrong("`n` is not a number"))?;
//!         let doubled = RawJson::from_value(&(number * 2).into()).map_err(|_| wrong("`n` is too large"))?;
//!         Ok(doubled.into())
//!     }
//!     async fn inspect_tool(&self, tool_name: String) -> Result<RawJson, HostError> {
//!         Err(HostError::new(HostErrorKind::Unavailable, format!("nothing is known about {tool_name}")))
//!     }
//!     async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
//!         Err(HostError::new(HostErrorKind::Unavailable, "no list"))
//!     }
//!     async fn server_status(&self) -> Result<RawJson, HostError> {
//!         Err(HostError::new(HostErrorKind::Unavailable, "no servers"))
//!     }
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Engine::new(EngineOptions::default())?;
//! let mut program = Program::new("print(await double(n=21))");
//! program.tools = ["double"].into_iter().collect();
//! let report = engine.run_program(program, Arc::new(Doubler), (), &CancellationToken::new()).await?;
//! assert_eq!(report.output, "42\n");
//! # Ok(())
//! # }
//! ```
//!
//! * [`engine`]: the [`Engine`], which runs programs.
//! * [`program`]: a [`Program`] and the files it may read.
//! * [`names`]: which tools a program can call.
//! * [`host`]: [`ToolHost`], the seam to the tools.
//! * [`history`]: what a run depends on, recorded and repeated.
//! * [`report`]: the [`RunReport`], what came of a program.
//! * [`output`]: what it prints, while it runs.
//! * [`limits`]: what one program may use; [`capacity`]: what all together may.

pub mod capacity;
pub mod engine;
pub mod history;
pub mod host;
pub mod limits;
pub mod names;
pub mod output;
pub mod program;
pub mod report;

mod calls;
mod json_scan;
mod schedule;

pub use capacity::{Capacity, Share};
pub use engine::{Engine, EngineError, EngineOptions, ModuleStatus, RunError, Spare};
pub use history::{
    AfterHistory, BootPath, Divergence, GuestStart, HostAction, HostEvent, HostReply, RecordedCall,
    RunHistory, RunRecorder,
};
pub use host::{CallRequest, CallValue, HostError, HostErrorKind, ToolHost, ValueForm, Wanted};
pub use limits::Limits;
pub use names::{ToolNames, looks_names_up};
pub use output::{OutputSink, Stream};
pub use program::{Gate, MountError, MountedFile, Program};
pub use report::{CallOutcome, FailureKind, ProgramCall, ProgramError, RunReport, RunStats};
