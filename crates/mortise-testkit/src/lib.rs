//! mortise-testkit
