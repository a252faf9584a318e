//! mortise-server
