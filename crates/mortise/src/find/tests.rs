//! Names as people write them.

use mortise_contract::{NameMap, ServerName, ToolName};

use super::{ToolLookup, address, find, named_servers, nearest};

#[track_caller]
fn check(query: &str, expected: &str) {
    let entries = [
        ("git", "status"),
        ("git", "log"),
        ("financial-data", "query_financials"),
        ("disk", "status"),
        ("disk", "read/file"),
    ];
    let entries =
        entries.map(|(server, tool)| (ServerName::parse(server).unwrap(), ToolName::parse(tool).unwrap()));
    let tools: Vec<_> = entries.iter().map(|(server, tool)| (server, tool)).collect();
    let names = NameMap::new(tools.iter().copied());
    let found = match find(query, &tools, &names) {
        ToolLookup::Tool(server, tool) => format!("{server}: {tool}"),
        ToolLookup::Ambiguous(names) => format!("ambiguous: {}", names.join(" ")),
        ToolLookup::Nothing(near) => format!("nothing: {}", near.join(" ")),
    };
    assert_eq!(found, expected);
}

#[test]
fn bare_and_qualified_names_are_understood() {
    check("log", "git: log");
    check("git/log", "git: log");
    check("git__log", "git: log");
    check("mcp__git__log", "git: log");
    check("mcp__financial_data__query_financials", "financial-data: query_financials");
    check("financial-data__query_financials", "financial-data: query_financials");
    check("read/file", "disk: read/file");
    check("disk/read/file", "disk: read/file");
    check("git.log", "git: log");
    check("git:log", "git: log");
    check("financial-data.query_financial", "nothing: financial-data/query_financials");
}

#[test]
fn a_host_with_a_port_is_an_address() {
    for (word, url) in [
        ("localhost:8080", Some("http://localhost:8080/mcp")),
        ("127.0.0.1:8080/", Some("http://127.0.0.1:8080/")),
        ("example.com:80/x/y", Some("http://example.com:80/x/y")),
        ("https://example.com/mcp", Some("https://example.com/mcp")),
        ("git:log", None),
        ("weather", None),
        ("weather/get", None),
        (":8080", None),
        ("a b:80", None),
    ] {
        assert_eq!(address(word).as_deref(), url, "{word}");
    }
}

#[test]
fn a_bare_name_must_be_unique() {
    check("status", "ambiguous: git/status disk/status");
    check("disk/status", "disk: status");
}

#[test]
fn what_is_not_there_gets_suggestions() {
    check("query_finacials", "nothing: financial-data/query_financials");
    check("git/stauts", "nothing: disk/status git/status");
    check("financials", "nothing: financial-data/query_financials");
    check("xyz", "nothing: ");
}

#[test]
fn a_qualified_name_says_which_server_to_start() {
    let servers =
        ["git", "git-lab", "git_lab", "financial-data"].map(|name| ServerName::parse(name).unwrap());
    let servers: Vec<&ServerName> = servers.iter().collect();
    let named = |query| named_servers(query, &servers).iter().map(|name| name.as_str()).collect::<Vec<_>>();
    assert_eq!(named("git/log"), ["git"]);
    assert_eq!(named("mcp__financial_data__query"), ["financial-data"]);
    assert_eq!(named("git-lab__log"), ["git-lab", "git_lab"]);
    assert_eq!(named("log"), [""; 0]);
}

#[test]
fn the_nearest_word_must_be_near() {
    assert_eq!(nearest("tikcer", ["ticker", "limit"]), Some("ticker"));
    assert_eq!(nearest("colour", ["ticker", "limit"]), None);
}
