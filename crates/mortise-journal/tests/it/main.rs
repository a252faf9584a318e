//! The journal on disk, seen from outside.

mod child;
mod samples;

mod claiming;
mod cut;
mod failing;
mod keeping;
mod kept;
mod many;
