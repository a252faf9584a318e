//! How much of a file is looked at, kept or accepted.

pub use crate::limits::{
    WIZARD_COLUMNS as COLUMNS, WIZARD_FOOTER_BYTES as FOOTER_BYTES, WIZARD_INFLATED_BYTES as INFLATED_BYTES,
    WIZARD_INFLATION as INFLATION, WIZARD_LISTED_FILES as LISTED_FILES,
    WIZARD_OPEN_PAGES_BYTES as OPEN_PAGES_BYTES, WIZARD_PAGE_BYTES as PAGE_BYTES,
    WIZARD_PREAMBLE_LINES as PREAMBLE_LINES, WIZARD_RECORD_BYTES as RECORD_BYTES,
    WIZARD_SAMPLE_BYTES as SAMPLE_BYTES,
};

/// Characters of a value that are shown as evidence.
pub const SHOWN_CHARACTERS: usize = 100;

/// A value cut to [`SHOWN_CHARACTERS`], with an ellipsis where something is missing.
pub(crate) fn shown(value: &str) -> String {
    mortise_contract::text::cut(value, SHOWN_CHARACTERS)
}
