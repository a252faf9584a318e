use proptest::prelude::*;

use super::*;

fn server(name: &str) -> NewServer {
    NewServer::command(ServerName::parse(name).unwrap(), "npx", &["-y".to_owned(), "pkg".to_owned()])
}

#[track_caller]
fn check_add(text: &str, expected: &str) {
    assert_eq!(add_to_text(text, &server("new")).as_deref(), Ok(expected));
}

/// Adds, compares, removes again, and expects the first text.
#[track_caller]
fn check_round(text: &str, expected: &str) {
    check_add(text, expected);
    assert_eq!(remove_from_text(expected, "new").as_deref(), Ok(text), "removed again");
}

const BLOCK: &str = "  - name: new\n    command: npx\n    args: [\"-y\", pkg]\n";

#[test]
fn an_entry_goes_behind_the_last_one() {
    check_round(
        "# mine\nservers:\n  - name: a   # first\n    command: 'x'\n\n# the tools\ntools: {block: [x]}\n",
        &format!(
            "# mine\nservers:\n  - name: a   # first\n    command: 'x'\n{BLOCK}\n# the tools\ntools: {{block: [x]}}\n"
        ),
    );
}

#[test]
fn a_comment_inside_the_last_entry_stays_with_it() {
    check_round(
        "servers:\n  - name: a\n    command: x\n    # env: {A: b}\n\n    # cwd: .\n  # between\nlock: warn\n",
        &format!(
            "servers:\n  - name: a\n    command: x\n    # env: {{A: b}}\n\n    # cwd: .\n{BLOCK}  # between\nlock: warn\n"
        ),
    );
}

#[test]
fn the_list_keeps_its_indentation() {
    check_round(
        "servers:\n- name: a\n  url: https://a.example/mcp\nlock: warn\n",
        "servers:\n- name: a\n  url: https://a.example/mcp\n- name: new\n  command: npx\n  args: [\"-y\", pkg]\nlock: warn\n",
    );
    check_round(
        "servers:\n    -\n        name: é\n        command: x\n",
        "servers:\n    -\n        name: é\n        command: x\n    - name: new\n      command: npx\n      args: [\"-y\", pkg]\n",
    );
}

#[test]
fn a_mapping_gets_a_key() {
    check_round(
        "servers:\n    a:\n        command: x\n        env:\n    b: {command: y}\n# end\n",
        "servers:\n    a:\n        command: x\n        env:\n    b: {command: y}\n    new:\n        command: npx\n        args: [\"-y\", pkg]\n# end\n",
    );
}

#[test]
fn a_block_scalar_and_a_file_without_a_last_line_end() {
    check_round(
        "servers:\n  - name: a\n    command: sh\n    args:\n      - -c\n      - |\n        echo hi\n        exec x\n  # the end",
        &format!(
            "servers:\n  - name: a\n    command: sh\n    args:\n      - -c\n      - |\n        echo hi\n        exec x\n{BLOCK}  # the end"
        ),
    );
    check_round(
        "servers:\n  - name: a\n    command: x",
        "servers:\n  - name: a\n    command: x\n  - name: new\n    command: npx\n    args: [\"-y\", pkg]",
    );
}

#[test]
fn braces_stay_braces() {
    let entry = "{name: new, command: npx, args: [\"-y\", pkg]}";
    check_round(
        "servers: [{name: a, command: x},]\n",
        &format!("servers: [{{name: a, command: x}}, {entry},]\n"),
    );
    check_round(
        "{\"servers\": {\"a\": {\"command\": \"x\"}}, \"lock\": \"warn\"}\n",
        "{\"servers\": {\"a\": {\"command\": \"x\"}, new: {command: npx, args: [\"-y\", pkg]}}, \"lock\": \"warn\"}\n",
    );
}

#[test]
fn windows_line_ends_stay() {
    check_round(
        "servers:\r\n  - name: a\r\n    command: x\r\n",
        &format!("servers:\r\n  - name: a\r\n    command: x\r\n{}", BLOCK.replace('\n', "\r\n")),
    );
}

