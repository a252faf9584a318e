//! Connect to MCP servers, lose nothing of what they say, and judge every result.

pub mod address;
pub mod config;
pub mod environment;
pub mod private_file;
pub mod secret;
pub mod server_config;
pub mod trust;
