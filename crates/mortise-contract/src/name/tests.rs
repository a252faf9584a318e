//! Rows and laws on names.

use proptest::prelude::*;

use super::{NameError, NameLength, NameMap, RenameReason, ServerName, ToolName};

fn names(entries: &[(&str, &str)]) -> Vec<(ServerName, ToolName)> {
    let parse =
        |(server, tool): &(&str, &str)| (ServerName::parse(server).unwrap(), ToolName::parse(tool).unwrap());
    entries.iter().map(parse).collect()
}

fn map(entries: &[(ServerName, ToolName)], length: NameLength) -> NameMap {
    NameMap::with_length(entries.iter().map(|(server, tool)| (server, tool)), length)
}

/// The callable names in the order of the entries.
#[track_caller]
fn check(entries: &[(&str, &str)], expected: &[&str]) {
    let entries = names(entries);
    let map = map(&entries, NameLength::Program);
    let found: Vec<&str> =
        entries.iter().map(|(server, tool)| map.callable(server, tool).unwrap().as_str()).collect();
    assert_eq!(found, expected);
}

#[test]
fn names_become_identifiers() {
    check(&[("financial-data", "query")], &["mcp__financial_data__query"]);
    check(&[("my-cool-server", "get-data-now")], &["mcp__my_cool_server__get_data_now"]);
    check(&[("my_server", "my_tool")], &["mcp__my_server__my_tool"]);
    check(&[("s", "weird-name.v2")], &["mcp__s__weird_name_v2"]);
    check(
        &[
            ("s", "print"),
            ("s", "__init__"),
            ("s", "a b"),
            ("s", "class"),
            ("s", "9"),
            ("s", "é"),
            ("s", "\n\n"),
        ],
        &[
            "mcp__s__print",
            "mcp__s____init__",
            "mcp__s__a_b",
            "mcp__s__class",
            "mcp__s__9",
            "mcp__s___",
            "mcp__s____",
        ],
    );
}

#[test]
fn all_that_collide_get_a_suffix() {
    check(
        &[("s", "a-b"), ("s", "a_b"), ("s", "c")],
        &["mcp__s__a_b_ed3867d6", "mcp__s__a_b_8d47d403", "mcp__s__c"],
    );
    check(&[("a.b", "c"), ("a", "b__c")], &["mcp__a_b__c", "mcp__a__b__c"]);
    let found = map(&names(&[("a__b", "c"), ("a", "b__c")]), NameLength::Program);
    assert!(found.renamed().iter().all(|renamed| renamed.reason == RenameReason::Collision));
    assert_eq!(found.renamed().len(), 2);
}

#[test]
fn a_difference_in_case_is_a_difference() {
    check(&[("s", "Get"), ("s", "get")], &["mcp__s__Get", "mcp__s__get"]);
}

#[test]
fn names_that_look_alike_collide() {
    let entries = names(&[("s", "paypal"), ("s", "p\u{430}ypal"), ("s", "other")]);
    let map = map(&entries, NameLength::Program);
    let renamed: Vec<(bool, RenameReason)> =
        map.renamed().iter().map(|renamed| (renamed.tool.as_str().is_ascii(), renamed.reason)).collect();
    assert_eq!(renamed, [(true, RenameReason::Confusable), (false, RenameReason::Confusable)]);
    check(&[("s", "v1"), ("s", "vl"), ("s", "vI")], &["mcp__s__v1", "mcp__s__vl", "mcp__s__vI"]);
}

#[test]
fn a_tool_can_not_take_the_suffixed_name_of_another() {
    let entries = names(&[("s", "a-b"), ("s", "a_b"), ("s", "a_b_ed3867d6")]);
    let map = map(&entries, NameLength::Program);
    let callables: std::collections::HashSet<&str> =
        map.iter().map(|(_, _, callable)| callable.as_str()).collect();
    assert_eq!(callables.len(), 3);
    assert_eq!(map.target("mcp__s__a_b_ed3867d6"), None);
}

