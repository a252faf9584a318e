//! Which tools may be named in place of one that is not there.

/// First words of tools that change nothing.
const READING: [&str; 22] = [
    "check", "count", "describe", "diff", "fetch", "find", "get", "has", "info", "inspect", "is", "list",
    "load", "lookup", "open", "query", "read", "retrieve", "search", "show", "status", "view",
];

/// Whether a tool does something else than the one that was asked for, and may change things: `create_sheet` is not
/// what `read_sheet` meant, however near the names are.
pub(super) fn changes_instead(asked: &str, offered: &str, is_read_only: bool) -> bool {
    let (asked, offered) = (first_word(asked), first_word(offered));
    !is_read_only && !READING.contains(&offered.as_str()) && strsim::osa_distance(&asked, &offered) > 1
}

/// `read` of `read_sheet` and of `readSheet`.
fn first_word(name: &str) -> String {
    let end = name.char_indices().skip(1).find(|(_, c)| !c.is_alphanumeric() || c.is_uppercase());
    name[..end.map_or(name.len(), |(at, _)| at)].to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::changes_instead;

    #[test]
    fn another_verb_that_changes_things_is_no_substitute() {
        for (asked, offered, is_read_only, expected) in [
            ("read_sheet", "create_sheet", false, true),
            ("readSheet", "createSheet", false, true),
            ("delete_sheet", "create_sheet", false, true),
            ("read_sheet", "create_sheet", true, false),
            ("read_sheet", "get_sheet", false, false),
            ("creat_sheet", "create_sheet", false, false),
            ("ehco", "echo", false, false),
            ("quotes", "quote", false, false),
        ] {
            assert_eq!(changes_instead(asked, offered, is_read_only), expected, "{asked} {offered}");
        }
    }
}
