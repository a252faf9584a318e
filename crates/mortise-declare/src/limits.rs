//! The limits of declarations.

mortise_contract::limits! {
    /// The types of one tool in a declaration, in bytes; longer ones are shortened by structure.
    DECLARATION_BYTES: usize = 32_000, "declare", "types of one tool", "32,000 bytes", None;
    /// The output shape in a tool's description, in bytes, where a provider has no field for it.
    HINT_BYTES: usize = 4_096, "declare", "output shape in a description", "4,096 bytes", None;
    /// The least that can be set for it.
    HINT_BYTES_MIN: usize = 64, "declare", "output shape in a description, at least", "64 bytes", None;
    /// A tool's description in a declaration, in bytes.
    DESCRIPTION_BYTES: usize = 4_096, "declare", "description of a tool", "4,096 bytes", None;
}
