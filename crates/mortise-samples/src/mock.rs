//! A server that misbehaves on purpose, for tests of whatever connects to servers.
//!
//! It writes raw frames and uses no MCP library, so that it can send what no
//! library would. A [`Mock`] is a healthy server changed by [scenarios];
//! it runs in process over any stream or over HTTP, and as a program of its own.
//! Whatever is left to chance follows from one seed. A mock of a recording answers as the recorded server did.

mod action;
mod answer;
mod background;
mod frame;
mod http;
mod lines;
mod memory;
mod perform;
mod plan;
mod recorded;
mod run;
mod scenario;
mod script;
mod server;
mod tool;

pub use action::MockEnd;
pub use http::MockHttp;
pub use plan::MockPlan;
pub use run::{MockError, MockOptions, run_mock};
pub use scenario::{Scenario, ScenarioError, ScenarioNumber, ScenarioTransport, plan, scenarios};
pub use script::{Script, ScriptError};
pub use server::Mock;
