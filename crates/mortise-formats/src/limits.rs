//! The limits of extraction rules and of code that is checked.

use mortise_contract::limits::{KIB, MIB};

mortise_contract::limits! {
    /// The text of extraction rules.
    RULES_BYTES: usize = MIB, "formats", "text of extraction rules", "1 MiB", None;
    /// Values in such a text.
    RULES_NODES: usize = 200_000, "formats", "values in extraction rules", "200,000", None;
    /// Nesting of such a text.
    RULES_DEPTH: usize = 32, "formats", "nesting of extraction rules", "32 levels", None;
    /// Rules of one document.
    RULES: usize = 1_000, "formats", "rules of a document", "1,000", None;
    /// Fields of one rule.
    RULE_FIELDS: usize = 64, "formats", "fields of a rule", "64", None;
    /// One pattern of a rule.
    RULE_PATTERN_CHARS: usize = 200, "formats", "one pattern of a rule", "200 characters", None;
    /// Groups of such a pattern.
    RULE_PATTERN_GROUPS: usize = 10, "formats", "groups of a pattern", "10", None;
    /// Such a pattern compiled.
    RULE_PATTERN_BYTES: usize = MIB, "formats", "one compiled pattern of a rule", "1 MiB", None;
    /// Generated or given code that is looked at.
    CODE_BYTES: usize = 256 * KIB, "formats", "code that is checked", "256 KiB", None;
    /// Nesting of such code.
    CODE_LEVELS: usize = 200, "formats", "nesting of code that is checked", "200 levels", None;
}
