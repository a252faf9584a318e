//! What is known of a program before its parts are judged.
//!
//! * [`kinds`]: what a value can be, asked of ty.
//! * [`facts`]: what the program does as a whole: keys that it stores or tests, names that it binds, exceptions that it
//!   catches.
//! * [`origins`]: all that a name gets, and where.
//! * [`own`]: which dicts the program made itself.
//! * [`plain`]: whether a type follows from declarations and values in plain sight. Only then may a rule refuse.

pub(crate) mod facts;
pub(crate) mod handlers;
pub(crate) mod kinds;
pub(crate) mod origins;
pub(crate) mod own;
mod plain;
