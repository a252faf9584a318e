//! Servers seen from outside, with no SDK on the other side.

mod lines;
mod sample;
