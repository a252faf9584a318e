//! mortise
fn main() {}
