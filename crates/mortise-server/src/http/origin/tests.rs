//! Rows of hosts and origins.

use super::*;

fn local() -> HttpOptions {
    HttpOptions::new("127.0.0.1:8080".parse().unwrap())
}

fn public() -> HttpOptions {
    HttpOptions::new("0.0.0.0:8080".parse().unwrap())
        .allow_host("tools.example.com")
        .allow_host("other.example.com:8443")
        .allow_origin("https://app.example.com")
}

#[track_caller]
fn check_headers(options: &HttpOptions, headers: &[(&str, &str)], expected: Result<(), Foreign>) {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        map.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    assert_eq!(check(options, &"/mcp".parse().unwrap(), &map), expected, "{headers:?}");
}

#[test]
fn on_loopback_only_loopback_names_are_served() {
    for host in ["localhost", "LOCALHOST:9", "127.0.0.1:8080", "127.0.0.2", "[::1]", "[::1]:8080"] {
        check_headers(&local(), &[("host", host)], Ok(()));
    }
    for host in [
        "evil.example",
        "localhost.",
        "localhost.:8080",
        "localhost.evil.example",
        "0.0.0.0",
        "0.0.0.0:8080",
        "[::]",
        "10.0.0.1",
        "user@localhost",
        "localhost:8080.evil.example",
        "localhost:99999",
        "",
        "localhost evil",
        "\u{e9}",
    ] {
        check_headers(&local(), &[("host", host)], Err(Foreign::Host));
    }
    check_headers(&local(), &[], Err(Foreign::Host));
    check_headers(&local(), &[("host", "localhost"), ("host", "localhost")], Err(Foreign::Host));
}

#[test]
fn elsewhere_addresses_and_named_hosts_are_served() {
    for host in
        ["tools.example.com", "TOOLS.example.com:1", "other.example.com:8443", "192.0.2.7:8080", "localhost"]
    {
        check_headers(&public(), &[("host", host)], Ok(()));
    }
    for host in
        ["evil.example", "other.example.com", "other.example.com:443", "tools.example.com.", "0.0.0.0:8080"]
    {
        check_headers(&public(), &[("host", host)], Err(Foreign::Host));
    }
}

#[test]
fn on_loopback_only_pages_of_this_machine_may_call() {
    for origin in ["http://localhost", "http://localhost:6274", "https://127.0.0.1:1", "http://[::1]:3000"] {
        check_headers(&local(), &[("host", "localhost"), ("origin", origin)], Ok(()));
    }
    for origin in [
        "http://evil.example",
        "null",
        "",
        "http://localhost.evil.example",
        "http://localhost.",
        "http://0.0.0.0",
        "localhost",
        "file://",
        "http://localhost@evil.example",
        "http://localhost:8080.evil.example",
        "chrome-extension://abc",
        "\u{e9}",
    ] {
        check_headers(&local(), &[("host", "localhost"), ("origin", origin)], Err(Foreign::Origin));
    }
    let twice = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://localhost")];
    check_headers(&local(), &twice, Err(Foreign::Origin));
}

#[test]
fn elsewhere_only_named_origins_may_call() {
    let from = |origin: &'static str| [("host", "tools.example.com"), ("origin", origin)];
    check_headers(&public(), &from("https://app.example.com"), Ok(()));
    for origin in ["http://app.example.com", "https://app.example.com:444", "http://localhost:1", "null"] {
        check_headers(&public(), &from(origin), Err(Foreign::Origin));
    }
}
