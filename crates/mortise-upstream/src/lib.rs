//! Connect to MCP servers, lose nothing of what they say, and judge every result.

pub mod environment;
pub mod secret;
pub mod server_config;
