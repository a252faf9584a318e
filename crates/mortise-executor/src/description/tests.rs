//! Rows for `description`.

use super::*;

#[test]
fn usage_leaves_room_for_a_catalogue() {
    let text = description(&[], 0, 1, &AwayServers::default());
    assert!(text.chars().count() < 1330, "{}", text.chars().count());
}

#[test]
fn a_small_catalogue_is_shown_whole() {
    let text = description(
        &[
            ServerTools { server: "weather", tools: vec!["mcp__weather__get"] },
            ServerTools { server: "docs", tools: vec!["mcp__docs__a", "mcp__docs__b"] },
        ],
        0,
        0,
        &AwayServers::default(),
    );
    assert!(
        text.ends_with("Tools:\nweather (1): mcp__weather__get\ndocs (2): mcp__docs__a, mcp__docs__b"),
        "{text}"
    );
}

#[test]
fn a_huge_catalogue_stays_within_the_limit() {
    for (servers, tools) in [(1, 10_000), (10, 1_000), (500, 20), (3, 40)] {
        let names: Vec<Vec<String>> = (0..servers)
            .map(|server| (0..tools).map(|tool| format!("mcp__server_{server}__some_tool_{tool}")).collect())
            .collect();
        let labels: Vec<String> = (0..servers).map(|server| format!("server-{server}")).collect();
        let catalogue: Vec<ServerTools<'_>> = names
            .iter()
            .zip(&labels)
            .map(|(names, label)| ServerTools {
                server: label,
                tools: names.iter().map(String::as_str).collect(),
            })
            .collect();
        let starting: Vec<ServerName> =
            labels.iter().map(|label| ServerName::parse(&format!("{label:x<90}")).unwrap()).collect();
        let reason = || Some("nothing answers".repeat(20));
        let unavailable = starting.iter().map(|name| (name.clone(), reason())).collect();
        let away = AwayServers { starting, unavailable };
        let text = description(&catalogue, 0, 0, &away);
        assert!(text.chars().count() <= LIMIT, "{servers} × {tools}: {}", text.chars().count());
        assert!(text.contains("server-0 ("), "{text}");
        assert!(text.contains('…'));
    }
}

#[test]
fn no_tools_are_said_to_be_none() {
    assert!(description(&[], 0, 0, &AwayServers::default()).ends_with("No tools are connected now."));
}

#[test]
fn a_tool_is_said_to_be_offered_directly_only_where_one_is() {
    assert!(!description(&[], 0, 0, &AwayServers::default()).contains("directly"));
    assert!(
        description(&[], 0, 1, &AwayServers::default())
            .contains("for one call use the tool directly if it is offered.")
    );
}

#[test]
fn servers_that_are_starting_are_named_with_what_to_do() {
    let starts = |names: &[ServerName]| AwayServers { starting: names.to_vec(), ..AwayServers::default() };
    let starting: Vec<ServerName> =
        ["a", "b", "c", &"d".repeat(101)].iter().map(|name| ServerName::parse(name).unwrap()).collect();
    let text = description(
        &[ServerTools { server: "up", tools: vec!["mcp__up__t"] }],
        0,
        0,
        &starts(&starting[..2]),
    );
    assert!(
        text.ends_with(
            "\n\nStill starting when this was listed: a, b. Programs that name their tools wait for them; \
             list_callable_tools knows the tools later.\n\nTools:\nup (1): mcp__up__t"
        ),
        "{text}"
    );
    let text = description(&[], 0, 0, &starts(&starting[2..]));
    assert!(text.contains("listed: c and 1 more. Programs") && !text.contains("No tools"), "{text}");
    assert!(description(&[], 0, 0, &starts(&starting[3..])).contains("listed: 1 more."));
}

#[test]
fn servers_that_failed_are_named_with_their_reason() {
    let name = |name: &str| ServerName::parse(name).unwrap();
    let unavailable = vec![
        (name("broken"), Some("cannot start `nowhere`: no such file\nand more".to_owned())),
        (name("again"), None),
    ];
    let away = AwayServers { starting: vec![name("slow")], unavailable };
    let text = description(&[], 0, 0, &away);
    let said = "Unavailable when this was listed: broken (cannot start `nowhere`: no such file), again.";
    assert!(text.contains(said) && text.contains("Still starting when this was listed: slow."), "{text}");
    let text = description(&[], 0, 0, &AwayServers { starting: Vec::new(), ..away });
    assert!(text.contains(said) && text.ends_with("No tools are connected now."), "{text}");
}
