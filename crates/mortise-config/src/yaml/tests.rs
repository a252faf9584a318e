//! Complaints point at the place.

use proptest::prelude::*;

use super::*;
use crate::file::ConfigFile;

/// Pieces of which configurations are made, right and wrong ones.
const PIECES: [&str; 24] = [
    "servers",
    "tools",
    "execution",
    ":",
    "- ",
    "  ",
    "\n",
    "{",
    "}",
    "[",
    "]",
    "&a",
    "*a",
    "<<",
    "!x",
    "'",
    "\"",
    "|",
    ">",
    "#",
    "canary-9",
    "name",
    "command",
    "1e400",
];

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = read_yaml::<ConfigFile>(&text);
    }

    #[test]
    fn any_heap_of_pieces_is_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60)
    ) {
        let _ = read_yaml::<ConfigFile>(&pieces.concat());
    }

    #[test]
    fn no_complaint_quotes_a_secret(
        before in prop::collection::vec(prop::sample::select(PIECES[..20].to_vec()), 0..8),
        after in prop::collection::vec(prop::sample::select(PIECES[..20].to_vec()), 0..8),
    ) {
        let broken = format!(
            "servers:\n  - name: a\n    url: https://x\n    bearer: {}\"canary-9\"{}\n",
            before.concat(), after.concat()
        );
        if let Err((_, problem)) = read_yaml::<ConfigFile>(&broken) {
            // A mapping key or a tag is shown by name, so only values are looked for.
            let is_named = matches!(
                problem,
                Problem::UnknownKey { .. } | Problem::DuplicateKey { .. } | Problem::Tag { .. }
            );
            prop_assert!(is_named || !format!("{problem} {problem:?}").contains("canary-9"), "{problem}");
        }
    }
}

#[test]
fn messages_stay_one_short_line() {
    let key = format!("\"{}\\n\": 1", "k".repeat(1_000));
    let (_, problem) = read_yaml::<ConfigFile>(&key).err().unwrap();
    let shown = problem.to_string();
    assert!(shown.chars().count() < 200 && !shown.contains('\n'), "{shown}");
}
