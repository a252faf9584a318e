//! Random files against the laws of the readers.
//!
//! How they are run is told at `mortise_testkit::fuzz`.

mod sniffer;
