//! Files as they are found: access, readers, types inferred with evidence, schemas and contracts.

pub mod bounds;
pub(crate) mod contracts;
pub mod data_type;
pub(crate) mod dates;
pub mod dialect;
pub(crate) mod discover;
pub(crate) mod encoding;
pub(crate) mod fault;
pub mod files;
pub(crate) mod infer;
pub(crate) mod literal;
pub mod nulls;
pub(crate) mod preview;
pub mod scan;
pub mod schema;
pub(crate) mod source;
pub(crate) mod strptime;
pub mod table;
#[expect(missing_docs, reason = "a doc comment of an output becomes a description in the tool's schema")]
pub mod tools;
pub(crate) mod value;
