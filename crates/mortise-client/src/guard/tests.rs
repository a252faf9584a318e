//! Which addresses a server may lead us to.

use super::*;

fn guard(named: &str) -> AddressGuard {
    AddressGuard::new(&[Url::parse(named).unwrap()], &Environment::default())
}

#[track_caller]
fn check(named: &str, url: &str, expected: bool) {
    let found = guard(named).check(&Url::parse(url).unwrap()).is_ok();
    assert_eq!(found, expected, "{named} → {url}");
}

#[test]
fn a_public_server_leads_to_public_addresses_only() {
    let named = "https://mcp.example.com/mcp";
    for (url, expected) in [
        ("https://auth.example.org/", true),
        ("https://8.8.8.8/", true),
        ("https://mcp.example.com:8443/", true),
        ("http://169.254.169.254/latest/meta-data", false),
        ("http://127.0.0.1/", false),
        ("http://2130706433/", false),
        ("http://0x7f000001/", false),
        ("http://[::ffff:7f00:1]/", false),
        ("http://[::1]/", false),
        ("http://localhost/", false),
        ("http://localhost./", false),
        ("http://x.localhost/", false),
        ("http://10.0.0.1/", false),
        ("http://0.0.0.0/", false),
        ("data:text/plain,x", false),
    ] {
        check(named, url, expected);
    }
}

#[test]
fn what_the_operator_named_is_allowed() {
    check("http://10.0.0.1/mcp", "http://10.0.0.1:9000/", true);
    check("http://10.0.0.1/mcp", "http://10.0.0.2/", false);
    check("http://127.0.0.1:1/mcp", "http://localhost:2/", true);
    check("http://localhost:1/mcp", "http://[::1]:2/", true);
    check("http://127.0.0.1:1/mcp", "http://10.0.0.1/", false);
    check("http://127.0.0.1:1/mcp", "http://169.254.169.254/", false);
}

#[test]
fn names_are_judged_by_what_they_resolve_to() {
    let guard = guard("https://mcp.example.com/");
    let private: IpAddr = "10.0.0.1".parse().unwrap();
    let public: IpAddr = "8.8.8.8".parse().unwrap();
    assert!(guard.allows("evil.example.org", public));
    assert!(!guard.allows("evil.example.org", private));
    // An intranet server is where its operator says it is.
    assert!(guard.allows("MCP.example.com.", private));
}

#[test]
fn a_proxy_may_be_private() {
    let environment = Environment {
        variables: [("https_proxy".into(), "user:x@10.0.0.1:3128".into())].into(),
        ..Environment::default()
    };
    let guard = AddressGuard::new(&[Url::parse("https://mcp.example.com/").unwrap()], &environment);
    assert!(guard.allows("10.0.0.1", "10.0.0.1".parse().unwrap()));
}

#[tokio::test]
async fn a_client_of_the_guard_reaches_no_private_address() {
    let client = guard("https://mcp.example.com/").client().no_proxy().build().unwrap();
    let error = client.get("http://localhost:1/").send().await.unwrap_err();
    let mut causes = vec![error.to_string()];
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    let refused = "`localhost` is a private address and not one that was allowed";
    assert!(causes.iter().any(|cause| cause.contains(refused)), "{causes:?}");
}
