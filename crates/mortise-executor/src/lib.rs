//! Run one Python program over the tools of many MCP servers, knowing what each returns.

pub mod description;
pub mod inspect;
pub mod ledger;
pub mod mapping;
pub mod policy;
pub mod report;
pub mod search;
