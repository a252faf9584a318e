//! Sample MCP servers, and one that misbehaves on purpose.

pub mod mock;