#[test]
fn long_names_are_cut_to_the_limit_of_their_readers() {
    let at_limit = "t".repeat(128 - "mcp__s__".len());
    let past = format!("{at_limit}t");
    let entries = names(&[("s", &at_limit), ("s", &past)]);
    let program = map(&entries, NameLength::Program);
    let callable = |index: usize| program.callable(&entries[index].0, &entries[index].1).unwrap().as_str();
    assert_eq!(callable(0), format!("mcp__s__{at_limit}"));
    assert_eq!(callable(1).len(), 128);
    assert_eq!(program.renamed().len(), 1);
    assert_eq!(program.renamed()[0].reason, RenameReason::TooLong);
    let provider = map(&entries, NameLength::Provider);
    assert!(provider.iter().all(|(_, _, callable)| callable.as_str().len() == 64));
}

#[test]
fn server_names_are_checked() {
    assert!(ServerName::parse(&"s".repeat(128)).is_ok());
    assert_eq!(
        ServerName::parse(&"s".repeat(129)),
        Err(NameError::TooLong { kind: "server", length: 129, limit: 128 })
    );
    assert_eq!(ServerName::parse(""), Err(NameError::Empty { kind: "server" }));
    assert_eq!(
        ServerName::parse("a\u{1b}"),
        Err(NameError::BadCharacter { kind: "server", character: '\u{1b}' })
    );
}

#[test]
fn odd_tool_names_are_accepted_with_a_warning() {
    let warning = |name: &str| ToolName::parse(name).unwrap().warning();
    assert_eq!(warning("get_data.v2-x"), None);
    assert_eq!(warning(&"t".repeat(128)), None);
    assert!(warning(&"t".repeat(129)).unwrap().contains("129 characters"));
    assert!(warning("a b").unwrap().contains("` `"));
    assert!(warning("a\u{202e}b").unwrap().contains("\\u{202e}"));
    assert_eq!(ToolName::parse(""), Err(NameError::Empty { kind: "tool" }));
}

#[test]
fn a_look_alike_of_one_never_frees_the_name_of_another() {
    let name =
        |server: &str, tool: &str| (ServerName::parse(server).unwrap(), ToolName::parse(tool).unwrap());
    let mut entries = vec![name("a.b", "_"), name("a_b", "é")];
    let before = map(&entries, NameLength::Program);
    entries.push(name("a_b", "\u{200b}é"));
    let after = map(&entries, NameLength::Program);
    for (server, tool) in &entries[..2] {
        assert_eq!(before.callable(server, tool), after.callable(server, tool));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_tool_has_one_identifier_of_its_own(
        entries in prop::collection::btree_set(("[a.\\-_A]{1,3}", "[ab.\\-_é\u{430} ]{1,5}|[a_-]{60,140}"), 0..40),
        rotation in 0usize..40,
        length in prop_oneof![Just(NameLength::Program), Just(NameLength::Provider)],
    ) {
        let entries: Vec<(ServerName, ToolName)> = entries
            .iter()
            .map(|(server, tool)| (ServerName::parse(server).unwrap(), ToolName::parse(tool).unwrap()))
            .collect();
        let found = map(&entries, length);
        let mut rotated = entries.clone();
        rotated.rotate_left(rotation.min(entries.len()));
        rotated.extend(entries.first().cloned());
        let again = map(&rotated, length);
        for (server, tool) in &entries {
            let callable = found.callable(server, tool).unwrap();
            prop_assert_eq!(found.target(callable.as_str()), Some((server, tool)));
            prop_assert_eq!(again.callable(server, tool), Some(callable));
            prop_assert!(callable.as_str().len() <= length.characters());
            prop_assert!(callable.as_str().starts_with("mcp__"));
            prop_assert!(callable.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
        }
        prop_assert_eq!(found.len(), entries.len());
    }

    #[test]
    fn adding_a_tool_that_collides_with_nothing_changes_nothing(
        entries in prop::collection::btree_set("[ab.\\-_]{1,4}", 1..20),
    ) {
        let server = ServerName::parse("s").unwrap();
        let tools: Vec<ToolName> = entries.iter().map(|tool| ToolName::parse(tool).unwrap()).collect();
        let new = ToolName::parse("zzz").unwrap();
        let before = NameMap::new(tools.iter().map(|tool| (&server, tool)));
        let after = NameMap::new(tools.iter().chain([&new]).map(|tool| (&server, tool)));
        for tool in &tools {
            prop_assert_eq!(before.callable(&server, tool), after.callable(&server, tool));
        }
    }
}
