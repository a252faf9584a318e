//! The limits of declarations.

use mortise_contract::limits::Limit;

/// The types of one tool in a declaration, in bytes; longer ones are shortened by structure.
pub const DECLARATION_BYTES: usize = 32_000;
/// The output shape in a tool's description, in bytes, where a provider has no field for it.
pub const HINT_BYTES: usize = 4_096;
/// The least that can be set for it.
pub const HINT_BYTES_MIN: usize = 64;
/// A tool's description in a declaration, in bytes.
pub const DESCRIPTION_BYTES: usize = 4_096;

/// All of them, in the order in which they are shown.
pub const LIMITS: &[Limit] = &[
    limit("types of one tool", "32,000 bytes"),
    limit("output shape in a description", "4,096 bytes"),
    limit("output shape in a description, at least", "64 bytes"),
    limit("description of a tool", "4,096 bytes"),
];

const fn limit(name: &'static str, value: &'static str) -> Limit {
    Limit { area: "declare", name, value, setting: None }
}

#[cfg(test)]
mod tests;
