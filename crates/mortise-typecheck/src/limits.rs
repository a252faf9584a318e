//! The limits of a check.

mortise_contract::limits! {
    /// Nesting of a program that is checked; a deeper one runs unchecked.
    CHECK_LEVELS: usize = 250, "program", "nesting of a program that is checked", "250 levels", None;
}