#[test]
fn a_section_without_entries_is_begun() {
    check_round("servers:\n  # - name: files\n", &format!("servers:\n{BLOCK}  # - name: files\n"));
    check_round("lock: warn\nservers: # mine\n", &format!("lock: warn\nservers: # mine\n{BLOCK}"));
    check_add("", &format!("servers:\n{BLOCK}"));
    check_add("# nothing yet\n", &format!("# nothing yet\nservers:\n{BLOCK}"));
    check_add("lock: warn", &format!("lock: warn\nservers:\n{}", BLOCK.trim_end()));
    check_add("servers: []\nlock: warn\n", &format!("servers:\n{BLOCK}lock: warn\n"));
    check_add("servers: {} # none\n", &format!("servers: # none\n{BLOCK}"));
}

#[test]
fn what_can_t_be_edited_is_refused() {
    // The anchor of the entry is used elsewhere.
    let anchored = "servers:\n  - &base\n    name: a\n    command: x\n  - <<: *base\n    name: b\n";
    assert_eq!(remove_from_text(anchored, "a"), Err(Refused::Layout));
    assert!(add_to_text(anchored, &server("new")).is_ok());
    for text in ["servers: 3\n", "- a\n", "lock: warn\n...\n", "{lock: warn}\n"] {
        assert_eq!(add_to_text(text, &server("new")), Err(Refused::Layout), "{text}");
    }
    let twice = add_to_text("lock: warn\nlock: off\n", &server("new"));
    assert!(matches!(twice, Err(Refused::Unreadable(Position { line: 2, .. }, _))), "{twice:?}");
}

#[test]
fn any_entry_can_be_removed() {
    let text = "servers:\n  # one\n  - name: a\n    command: x\n    # inside\n    args: [b]\n  # two\n  - name: b\n    command: y\n";
    assert_eq!(
        remove_from_text(text, "a").unwrap(),
        "servers:\n  # one\n  # two\n  - name: b\n    command: y\n"
    );
    let text = "servers: {a: {command: x}, b: {command: y}}\n";
    assert_eq!(remove_from_text(text, "a").unwrap(), "servers: {b: {command: y}}\n");
    assert_eq!(remove_from_text(text, "b").unwrap(), "servers: {a: {command: x}}\n");
}

/// Files as people write them; `servers` of each has an entry or nothing at all.
const SAMPLES: [&str; 9] = [
    include_str!("../../tests/samples/commented.yaml"),
    include_str!("../../tests/samples/mapping.yaml"),
    include_str!("../../tests/samples/dense.yaml"),
    include_str!("../../tests/samples/anchors.yaml"),
    "servers:\n",
    "servers:\n# a\n\n\nlock: warn\n",
    "servers:\n- {name: a, command: x}\n\n\n",
    "servers: [{name: a, command: x}]",
    "servers:\r\n  a: {command: x}\r\nlock: warn\r\n",
];

fn any_server() -> impl Strategy<Value = NewServer> {
    let text = "[ -~\u{e9}\n\t\u{202e}]{0,12}";
    let name = "[a-z][a-z0-9 .:#'\"-]{0,8}[a-z0-9]";
    let pairs = proptest::collection::vec(("[A-Z_]{1,6}", text), 0..3);
    (name, text, proptest::collection::vec(text, 0..4), pairs.clone(), pairs).prop_map(
        |(name, command, args, env, headers)| {
            let name = ServerName::parse(&format!("new {name}")).unwrap();
            NewServer::command(name, &command, &args).env(env).headers(headers)
        },
    )
}

proptest! {
    #[test]
    fn adding_and_removing_gives_the_same_bytes(sample in 0..SAMPLES.len(), server in any_server()) {
        let text = SAMPLES[sample];
        let added = add_to_text(text, &server).unwrap();
        prop_assert_ne!(&added, text);
        prop_assert_eq!(remove_from_text(&added, server.name.as_str()).unwrap(), text);
    }

    #[test]
    fn no_text_makes_it_panic(text in "(servers|[a-z&*!?|>{}\\[\\]:,# -]|\n|  ){0,40}", server in any_server()) {
        if let Ok(added) = add_to_text(&text, &server) {
            prop_assert!(remove_from_text(&added, server.name.as_str()).is_ok());
        }
        _ = remove_from_text(&text, "a");
    }
}
