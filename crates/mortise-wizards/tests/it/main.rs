//! The wizards through their tools, in process.

mod data;
mod workbench;
