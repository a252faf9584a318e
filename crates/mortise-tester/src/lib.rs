//! See exactly what an MCP server does, and know when a contract breaks.
//!
//! * [`declaration`]: the tools of the tester as they are advertised.

pub mod declaration;
