//! The journal on disk, seen from outside.

mod samples;

mod keeping;
