//! What is shown of a file that changes.

use super::{view, without_value};
use crate::terminal::Terminal;

#[test]
fn old_and_new_lines_stand_among_the_names_of_their_neighbours() {
    let before = "{\n  \"mcpServers\": {\n    \"github\": {\n      \"env\": {\n        \"TOKEN\": \"ghp_secret\"\n      }\n    }\n  }\n}\n";
    let after = before.replace("      }\n    }\n", "      }\n    },\n    \"mortise\": {}\n");
    let expected = "  5         \"TOKEN\": …\n  6       }\n    -     }\n  7 +     },\n  8 +     \"mortise\": {}\n  9   }\n 10 }\n";
    let shown = view(&Terminal::plain(None), before, &after, "\"mortise\": {}").unwrap();
    assert!(!shown.contains("ghp_secret"), "{shown}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&shown), words(expected));
}

#[test]
fn a_file_in_one_line_is_not_shown() {
    let long = format!("{{\"a\": \"{}\"}}", "x".repeat(500));
    let (one, two) = ("{\"a\": {\"TOKEN\": \"x\"}}", "{\"a\": {\"TOKEN\": \"x\"}, \"mortise\": {}}");
    for (before, after) in [(long.as_str(), "{}"), (one, two), ("same\n", "same\n")] {
        assert_eq!(view(&Terminal::plain(None), before, after, "\"mortise\": {}"), None);
    }
}

#[test]
fn values_of_lines_that_stay_are_left_out() {
    for (line, expected) in [
        ("    \"API_KEY\": \"sk-1\",", "    \"API_KEY\": …"),
        ("api_key = \"sk-1\"", "api_key = …"),
        ("    \"--token\", \"abc\"", "    …"),
        ("  \"a:b\": {", "  \"a:b\": {"),
        ("  },", "  },"),
        ("[mcp_servers.files]", "[mcp_servers.files]"),
        ("[\"secret\"]", "…"),
        ("// token abc", "//…"),
        ("# token abc", "# …"),
        ("#é", "#…"),
        ("  token: 12", "  token: …"),
    ] {
        assert_eq!(without_value(line), expected);
    }
}
