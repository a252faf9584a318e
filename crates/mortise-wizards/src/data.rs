//! Files as they are found: access, readers, types inferred with evidence, schemas and contracts.

pub mod bounds;
pub mod contracts;
pub mod data_type;
pub mod dates;
pub mod dialect;
pub mod discover;
pub mod encoding;
pub mod fault;
pub mod files;
pub mod infer;
pub(crate) mod literal;
pub mod nulls;
pub mod preview;
pub mod scan;
pub mod schema;
pub(crate) mod source;
pub(crate) mod strptime;
pub mod table;
pub mod tools;
pub mod value;
