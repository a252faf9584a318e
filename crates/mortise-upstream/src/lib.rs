//! mortise-upstream
