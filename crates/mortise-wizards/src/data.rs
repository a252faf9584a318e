//! Files, readers, type inference and schemas.
