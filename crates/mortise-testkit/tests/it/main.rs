//! The test kit tested.

mod cases;
mod http;
mod peer;
mod redact;
