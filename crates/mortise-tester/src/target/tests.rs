use serde_json::{Value, json};

use super::{TestTarget, shown_url};
use crate::failure::ErrorType;

fn read(arguments: Value) -> Result<TestTarget, String> {
    let input = serde_json::from_value(arguments).unwrap();
    TestTarget::read(&input).map_err(|failure| {
        assert_eq!(failure.kind, ErrorType::InvalidArguments);
        failure.message
    })
}

#[test]
fn the_transport_follows_from_what_is_given() {
    let kind = |arguments| read(arguments).map(|target| target.kind.as_str()).unwrap();
    assert_eq!(kind(json!({"url": "https://example.com/mcp"})), "streaming-http");
    assert_eq!(kind(json!({"url": "HTTP://example.com/sse"})), "streaming-http");
    assert_eq!(kind(json!({"url": "./server.py"})), "stdio");
    assert_eq!(kind(json!({"command": "server"})), "stdio");
}

#[test]
fn one_of_url_and_command_is_wanted() {
    assert_eq!(read(json!({})).unwrap_err(), "neither `url` nor `command` is given");
    let both = read(json!({"url": "http://a", "command": "b"}));
    assert_eq!(both.unwrap_err(), "both `url` and `command` are given");
    let other = read(json!({"url": "ftp://user:pass@a/b"}));
    assert_eq!(other.unwrap_err(), "`ftp://…@a/b` is not an http or https address");
}

#[test]
fn a_command_is_shown_as_it_is_started_and_its_environment_by_name() {
    let target = read(json!({
        "command": "my server", "args": ["--a b", "$HOME"], "env": {"KEY": "s3cret"}, "cwd": "/tmp", "auth": "tok",
    }));
    let target = target.unwrap();
    assert_eq!(target.server_url, "'my server' '--a b' '$HOME'");
    assert_eq!(
        serde_json::to_string(&target.shown).unwrap(),
        r#"{"command":{"command":"my server","args":["--a b","$HOME"],"cwd":"/tmp","env":["KEY"]}}"#
    );
    assert_eq!(target.warnings, ["`auth` is ignored: it means nothing for a local server"]);
}

#[test]
fn secrets_are_not_shown() {
    let target = read(json!({
        "url": "https://me:s3cret@example.com/mcp?a=@", "headers": {"X-Key": "k3y"}, "auth": {"type": "bearer", "token": "t0ken"},
    }));
    let target = target.unwrap();
    assert_eq!(target.server_url, "https://…@example.com/mcp?a=…");
    assert_eq!(
        serde_json::to_string(&target.shown).unwrap(),
        r#"{"headers_provided":["X-Key"],"auth_type":"bearer"}"#
    );
    assert!(!format!("{target:?}").contains("t0ken"));
}

#[test]
fn a_bad_kind_of_auth_is_named_without_its_content() {
    for auth in [json!({"type": "s3cret"}), json!({"type": "bearer"}), json!(7), json!("")] {
        let failed = read(json!({"url": "https://example.com", "auth": auth})).unwrap_err();
        assert_eq!(failed, "`auth` is of no known type");
    }
}

#[test]
fn of_an_address_the_password_and_the_values_of_the_query_are_hidden() {
    for (url, shown) in [
        ("http://host/@a", "http://host/@a"),
        ("http://u:p@host", "http://…@host"),
        ("https://host/mcp?key=s3cret&mode=full&flag=", "https://host/mcp?key=…&mode=…&flag="),
        ("https://host?s3cret", "https://host?…"),
        ("https://host/a?b=c#token=s3cret", "https://host/a?b=…#…"),
        ("https://host/a#x?y", "https://host/a#…"),
        ("server.py", "server.py"),
    ] {
        assert_eq!(shown_url(url), shown);
    }
}
