//! Run one Python program over the tools of many MCP servers, knowing what each returns.
//!
//! * [`registry`]: which tools there are, named and filtered.
//! * [`run`]: the [`Executor`](run::Executor), which runs programs over them.
//! * [`approvals`]: which calls need the agreement of a person.
//! * [`check`]: what is said about a program before it runs.
//! * [`checker`]: the processes that check programs.
//! * [`tools`]: the executor as a tool set for an MCP server.
//! * [`expose`]: tools offered directly beside it.
//! * [`passthrough`]: resources and prompts offered with them.
//! * [`service`]: all of it over servers that may change while clients are served.
//! * [`mapping`]: what a program gets for a tool's result.
//! * [`observed`]: what results look like where nothing is declared.
//! * [`inspect`], [`search`], [`description`]: what a model reads before it writes a program.
//! * [`ledger`], [`report`]: what it reads afterwards.
//! * [`journal`]: what is kept of every run.
//! * [`kept`]: values that programs keep for later ones.
//! * [`asks`]: questions of servers, passed on to the client.

pub mod approvals;
pub mod asks;
mod background;
pub mod check;
pub mod checker;
mod declare;
pub mod description;
mod detail;
pub mod expose;
mod held;
mod host;
pub mod inspect;
pub mod journal;
pub mod kept;
pub mod ledger;
pub mod limits;
pub mod lock_policy;
pub mod mapping;
pub mod observed;
pub mod passthrough;
mod program_tools;
mod progress;
pub mod recording;
pub mod registry;
pub mod replay;
pub mod report;
pub mod run;
pub mod search;
mod server_functions;
mod server_status;
pub mod service;
mod starting;
pub mod tools;
mod wall_clock;

pub use progress::RunProgress;
