//! mortise-samples
