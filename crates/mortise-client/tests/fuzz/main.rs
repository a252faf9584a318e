//! Fuzz targets of this crate.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod frames;
