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
    assert_eq!(check_origin(options, &"/mcp".parse().unwrap(), &map), expected, "{headers:?}");
}

#[test]
fn an_address_in_the_request_line_must_be_ours_too() {
    let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("localhost:8080"))]);
    for (uri, expected) in [
        ("http://localhost:8080/mcp", Ok(())),
        ("http://127.0.0.1/mcp", Ok(())),
        ("http://evil.example/mcp", Err(Foreign::Host)),
        ("http://user@localhost/mcp", Err(Foreign::Host)),
    ] {
        for headers in [&headers, &HeaderMap::new()] {
            assert_eq!(check_origin(&local(), &uri.parse().unwrap(), headers), expected, "{uri} {headers:?}");
        }
    }
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
fn on_loopback_only_pages_from_our_own_port_may_call() {
    for origin in ["http://localhost:8080", "https://127.0.0.1:8080", "http://[::1]:8080"] {
        check_headers(&local(), &[("host", "localhost"), ("origin", origin)], Ok(()));
    }
    for origin in [
        "http://evil.example:8080",
        "null",
        "",
        "http://localhost",
        "https://localhost",
        "http://localhost:6274",
        "https://127.0.0.1:1",
        "http://[::1]:3000",
        "http://localhost.evil.example:8080",
        "http://localhost.:8080",
        "http://0.0.0.0:8080",
        "localhost:8080",
        "ftp://localhost:8080",
        "file://",
        "http://localhost@evil.example:8080",
        "http://localhost:8080.evil.example",
        "chrome-extension://abc",
        "\u{e9}",
    ] {
        check_headers(&local(), &[("host", "localhost"), ("origin", origin)], Err(Foreign::Origin));
    }
    let own = ("origin", "http://localhost:8080");
    check_headers(&local(), &[("host", "localhost"), own, own], Err(Foreign::Origin));
    let usual_port = HttpOptions::new("127.0.0.1:80".parse().unwrap());
    check_headers(&usual_port, &[("host", "localhost"), ("origin", "http://localhost")], Ok(()));
    let named = local().allow_origin("http://localhost:6274");
    check_headers(&named, &[("host", "localhost"), ("origin", "http://localhost:6274")], Ok(()));
}

#[test]
fn elsewhere_only_named_origins_may_call() {
    let from = |origin: &'static str| [("host", "tools.example.com"), ("origin", origin)];
    check_headers(&public(), &from("https://app.example.com"), Ok(()));
    for origin in ["http://app.example.com", "https://app.example.com:444", "http://localhost:1", "null"] {
        check_headers(&public(), &from(origin), Err(Foreign::Origin));
    }
}
