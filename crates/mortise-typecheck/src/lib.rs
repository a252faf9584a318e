//! Checks a Python program against the shapes of its tools before it runs.
//!
//! * [`Checker`]: a warm type checker that many programs share, in this process.
//! * [`serve`]: the same in a process of its own, which speaks [`wire`]. Some programs overflow the checker's stack
//!   or never come to an end: strangers' programs are checked where that ends nothing else.
//! * [`CheckRequest`], [`CheckedTool`]: a program and the tools that it names.
//! * [`TypecheckReport`], [`TypecheckFinding`]: what is wrong with it, and whether that refuses it.
//! * [`plan_calls`]: which tools a program can call, on which lines and how often; for a person who must agree.
//! * [`named_tools`]: which tools a program names; only those are declared to the checker.
//!
//! A program that reads `row["revenu"]` where a tool declares `revenue` is refused in milliseconds,
//! with the right name, before a single tool was called. Only what surely fails refuses; the rest is
//! a warning.
//!
//! ```
//! use std::sync::Arc;
//! use mortise_contract::{Contract, RawJson, ServerName};
//! use mortise_typecheck::{CheckRequest, Checker, CheckMode, Outputs, CheckedTool};
//!
//! let contract = Contract::parse(RawJson::parse(
//!     r#"{"name": "now", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object",
//!         "properties": {"utc": {"type": "string"}}, "required": ["utc"], "additionalProperties": false}}"#,
//! )?)?;
//! let tool = CheckedTool {
//!     callable: "mcp__clock__now".to_owned(),
//!     server: ServerName::parse("clock")?,
//!     contract: Arc::new(contract),
//!     outputs: Outputs::Declared,
//! };
//! let source = "time = await mcp__clock__now()\nprint(time[\"utx\"])\n";
//! let report = Checker::new().check(CheckRequest { tools: vec![tool], ..CheckRequest::new(source, CheckMode::Guard) });
//! assert_eq!(report.refusals().count(), 1);
//! assert!(report.refusals().any(|finding| finding.nearest.as_deref() == Some("utc")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod absent;
mod beyond;
mod check;
mod checker;
mod database;
mod deduced;
mod diagnostics;
mod evidence;
mod finding;
mod gather;
pub mod limits;
mod names;
mod nesting;
mod plan;
mod request;
mod rules;
mod said;
mod serve;
mod slip;
mod source;
mod stub;
mod syntax;
mod text;
mod walk;
pub mod wire;

pub use checker::Checker;
pub use finding::{
    ShapeBasis, TypecheckFinding, TypecheckReport, TypecheckRule, TypecheckSeverity, Unchecked,
};
pub use mortise_contract::CheckMode;
pub use names::named_tools;
pub use plan::plan_calls;
pub use request::{CheckRequest, CheckedTool, ObservedOutput, Outputs, UnknownTool};
pub use serve::serve;
