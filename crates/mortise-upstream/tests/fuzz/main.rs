//! Fuzz targets of this crate.

mod configuration;
